// Sums of products of pairs of doubles, four columns at a time, which are all of the work of matrix
// products and of triangular solutions. Each file that includes this compiles it for a processor of
// its own, which `Processor` names: the numbers are the same to the last bit by all of them.
// Nothing of other headers may be compiled here: what is instantiated might be
// taken for all of the program.
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <cstddef>

#include "apps/sdpa/linear/quads.h"

namespace sdpa {

template <typename Processor>
class PairKernels {
 public:
  // quads[i] += the sum of a(i, k) others[k] for k < depth, in this order; a row by row.
  static void MultiplyAdd(const double* a, const double* others, int rows, int depth,
                          double* quads) {
    // So many sums at once, that none waits for itself.
    constexpr int kTogether = 3;
    int i = 0;
    for (; i + kTogether <= rows; i += kTogether) {
      AddRows<kTogether>(Pair(a, At(i, depth)), others, depth, Quad(quads, i));
    }
    for (; i < rows; ++i) {
      AddRows<1>(Pair(a, At(i, depth)), others, depth, Quad(quads, i));
    }
  }

  // quads = L^-1 quads, of `n` rows, and of `count` such matrices one after the other; L row by
  // row.
  static void SolveLower(const double* l, int n, int count, double* quads) {
    constexpr int kTogether = 3;
    int matrix = 0;
    for (; matrix + kTogether <= count; matrix += kTogether) {
      Solve<kTogether>(l, n, Quad(quads, At(matrix, n)));
    }
    for (; matrix < count; ++matrix) {
      Solve<1>(l, n, Quad(quads, At(matrix, n)));
    }
  }

 private:
  using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
  // A value: four pairs. Each operation is that of DoubleDouble (double_double.h).
  struct Pairs {
    Doubles high, low;
  };

  static std::ptrdiff_t At(int row, int length) {
    return static_cast<std::ptrdiff_t>(row) * length;
  }
  static const double* Pair(const double* pairs, std::ptrdiff_t number) {
    return pairs + 2 * number;
  }
  static double* Quad(double* quads, std::ptrdiff_t number) { return quads + 2 * kLanes * number; }
  static const double* Quad(const double* quads, std::ptrdiff_t number) {
    return quads + 2 * kLanes * number;
  }
  [[gnu::always_inline]] static Doubles Load(const double* from) {
    Doubles doubles;
    __builtin_memcpy(&doubles, from, sizeof doubles);
    return doubles;
  }
  [[gnu::always_inline]] static Pairs LoadPairs(const double* quad) {
    return {Load(quad), Load(quad + kLanes)};
  }
  [[gnu::always_inline]] static void Store(const Pairs& pairs, double* quad) {
    __builtin_memcpy(quad, &pairs.high, sizeof pairs.high);
    __builtin_memcpy(quad + kLanes, &pairs.low, sizeof pairs.low);
  }
  [[gnu::always_inline]] static Pairs AllOf(const double* pair) {
    return {All(pair[0]), All(pair[1])};
  }
  [[gnu::always_inline]] static Doubles All(double a) { return Doubles{a, a, a, a}; }

  [[gnu::always_inline]] static Pairs Sum(Doubles a, Doubles b) {
    const Doubles sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }
  [[gnu::always_inline]] static Pairs QuickSum(Doubles a, Doubles b) {
    const Doubles sum = a + b;
    return {sum, b - (sum - a)};
  }
  [[gnu::always_inline]] static Pairs Product(Doubles a, Doubles b) {
    const Doubles product = a * b;
#ifdef __FMA__
    return {product, _mm256_fmsub_pd(a, b, product)};
#else
    const Doubles half = All(134217729);  // 2^27 + 1
    const Doubles a_scaled = half * a, b_scaled = half * b;
    const Doubles a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
    const Doubles a_low = a - a_high, b_low = b - b_high;
    return {product,
            ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
  }
  [[gnu::always_inline]] static Pairs Times(const Pairs& a, const Pairs& b) {
    const Pairs product = Product(a.high, b.high);
    return QuickSum(product.high, product.low + (a.high * b.low + a.low * b.high));
  }
  [[gnu::always_inline]] static Pairs Plus(const Pairs& a, const Pairs& b) {
    const Pairs high = Sum(a.high, b.high), low = Sum(a.low, b.low);
    const Pairs sum = QuickSum(high.high, high.low + low.high);
    return QuickSum(sum.high, sum.low + low.low);
  }
  [[gnu::always_inline]] static Pairs Minus(const Pairs& a, const Pairs& b) {
    return Plus(a, {-b.high, -b.low});
  }
  [[gnu::always_inline]] static Pairs Over(const Pairs& a, const Pairs& b) {
    const Doubles none = All(0.0), first = a.high / b.high;
    const Pairs rest = Minus(a, Times(b, {first, none}));
    const Doubles second = rest.high / b.high;
    const Pairs last = Minus(rest, Times(b, {second, none}));
    const Pairs quotient = Plus(QuickSum(first, second), {last.high / b.high, none});
    const auto is_finite = first - first == none;
    return {is_finite ? quotient.high : first, is_finite ? quotient.low : none};
  }

  template <int kRows>
  static void AddRows(const double* a, const double* others, int depth, double* quads) {
    Pairs sums[kRows];
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) sums[i] = LoadPairs(Quad(quads, i));
    for (int k = 0; k < depth; ++k) {
      const Pairs other = LoadPairs(Quad(others, k));
#pragma GCC unroll 3
      for (int i = 0; i < kRows; ++i) {
        sums[i] = Plus(sums[i], Times(AllOf(Pair(a, At(i, depth) + k)), other));
      }
    }
#pragma GCC unroll 3
    for (int i = 0; i < kRows; ++i) Store(sums[i], Quad(quads, i));
  }

  template <int kMatrices>
  static void Solve(const double* l, int n, double* quads) {
    for (int j = 0; j < n; ++j) {
      const double* const row = Pair(l, At(j, n));
      Pairs sums[kMatrices];
#pragma GCC unroll 3
      for (int m = 0; m < kMatrices; ++m) sums[m] = LoadPairs(Quad(quads, At(m, n) + j));
      for (int k = 0; k < j; ++k) {
        const Pairs factor = AllOf(Pair(row, k));
#pragma GCC unroll 3
        for (int m = 0; m < kMatrices; ++m) {
          sums[m] = Minus(sums[m], Times(factor, LoadPairs(Quad(quads, At(m, n) + k))));
        }
      }
      const Pairs diagonal = AllOf(Pair(row, j));
      for (int m = 0; m < kMatrices; ++m) {
        Store(Over(sums[m], diagonal), Quad(quads, At(m, n) + j));
      }
    }
  }
};

}  // namespace sdpa
