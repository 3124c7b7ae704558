// The BLAS of pairs of doubles (blas.h): by the functions of pair_functions.h, which want their
// numbers in another order.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/linear/pair_functions.h"
#include "apps/sdpa/linear/quads.h"

namespace sdpa {
namespace {

constexpr std::size_t kQuad = 2 * kLanes;

std::size_t Product(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

void SetLane(double* quads, std::size_t number, std::size_t lane, const DoubleDouble& value) {
  quads[number * kQuad + lane] = value.high();
  quads[number * kQuad + kLanes + lane] = value.low();
}

DoubleDouble LaneOf(const double* quads, std::size_t number, std::size_t lane) {
  return DoubleDouble(quads[number * kQuad + lane]) + quads[number * kQuad + kLanes + lane];
}

// Calls body(column, lane) for the columns of a quad.
template <typename Body>
void ForEachLane(int begin, int columns, const Body& body) {
  for (int column = begin; column < std::min(columns, begin + kLanes); ++column) {
    body(column, static_cast<std::size_t>(column - begin));
  }
}

// alpha op(a), row by row.
std::vector<double> PairsOf(double alpha, Matrix<const DoubleDouble> a, Op op) {
  const bool is_plain = op == Op::kPlain;
  const int rows = is_plain ? a.rows : a.columns, columns = is_plain ? a.columns : a.rows;
  std::vector<double> pairs(2 * Product(rows, columns));
  double* next = pairs.data();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const DoubleDouble value = alpha * (is_plain ? a.at(i, j) : a.at(j, i));
      *next++ = value.high();
      *next++ = value.low();
    }
  }
  return pairs;
}

// Of so few products that to order them takes as long.
bool IsSmall(int rows, int columns, int depth) {
  return columns < kLanes || Product(rows, columns) * static_cast<std::size_t>(depth) < 512;
}

// b = L^-1 b, or, where `is_backward`, b = L'^-1 b: as the first one with all rows in the other
// order.
void SolveColumns(Matrix<const DoubleDouble> l, bool is_backward, Matrix<DoubleDouble> b) {
  const int n = l.rows, quads = (b.columns + kLanes - 1) / kLanes;
  const auto row_of = [&](int row) { return is_backward ? n - 1 - row : row; };
  std::vector<double> lower(2 * Product(n, n)), columns(kQuad * Product(n, quads));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const DoubleDouble value = is_backward ? l.at(row_of(j), row_of(i)) : l.at(i, j);
      lower[2 * (Product(i, n) + static_cast<std::size_t>(j))] = value.high();
      lower[2 * (Product(i, n) + static_cast<std::size_t>(j)) + 1] = value.low();
    }
  }
  const auto quad_of = [&](int column, int row) {
    return Product(column / kLanes, n) + static_cast<std::size_t>(row);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      SetLane(columns.data(), quad_of(j, i), static_cast<std::size_t>(j % kLanes),
              b.at(row_of(i), j));
    }
  }
  PairFunctionsHere().solve_lower(lower.data(), n, quads, columns.data());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      b.at(row_of(i), j) =
          LaneOf(columns.data(), quad_of(j, i), static_cast<std::size_t>(j % kLanes));
    }
  }
}

}  // namespace

bool FactorCholesky(Matrix<DoubleDouble> a) {
  constexpr int kWidth = 16;
  for (int k = 0; k < a.rows; k += kWidth) {
    const int width = std::min(kWidth, a.rows - k), next = k + width, rest = a.rows - next;
    const Matrix<DoubleDouble> diagonal = a.part(k, k, width, width);
    if (!FactorCholesky<DoubleDouble>(diagonal)) return false;
    if (rest == 0) break;
    SolveRightTransposed(Matrix<const DoubleDouble>(diagonal), a.part(next, k, rest, width));
    const auto multiply = [&](int row, int rows, int column, Matrix<DoubleDouble> changed) {
      Multiply(-1, Matrix<const DoubleDouble>(a.part(row, k, rows, width)), Op::kPlain,
               Matrix<const DoubleDouble>(a.part(column, k, changed.columns, width)),
               Op::kTransposed, 1, changed);
    };
    for (int row = next; row < a.rows; row += kWidth) {
      const int rows = std::min(kWidth, a.rows - row);
      if (row > next) multiply(row, rows, next, a.part(row, next, rows, row - next));
      // The elements above the diagonal stay as they are.
      std::array<DoubleDouble, static_cast<std::size_t>(kWidth) * kWidth> square;
      const Matrix<DoubleDouble> copy = {square.data(), rows, rows, kWidth};
      for (int i = 0; i < rows; ++i) std::copy_n(a.row(row + i) + row, rows, copy.row(i));
      multiply(row, rows, row, copy);
      for (int i = 0; i < rows; ++i) std::copy_n(copy.row(i), i + 1, a.row(row + i) + row);
    }
  }
  return true;
}

void Multiply(double alpha, Matrix<const DoubleDouble> a, Op of_a, Matrix<const DoubleDouble> b,
              Op of_b, double beta, Matrix<DoubleDouble> c) {
  const int depth = of_a == Op::kPlain ? a.columns : a.rows;
  if (IsSmall(c.rows, c.columns, depth)) {
    Multiply<DoubleDouble>(alpha, a, of_a, b, of_b, beta, c);
    return;
  }
  const std::vector<double> factors = PairsOf(alpha, a, of_a);
  std::vector<double> others(kQuad * static_cast<std::size_t>(depth)),
      sums(kQuad * static_cast<std::size_t>(c.rows));
  for (int begin = 0; begin < c.columns; begin += kLanes) {
    ForEachLane(begin, c.columns, [&](int column, std::size_t lane) {
      for (int k = 0; k < depth; ++k) {
        SetLane(others.data(), static_cast<std::size_t>(k), lane,
                of_b == Op::kPlain ? b.at(k, column) : b.at(column, k));
      }
      for (int i = 0; i < c.rows; ++i) {
        SetLane(sums.data(), static_cast<std::size_t>(i), lane,
                beta == 0 ? DoubleDouble(0) : beta * c.at(i, column));
      }
    });
    PairFunctionsHere().multiply_add(factors.data(), others.data(), c.rows, depth, sums.data());
    ForEachLane(begin, c.columns, [&](int column, std::size_t lane) {
      for (int i = 0; i < c.rows; ++i) {
        c.at(i, column) = LaneOf(sums.data(), static_cast<std::size_t>(i), lane);
      }
    });
  }
}

void SolveLeft(Matrix<const DoubleDouble> l, Op of_l, Matrix<DoubleDouble> b) {
  if (IsSmall(b.rows, b.columns, b.rows)) {
    SolveLeft<DoubleDouble>(l, of_l, b);
  } else {
    SolveColumns(l, of_l == Op::kTransposed, b);
  }
}

// b' = L^-1 b'.
void SolveRightTransposed(Matrix<const DoubleDouble> l, Matrix<DoubleDouble> b) {
  if (IsSmall(b.columns, b.rows, b.columns)) {
    SolveRightTransposed<DoubleDouble>(l, b);
    return;
  }
  std::vector<DoubleDouble> elements(Product(b.rows, b.columns));
  const Matrix<DoubleDouble> transposed = {elements.data(), b.columns, b.rows, b.rows};
  for (int i = 0; i < b.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) transposed.at(j, i) = b.at(i, j);
  }
  SolveColumns(l, false, transposed);
  for (int i = 0; i < b.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) b.at(i, j) = transposed.at(j, i);
  }
}

}  // namespace sdpa
