#include "apps/stream/kernels/limit.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stream {
namespace {

void OrdinaryRange(const Part& part, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    part.sink[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(part.b[i]) |
                                         std::bit_cast<std::uint64_t>(part.c[i]));
  }
}

void Ordinary(const Part& part) { OrdinaryRange(part, 0, part.size); }

#if defined(__x86_64__)

// The first element of the sink that starts a line.
std::int64_t FirstAligned(const Part& part) {
  constexpr std::uintptr_t kLine = 64;
  const std::uintptr_t misfit = reinterpret_cast<std::uintptr_t>(part.sink) % kLine;
  const auto elements = static_cast<std::int64_t>((kLine - misfit) % kLine / sizeof(double));
  return std::min(elements, part.size);
}

__attribute__((target("avx2"))) void Avx2(const Part& part) {
  std::int64_t i = FirstAligned(part);
  OrdinaryRange(part, 0, i);
  for (; i + 4 <= part.size; i += 4) {
    _mm256_stream_pd(part.sink + i,
                     _mm256_or_pd(_mm256_loadu_pd(part.b + i), _mm256_loadu_pd(part.c + i)));
  }
  OrdinaryRange(part, i, part.size);
  _mm_sfence();
}

__attribute__((target("avx512f"))) void Avx512(const Part& part) {
  std::int64_t i = FirstAligned(part);
  OrdinaryRange(part, 0, i);
  for (; i + 8 <= part.size; i += 8) {
    const __m512i b = _mm512_loadu_si512(part.b + i);
    const __m512i c = _mm512_loadu_si512(part.c + i);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(part.sink + i), _mm512_or_si512(b, c));
  }
  OrdinaryRange(part, i, part.size);
  _mm_sfence();
}

#endif

}  // namespace

std::vector<Limit> Limits() {
  std::vector<Limit> limits;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) limits.push_back({"avx2", Store::kNonTemporal, Avx2});
  if (__builtin_cpu_supports("avx512f")) limits.push_back({"avx512", Store::kNonTemporal, Avx512});
#endif
  if (limits.empty()) limits.push_back({"ordinary stores", Store::kOrdinary, Ordinary});
  return limits;
}

}  // namespace stream
