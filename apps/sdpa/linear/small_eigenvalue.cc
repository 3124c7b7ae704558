#include "apps/sdpa/linear/small_eigenvalue.h"

namespace sdpa {

SmallTridiagonal TridiagonalOf(std::span<double> a, std::size_t n) {
  SmallTridiagonal tridiagonal;
  std::array<double, kMostSmallRows> v, p;
  for (std::size_t k = 0; k < n; ++k) {
    tridiagonal.diagonal[k] = a[k * n + k];
    if (k + 1 == n) break;
    // Column k below the diagonal becomes a multiple of the first unit vector.
    double squares = 0;
    for (std::size_t i = k + 2; i < n; ++i) squares += a[i * n + k] * a[i * n + k];
    const double first = a[(k + 1) * n + k];
    if (squares == 0) {
      tridiagonal.beside[k] = first;
      continue;
    }
    const double length = std::sqrt(squares + first * first);
    const double to = first > 0 ? -length : length;
    tridiagonal.beside[k] = to;
    v[k + 1] = first - to;
    for (std::size_t i = k + 2; i < n; ++i) v[i] = a[i * n + k];
    const double factor = 2 / (squares + v[k + 1] * v[k + 1]);
    // A - v w' - w v', where w = p - (factor p.v / 2) v and p = factor A v.
    double along = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = k + 1; j <= i; ++j) sum += a[i * n + j] * v[j];
      for (std::size_t j = i + 1; j < n; ++j) sum += a[j * n + i] * v[j];
      p[i] = factor * sum;
      along += p[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= factor / 2 * along * v[i];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
  }
  return tridiagonal;
}

}  // namespace sdpa
