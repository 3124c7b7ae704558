#include "lwt/workloads/leaf.h"

namespace sgemm {
namespace {

// One definition for all widths, in the compiler's vector types. A macro, since a
// template cannot have its target as a parameter, and what is inlined into a
// function of a target was cut into narrower vectors before. `kRows` rows of two
// vectors are held in registers while a row of B after the other goes by.
#define VICINITY_LEAF(Name, Target, kLanes, kRows)                                \
  Target void Name(const float* a, const float* b, float* c, int ld, Into into) { \
    typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));    \
    for (int column = 0; column < kLeaf; column += 2 * kLanes) {                  \
      for (int row = 0; row < kLeaf; row += kRows) {                              \
        Vector low[kRows] = {}, high[kRows] = {};                                 \
        const float* left = a + row * ld;                                         \
        const float* right = b + column;                                          \
        for (int p = 0; p < kLeaf; ++p, ++left, right += ld) {                    \
          Vector right_low, right_high;                                           \
          __builtin_memcpy(&right_low, right, sizeof right_low);                  \
          __builtin_memcpy(&right_high, right + kLanes, sizeof right_high);       \
          for (int i = 0; i < kRows; ++i) {                                       \
            low[i] += left[i * ld] * right_low;                                   \
            high[i] += left[i * ld] * right_high;                                 \
          }                                                                       \
        }                                                                         \
        for (int i = 0; i < kRows; ++i) {                                         \
          float* const to = c + (row + i) * ld + column;                          \
          if (into == Into::kSum) {                                               \
            Vector before_low, before_high;                                       \
            __builtin_memcpy(&before_low, to, sizeof before_low);                 \
            __builtin_memcpy(&before_high, to + kLanes, sizeof before_high);      \
            low[i] += before_low;                                                 \
            high[i] += before_high;                                               \
          }                                                                       \
          __builtin_memcpy(to, &low[i], sizeof low[i]);                           \
          __builtin_memcpy(to + kLanes, &high[i], sizeof high[i]);                \
        }                                                                         \
      }                                                                           \
    }                                                                             \
  }

#if defined(__x86_64__)
VICINITY_LEAF(Avx2Leaf, __attribute__((target("avx2,fma"))), 8, 4)
VICINITY_LEAF(Avx512Leaf, __attribute__((target("avx512f"))), 16, 8)
#endif

}  // namespace

VICINITY_LEAF(PlainLeaf, , 4, 4)

const Leaf& BestLeaf() {
  static const Leaf best = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return Leaf{Avx512Leaf, "AVX-512"};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      return Leaf{Avx2Leaf, "AVX2"};
    }
#endif
    return Leaf{PlainLeaf, "vectors of four"};
  }();
  return best;
}

}  // namespace sgemm
