#include "apps/sdpa/proof/definite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "apps/sdpa/linear/for_each_processor.h"
#include "apps/sdpa/linear/four.h"

namespace sdpa {
namespace {

// Columns that are factored at once: their rows stay in a cache.
constexpr std::size_t kColumns = 16;

double SumOf(const Four& four) { return (four[0] + four[2]) + (four[1] + four[3]); }

// Rows i and i + 1, less their products with the rows from `begin` to `end` - 1 of the columns
// before `begin`. `l` has `stride` numbers a row, a multiple of four.
inline __attribute__((always_inline)) void Subtract(double* l, std::size_t stride, std::size_t i,
                                                    std::size_t begin, std::size_t end) {
  const auto at = [l, stride](std::size_t row, std::size_t column) {
    return reinterpret_cast<const FourInMemory*>(l + row * stride + column);
  };
  for (std::size_t j = begin; j < end; j += 4) {
    // By name: an array of sums would be in memory, not in registers.
    Four a0 = {}, a1 = {}, a2 = {}, a3 = {}, b0 = {}, b1 = {}, b2 = {}, b3 = {};
    for (std::size_t k = 0; k < begin; k += 4) {
      const Four a = at(i, k)->all, b = at(i + 1, k)->all;
      const Four with0 = at(j, k)->all, with1 = at(j + 1, k)->all;
      const Four with2 = at(j + 2, k)->all, with3 = at(j + 3, k)->all;
      a0 += a * with0, a1 += a * with1, a2 += a * with2, a3 += a * with3;
      b0 += b * with0, b1 += b * with1, b2 += b * with2, b3 += b * with3;
    }
    double* const to_a = l + i * stride + j;
    double* const to_b = to_a + stride;
    to_a[0] -= SumOf(a0), to_a[1] -= SumOf(a1), to_a[2] -= SumOf(a2), to_a[3] -= SumOf(a3);
    to_b[0] -= SumOf(b0), to_b[1] -= SumOf(b1), to_b[2] -= SumOf(b2), to_b[3] -= SumOf(b3);
  }
}

// In the place of the lower triangle of `rows` rows, a multiple of kColumns.
SDPA_FOR_EACH_PROCESSOR
bool Factor(double* l, std::size_t rows) {
  for (std::size_t begin = 0; begin < rows; begin += kColumns) {
    const std::size_t end = begin + kColumns;
    for (std::size_t i = begin; i < rows; i += 2) Subtract(l, rows, i, begin, end);
    for (std::size_t i = begin; i < rows; ++i) {
      double* const row = l + i * rows;
      for (std::size_t j = begin; j < std::min(end, i + 1); ++j) {
        const double* const other = l + j * rows;
        double sum = row[j];
        for (std::size_t k = begin; k < j; ++k) sum -= row[k] * other[k];
        if (i != j) {
          row[j] = sum / other[j];
          continue;
        }
        if (!(sum > 0)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

}  // namespace

bool HasRoundedCholeskyFactor(std::span<const double> matrix, std::size_t n, double shift) {
  const std::size_t rows = (n + kColumns - 1) / kColumns * kColumns;
  std::vector<double> l(rows * rows, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(i * n), i + 1,
                l.begin() + static_cast<std::ptrdiff_t>(i * rows));
    l[i * rows + i] += shift;
  }
  for (std::size_t i = n; i < rows; ++i) l[i * rows + i] = 1;
  return Factor(l.data(), rows);
}

// A factor's error is, in each element, no more than so many roundings of the product of |L| and
// |L'|, as the longest chain of operations has from a product to the element (Higham, section
// 10.1.1): a quarter of the columns in one of four sums, the sum of these, the columns of the block
// itself, and the root. The eigenvalues of |L| |L'| are not above the trace. So a factor of the
// matrix less this bound shows that it is positive definite, and where there is none of the matrix
// and the bound it is not.
Definite DefiniteByDoubles(std::span<const double> matrix, std::size_t n, double shift) {
  constexpr double kRounding = std::numeric_limits<double>::epsilon() / 2, kLargest = 1e140,
                   kSmallest = 1e-140;
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += std::abs(matrix[i * n + i]) + std::abs(shift);
  if (!(trace < kLargest)) return Definite::kUnclear;
  constexpr double kOthers = static_cast<double>(kColumns) + 8, kOfTheBound = 1.01;
  const double bound =
      kOfTheBound * (static_cast<double>(n) / 4 + kOthers) * kRounding * trace + kSmallest;
  if (HasRoundedCholeskyFactor(matrix, n, shift - bound)) return Definite::kYes;
  return HasRoundedCholeskyFactor(matrix, n, shift + bound) ? Definite::kUnclear : Definite::kNo;
}

}  // namespace sdpa
