#include "apps/sdpa/reduce/face.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/reduce/semidefinite.h"

namespace sdpa {
namespace {

// All rows but these, which are 0 in each Y.
Face::Rows RowsBut(const std::vector<int>& gone, int size) {
  Face::Rows rows;
  std::vector<bool> is_gone(static_cast<std::size_t>(size), false);
  for (const int row : gone) is_gone[static_cast<std::size_t>(row)] = true;
  rows.parts.resize(is_gone.size());
  for (int row = 0; row < size; ++row) {
    if (is_gone[static_cast<std::size_t>(row)]) continue;
    rows.parts[static_cast<std::size_t>(row)] = {{static_cast<int>(rows.kept.size()), 1}};
    rows.kept.push_back(row);
  }
  return rows;
}

// A row less for each of `normals`, independent vectors that are orthogonal to Y: by elimination
// with complete pivoting, so that V is well conditioned.
Face::Rows RowsWithout(std::vector<std::vector<double>> normals, int size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> pivots;  // the row of the block that each vector takes away
  double largest = 0;
  for (const auto& normal : normals) {
    for (const double element : normal) largest = std::max(largest, std::abs(element));
  }
  constexpr double kDependent = 1e-10;
  for (std::size_t next = 0; next < normals.size(); ++next) {
    std::size_t of_vector = next, of_row = 0;
    double most = 0;
    for (std::size_t i = next; i < normals.size(); ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (std::abs(normals[i][j]) > most) {
          most = std::abs(normals[i][j]);
          of_vector = i;
          of_row = j;
        }
      }
    }
    if (most <= kDependent * largest) break;  // the rest follows from the ones before
    std::swap(normals[next], normals[of_vector]);
    std::vector<double>& pivot = normals[next];
    const double value = pivot[of_row];
    for (double& element : pivot) element /= value;
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double factor = normals[i][of_row];
      if (i == next || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) normals[i][j] -= factor * pivot[j];
      normals[i][of_row] = 0;
    }
    pivots.push_back(static_cast<int>(of_row));
  }
  Face::Rows rows = RowsBut(pivots, size);
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    std::vector<Face::Part>& parts = rows.parts[static_cast<std::size_t>(pivots[i])];
    for (const int row : rows.kept) {
      const double factor = -normals[i][static_cast<std::size_t>(row)];
      if (factor != 0) parts.push_back({rows.parts[static_cast<std::size_t>(row)][0].row, factor});
    }
  }
  return rows;
}

// Elements that are sums whose terms cancel, but for roundings.
void DropRoundings(const std::vector<Element>& sizes, std::vector<Element>& elements) {
  constexpr double kRounding = 1e-14;
  auto size = sizes.begin();
  std::erase_if(elements, [&](const Element& element) {
    // Where an element is, its size is.
    while (size->row != element.row || size->column != element.column) ++size;
    return std::abs(element.value) <= kRounding * size->value;
  });
}

// V' matrix V.
SparseMatrix OnTheFace(const SparseMatrix& matrix, const std::vector<Face::Rows>& rows) {
  SparseMatrix on_face;
  for (const auto& [block, elements] : matrix) {
    const Face::Rows& of_block = rows[static_cast<std::size_t>(block)];
    if (of_block.block < 0) continue;
    MatrixBuilder sum, sizes;
    for (const auto [row, column, value] : elements) {
      const auto& left = of_block.parts[static_cast<std::size_t>(row)];
      const auto& right = of_block.parts[static_cast<std::size_t>(column)];
      for (const Face::Part& one : left) {
        for (const Face::Part& other : right) {
          const double product = value * one.factor * other.factor;
          if (row != column) {
            sum.AddWithTranspose(of_block.block, one.row, other.row, product);
            sizes.AddWithTranspose(of_block.block, one.row, other.row, std::abs(product));
          } else if (one.row <= other.row) {  // each pair comes in both orders
            sum.Add(of_block.block, one.row, other.row, product);
            sizes.Add(of_block.block, one.row, other.row, std::abs(product));
          }
        }
      }
    }
    for (BlockElements& built : sum.Build()) {
      DropRoundings(sizes.Build()[0].elements, built.elements);
      if (!built.elements.empty()) on_face.push_back(std::move(built));
    }
  }
  return on_face;
}

// How many products OnTheFace computes.
double WorkOf(const SparseMatrix& matrix, const std::vector<Face::Rows>& rows) {
  double products = 0;
  for (const auto& [block, elements] : matrix) {
    const Face::Rows& of_block = rows[static_cast<std::size_t>(block)];
    for (const auto [row, column, value] : elements) {
      products += static_cast<double>(of_block.parts[static_cast<std::size_t>(row)].size()) *
                  static_cast<double>(of_block.parts[static_cast<std::size_t>(column)].size());
    }
  }
  return products;
}

}  // namespace

std::optional<Face> Face::Of(const Problem& problem) {
  // By dense block the vectors that Y is orthogonal to, and by diagonal block the rows that are 0.
  std::map<int, std::vector<std::vector<double>>> normals;
  std::map<int, std::vector<int>> zeros;
  std::vector<Gone> semidefinite;
  constexpr double kMostWork = 1e9;  // products: about a second
  double work = kMostWork;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (problem.costs[i] != 0) continue;
    const auto range = RangeIfSemidefinite(problem.matrices[i + 1], problem.blocks, work);
    if (!range) continue;
    // The elimination of its vectors and the ones before.
    double products = 0;
    for (const auto& [block, vectors] : range->vectors) {
      const auto count = static_cast<double>(normals[block].size() + vectors.size());
      products += count * count * problem.blocks[static_cast<std::size_t>(block)].size;
    }
    if (products > work) continue;
    work -= products;
    for (const auto& [block, vectors] : range->vectors) {
      auto& of_block = normals[block];
      of_block.insert(of_block.end(), vectors.begin(), vectors.end());
    }
    for (const auto& [block, rows] : range->rows) {
      auto& of_block = zeros[block];
      of_block.insert(of_block.end(), rows.begin(), rows.end());
    }
    semidefinite.push_back({i, range->sign});
  }
  if (semidefinite.empty()) return std::nullopt;

  Face face;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Block& block = problem.blocks[l];
    const int number = static_cast<int>(l);
    Rows rows = block.shape == Shape::kDense ? RowsWithout(std::move(normals[number]), block.size)
                                             : RowsBut(zeros[number], block.size);
    const int size = static_cast<int>(rows.kept.size());
    if (size > 0) {
      rows.block = static_cast<int>(face.reduced_.blocks.size());
      face.reduced_.blocks.push_back(block.shape == Shape::kDense ? BlockOfRows(size)
                                                                  : Block{block.shape, size});
    }
    face.rows_.push_back(std::move(rows));
  }
  if (face.reduced_.blocks.empty()) return std::nullopt;
  double products = 0;
  for (const SparseMatrix& matrix : problem.matrices) products += WorkOf(matrix, face.rows_);
  constexpr double kMostProducts = 2e7;  // some seconds, and some hundred MB of elements
  if (products > kMostProducts) return std::nullopt;

  face.reduced_.matrices.push_back(OnTheFace(problem.matrices[0], face.rows_));
  auto next = semidefinite.begin();
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const bool is_semidefinite = next != semidefinite.end() && next->constraint == i;
    if (is_semidefinite) {
      face.gone_.push_back(*next++);
      continue;
    }
    SparseMatrix matrix = OnTheFace(problem.matrices[i + 1], face.rows_);
    if (matrix.empty() && problem.costs[i] == 0) {
      face.gone_.push_back({i, 0});
      continue;
    }
    face.kept_.push_back(i);
    face.reduced_.costs.push_back(problem.costs[i]);
    face.reduced_.matrices.push_back(std::move(matrix));
  }
  // Without a constraint there is no method.
  if (face.kept_.empty()) return std::nullopt;
  return face;
}

}  // namespace sdpa
