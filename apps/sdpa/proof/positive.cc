#include "apps/sdpa/proof/positive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "apps/sdpa/proof/definite.h"
#include "apps/sdpa/proof/exact.h"

namespace sdpa {
namespace {

using Long = long double;

// By doubles where they can tell, as they mostly can; of a few rows they are not faster.
bool HasCholeskyFactor(std::span<const double> matrix, std::size_t n, Long shift) {
  constexpr std::size_t kFew = 16;
  if (n <= kFew) return ExactCholesky(matrix, n, shift).has_value();
  const Definite definite = DefiniteByDoubles(matrix, n, static_cast<double>(shift));
  if (definite != Definite::kUnclear) return definite == Definite::kYes;
  return ExactCholesky(matrix, n, shift).has_value();
}

}  // namespace

bool IsPositive(std::span<const double> matrix, const Block& block, Long least) {
  if (block.shape == Shape::kDiagonal) {
    return *std::min_element(matrix.begin(), matrix.end()) > least;
  }
  Long size = 0;
  for (const double element : matrix) size = std::max(size, std::abs(static_cast<Long>(element)));
  const auto n = static_cast<std::size_t>(block.size);
  return std::isfinite(size) &&
         HasCholeskyFactor(matrix, n, -(least + 1e-18L * static_cast<Long>(n * n) * size));
}

long double ShiftToPositive(std::span<const double> matrix, const Block& block) {
  for (const double element : matrix) {
    if (!std::isfinite(element)) return std::numeric_limits<Long>::infinity();
  }
  if (block.shape == Shape::kDiagonal) {
    return std::max(0.0, -*std::min_element(matrix.begin(), matrix.end()));
  }
  const auto n = static_cast<std::size_t>(block.size);
  if (HasCholeskyFactor(matrix, n, 0)) return 0;
  Long size = 0;
  for (const double element : matrix) size = std::max(size, std::abs(static_cast<Long>(element)));
  if (size == 0) return 0;
  // n times the largest element is above all eigenvalues.
  int too_small = -1, enough = 0;
  const auto of = [&](int exponent) { return std::ldexp(1e-18L * size, exponent); };
  while (of(enough) <= static_cast<Long>(2 * n) * size) ++enough;
  const int most = enough;
  while (enough - too_small > 1) {
    const int middle = (too_small + enough) / 2;
    (HasRoundedCholeskyFactor(matrix, n, static_cast<double>(of(middle))) ? enough : too_small) =
        middle;
  }
  while (enough > 0 && HasCholeskyFactor(matrix, n, of(enough - 1))) --enough;
  while (enough < most && !HasCholeskyFactor(matrix, n, of(enough))) ++enough;
  return of(enough);
}

}  // namespace sdpa
