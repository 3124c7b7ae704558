#include "apps/sdpa/linear/lanczos.h"

namespace sdpa {
namespace {

// Is an eigenvalue below x? Sylvester's law: is a pivot of the matrix less x I negative?
bool HasBelow(std::span<const double> diagonal, std::span<const double> beside, double x) {
  double pivot = diagonal[0] - x;
  for (std::size_t i = 1; i < diagonal.size(); ++i) {
    if (!(pivot > 0)) return true;
    pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
  }
  return !(pivot > 0);
}

// A value: between `low` and `high` is the least eigenvalue, and none is larger than `size`.
struct Bounds {
  double low = 0, high = 0;
  double size = 1e-100;  // not 0
};

// Gershgorin's; no diagonal element is below all eigenvalues.
Bounds BoundsOf(std::span<const double> diagonal, std::span<const double> beside) {
  Bounds bounds = {.low = diagonal[0], .high = diagonal[0]};
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double radius =
        (i > 0 ? std::abs(beside[i - 1]) : 0) + (i + 1 < diagonal.size() ? std::abs(beside[i]) : 0);
    bounds.low = std::min(bounds.low, diagonal[i] - radius);
    bounds.high = std::min(bounds.high, diagonal[i]);
    bounds.size = std::max(bounds.size, std::abs(diagonal[i]) + radius);
  }
  return bounds;
}

// Halves what is between the bounds.
bool Halve(std::span<const double> diagonal, std::span<const double> beside, Bounds& bounds) {
  const double middle = bounds.low + (bounds.high - bounds.low) / 2;
  if (middle <= bounds.low || middle >= bounds.high) return false;
  (HasBelow(diagonal, beside, middle) ? bounds.high : bounds.low) = middle;
  return true;
}

}  // namespace

double BelowLeastOfTridiagonal(std::span<const double> diagonal, std::span<const double> beside,
                               double error) {
  Bounds bounds = BoundsOf(diagonal, beside);
  while (bounds.high - bounds.low > error * std::max(1.0, std::abs(bounds.high))) {
    if (!Halve(diagonal, beside, bounds)) break;
  }
  return bounds.low;
}

LeastPair LeastOfTridiagonal(std::span<const double> diagonal, std::span<const double> beside) {
  const std::size_t n = diagonal.size();
  Bounds bounds = BoundsOf(diagonal, beside);
  const double size = bounds.size;
  // To the last bits that matter: the bound's error is a hundredth.
  while (bounds.high - bounds.low >
         std::max(1e-9 * std::max(std::abs(bounds.low), std::abs(bounds.high)), 1e-15 * size)) {
    if (!Halve(diagonal, beside, bounds)) break;
  }
  const double low = bounds.low;
  // Two steps of inverse iteration, of a matrix that is positive definite: `low` is below.
  std::vector<double> vector(n, 1), pivots(n);
  const double shift = low - 1e-12 * size;
  for (int step = 0; step < 2; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      pivots[i] = diagonal[i] - shift;
      if (i == 0) continue;
      const double factor = beside[i - 1] / pivots[i - 1];
      pivots[i] -= factor * beside[i - 1];
      vector[i] -= factor * vector[i - 1];
    }
    double squares = 0;
    for (std::size_t i = n; i-- > 0;) {
      if (i + 1 < n) vector[i] -= beside[i] * vector[i + 1];
      vector[i] /= pivots[i];
      squares += vector[i] * vector[i];
    }
    for (double& component : vector) component /= std::sqrt(squares);
  }
  return {low, std::abs(vector[n - 1])};
}

}  // namespace sdpa
