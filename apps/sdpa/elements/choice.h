// Which formula is the cheapest for a column of the Schur complement's matrix. Pure.
//
// Source: as formulas.h.
#pragma once

#include <cstddef>

namespace sdpa {

enum class Formula { kF1, kF2, kF3 };

// A value: multiplications that a column takes, by formula; those in which elements are picked out
// of a dense matrix count kappa times, as they wait for memory.
struct FormulaCosts {
  static constexpr double kKappa = 7;

  double f1 = 0, f2 = 0, f3 = 0;

  Formula cheapest() const {
    if (f1 <= f2 && f1 <= f3) return Formula::kF1;
    return f2 <= f3 ? Formula::kF2 : Formula::kF3;
  }
};

// Of a column j in a block of n rows, whose F_j has f_j elements that are not zero, and the F_i of
// all rows i of the column together f_i.
inline FormulaCosts CostsOf(std::size_t n, std::size_t f_j, std::size_t f_i) {
  constexpr double kKappa = FormulaCosts::kKappa;
  const auto rows = static_cast<double>(n), of_j = static_cast<double>(f_j),
             of_i = static_cast<double>(f_i);
  return {.f1 = kKappa * rows * of_j + rows * rows * rows + kKappa * of_i,
          .f2 = kKappa * rows * of_j + kKappa * (rows + 1) * of_i,
          .f3 = (2 * kKappa * of_j + 1) * of_i};
}

}  // namespace sdpa
