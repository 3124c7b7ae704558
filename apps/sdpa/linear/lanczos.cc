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

}  // namespace

LeastPair LeastOfTridiagonal(std::span<const double> diagonal, std::span<const double> beside) {
  const std::size_t n = diagonal.size();
  double low = diagonal[0], high = diagonal[0];  // Gershgorin's; no diagonal element is below all
  double size = 1e-100;                          // of all eigenvalues, and not 0
  for (std::size_t i = 0; i < n; ++i) {
    const double radius =
        (i > 0 ? std::abs(beside[i - 1]) : 0) + (i + 1 < n ? std::abs(beside[i]) : 0);
    low = std::min(low, diagonal[i] - radius);
    high = std::min(high, diagonal[i]);
    size = std::max(size, std::abs(diagonal[i]) + radius);
  }
  // To the last bits that matter: the bound's error is a hundredth.
  while (high - low > std::max(1e-9 * std::max(std::abs(low), std::abs(high)), 1e-15 * size)) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (HasBelow(diagonal, beside, middle) ? high : low) = middle;
  }
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
