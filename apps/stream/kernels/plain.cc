#include "apps/stream/kernels/plain.h"

namespace stream {
namespace {

// The arrays do not overlap, which stream.c's global arrays show to the compiler
// by being arrays.
void Copy(const Part& part) {
  const double* __restrict a = part.a;
  double* __restrict c = part.c;
  for (std::int64_t i = 0; i < part.size; ++i) c[i] = a[i];
}

void Scale(const Part& part) {
  const double* __restrict c = part.c;
  double* __restrict b = part.b;
  for (std::int64_t i = 0; i < part.size; ++i) b[i] = kScalar * c[i];
}

void Add(const Part& part) {
  const double* __restrict a = part.a;
  const double* __restrict b = part.b;
  double* __restrict c = part.c;
  for (std::int64_t i = 0; i < part.size; ++i) c[i] = a[i] + b[i];
}

void Triad(const Part& part) {
  const double* __restrict b = part.b;
  const double* __restrict c = part.c;
  double* __restrict a = part.a;
  for (std::int64_t i = 0; i < part.size; ++i) a[i] = b[i] + kScalar * c[i];
}

}  // namespace

const Code& PlainCode() {
  static const Code code = {"plain", Store::kOrdinary, {Copy, Scale, Add, Triad}};
  return code;
}

}  // namespace stream
