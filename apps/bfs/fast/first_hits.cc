#include "apps/bfs/fast/first_hits.h"

#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bfs {

using graph::Vertex;

std::uint64_t FirstHitsScalar(const Vertex* first, const std::uint64_t* frontier,
                              std::uint64_t candidates) {
  std::uint64_t hits = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const int i = std::countr_zero(candidates);
    hits |= (frontier[first[i] / 64] >> first[i] % 64 & 1) << i;
  }
  return hits;
}

#if defined(__x86_64__)
namespace {

constexpr int kLanes = 8;

[[gnu::target("avx2")]] std::uint64_t FirstHitsAvx2(const Vertex* first,
                                                    const std::uint64_t* frontier,
                                                    std::uint64_t candidates) {
  // Little-endian: bit v of the 64-bit words is bit v of the 32-bit words.
  const auto* const words = reinterpret_cast<const int*>(frontier);
  const __m256i low_bits = _mm256_set1_epi32(31);
  std::uint64_t hits = 0;
  for (int lane = 0; lane < 64; lane += kLanes) {
    if ((candidates >> lane & 0xff) == 0) continue;
    const __m256i vertices = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + lane));
    const __m256i found = _mm256_i32gather_epi32(words, _mm256_srli_epi32(vertices, 5), 4);
    // Each lane's bit comes to the sign, of which movemask makes a bit a lane.
    const __m256i places = _mm256_sub_epi32(low_bits, _mm256_and_si256(vertices, low_bits));
    const auto mask = static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(found, places))));
    hits |= static_cast<std::uint64_t>(mask) << lane;
  }
  return hits & candidates;
}

}  // namespace
#endif

FirstHits FastestFirstHits() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return &FirstHitsAvx2;
#endif
  return &FirstHitsScalar;
}

}  // namespace bfs
