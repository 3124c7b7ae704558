#include "apps/stream/kernels/nontemporal.h"

#include "apps/stream/kernels/plain.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>

namespace stream {
namespace {

// Compiled for processors that the program asks for at run time, so that one
// binary serves all.
#define VICINITY_AVX2 __attribute__((target("avx2")))
#define VICINITY_AVX512 __attribute__((target("avx512f")))

// A whole line goes out at once.
constexpr std::int64_t kLine = 64 / sizeof(double);

// A value. How many elements ahead to prefetch, and into where.
enum class Into { kNowhere, kPastTheCaches, kAllCaches };
struct Prefetch {
  int ahead;
  Into into;
};

template <Prefetch kPrefetch>
inline void PrefetchAhead(const double* at) {
  // Past the end of the array is fine: prefetches do not fault.
  if constexpr (kPrefetch.into == Into::kPastTheCaches) {
    _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetch.ahead), _MM_HINT_NTA);
  } else if constexpr (kPrefetch.into == Into::kAllCaches) {
    _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetch.ahead), _MM_HINT_T0);
  }
}

// What a kernel reads and writes. Copy and Scale have one source.
template <Kernel kKernel>
double* Target(const Part& part) {
  if constexpr (kKernel == Kernel::kTriad) return part.a;
  if constexpr (kKernel == Kernel::kScale) return part.b;
  return part.c;
}
template <Kernel kKernel>
const double* First(const Part& part) {
  if constexpr (kKernel == Kernel::kTriad) return part.b;
  if constexpr (kKernel == Kernel::kScale) return part.c;
  return part.a;
}
template <Kernel kKernel>
const double* Second(const Part& part) {
  return kKernel == Kernel::kTriad ? part.c : part.b;
}
constexpr bool HasSecond(Kernel kernel) {
  return kernel == Kernel::kAdd || kernel == Kernel::kTriad;
}

template <Kernel kKernel>
VICINITY_AVX2 inline __m256d Four(const double* first, const double* second) {
  const __m256d x = _mm256_loadu_pd(first);
  const __m256d scalar = _mm256_set1_pd(kScalar);
  if constexpr (kKernel == Kernel::kCopy) return x;
  if constexpr (kKernel == Kernel::kScale) return _mm256_mul_pd(scalar, x);
  if constexpr (kKernel == Kernel::kAdd) return _mm256_add_pd(x, _mm256_loadu_pd(second));
  if constexpr (kKernel == Kernel::kTriad) {
    return _mm256_add_pd(x, _mm256_mul_pd(scalar, _mm256_loadu_pd(second)));
  }
}

template <Kernel kKernel>
VICINITY_AVX512 inline __m512d Eight(const double* first, const double* second) {
  const __m512d x = _mm512_loadu_pd(first);
  const __m512d scalar = _mm512_set1_pd(kScalar);
  if constexpr (kKernel == Kernel::kCopy) return x;
  if constexpr (kKernel == Kernel::kScale) return _mm512_mul_pd(scalar, x);
  if constexpr (kKernel == Kernel::kAdd) return _mm512_add_pd(x, _mm512_loadu_pd(second));
  if constexpr (kKernel == Kernel::kTriad) {
    return _mm512_add_pd(x, _mm512_mul_pd(scalar, _mm512_loadu_pd(second)));
  }
}

// The whole lines of the target, as elements [begin, end) of the part. What is
// before and after goes the plain way.
struct Lines {
  std::int64_t begin;
  std::int64_t end;
};
template <Kernel kKernel>
Lines LinesAndEnds(const Part& part) {
  const auto misfit = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(Target<kKernel>(part)) / sizeof(double) % kLine);
  const std::int64_t begin = std::min((kLine - misfit) % kLine, part.size);
  const std::int64_t end = begin + (part.size - begin) / kLine * kLine;
  const Sweep plain = PlainCode()[kKernel];
  plain({part.a, part.b, part.c, nullptr, begin});
  plain({part.a + end, part.b + end, part.c + end, nullptr, part.size - end});
  return {begin, end};
}

template <Kernel kKernel, Prefetch kPrefetch>
VICINITY_AVX2 void SweepAvx2(const Part& part) {
  const double* first = First<kKernel>(part);
  const double* second = Second<kKernel>(part);
  double* target = Target<kKernel>(part);
  const Lines lines = LinesAndEnds<kKernel>(part);
  for (std::int64_t i = lines.begin; i < lines.end; i += kLine) {
    PrefetchAhead<kPrefetch>(first + i);
    if constexpr (HasSecond(kKernel)) PrefetchAhead<kPrefetch>(second + i);
    const __m256d low = Four<kKernel>(first + i, second + i);
    const __m256d high = Four<kKernel>(first + i + 4, second + i + 4);
    _mm256_stream_pd(target + i, low);
    _mm256_stream_pd(target + i + 4, high);
  }
  // Non-temporal stores are not ordered by whatever ends the parallel region.
  _mm_sfence();
}

template <Kernel kKernel, Prefetch kPrefetch>
VICINITY_AVX512 void SweepAvx512(const Part& part) {
  const double* first = First<kKernel>(part);
  const double* second = Second<kKernel>(part);
  double* target = Target<kKernel>(part);
  const Lines lines = LinesAndEnds<kKernel>(part);
  for (std::int64_t i = lines.begin; i < lines.end; i += kLine) {
    PrefetchAhead<kPrefetch>(first + i);
    if constexpr (HasSecond(kKernel)) PrefetchAhead<kPrefetch>(second + i);
    _mm512_stream_pd(target + i, Eight<kKernel>(first + i, second + i));
  }
  _mm_sfence();
}

template <Prefetch kPrefetch>
Code Avx2(std::string name) {
  return {std::move(name),
          Store::kNonTemporal,
          {SweepAvx2<Kernel::kCopy, kPrefetch>, SweepAvx2<Kernel::kScale, kPrefetch>,
           SweepAvx2<Kernel::kAdd, kPrefetch>, SweepAvx2<Kernel::kTriad, kPrefetch>}};
}

template <Prefetch kPrefetch>
Code Avx512(std::string name) {
  return {std::move(name),
          Store::kNonTemporal,
          {SweepAvx512<Kernel::kCopy, kPrefetch>, SweepAvx512<Kernel::kScale, kPrefetch>,
           SweepAvx512<Kernel::kAdd, kPrefetch>, SweepAvx512<Kernel::kTriad, kPrefetch>}};
}

constexpr Prefetch kNone = {0, Into::kNowhere};
constexpr Prefetch kNear = {32, Into::kPastTheCaches};
constexpr Prefetch kFar = {256, Into::kAllCaches};

}  // namespace

std::vector<Code> NonTemporalCodes() {
  std::vector<Code> codes;
  if (__builtin_cpu_supports("avx2")) {
    codes.push_back(Avx2<kNone>("avx2"));
    codes.push_back(Avx2<kNear>("avx2, prefetch 32 ahead"));
    codes.push_back(Avx2<kFar>("avx2, prefetch 256 ahead"));
  }
  if (__builtin_cpu_supports("avx512f")) {
    codes.push_back(Avx512<kNone>("avx512"));
    codes.push_back(Avx512<kNear>("avx512, prefetch 32 ahead"));
    codes.push_back(Avx512<kFar>("avx512, prefetch 256 ahead"));
  }
  return codes;
}

}  // namespace stream

#else

namespace stream {
std::vector<Code> NonTemporalCodes() { return {}; }
}  // namespace stream

#endif
