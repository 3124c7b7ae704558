#include "apps/sdpa/reduce/face.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "apps/sdpa/matrix_builder.h"
#include "apps/sdpa/reduce/semidefinite.h"

namespace sdpa {
namespace {

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
  Face::Rows rows;
  std::vector<int> place(n, -1);
  for (int row = 0; row < size; ++row) {
    if (std::find(pivots.begin(), pivots.end(), row) != pivots.end()) continue;
    place[static_cast<std::size_t>(row)] = static_cast<int>(rows.kept.size());
    rows.kept.push_back(row);
  }
  rows.parts.resize(n);
  for (const int row : rows.kept) {
    rows.parts[static_cast<std::size_t>(row)] = {{place[static_cast<std::size_t>(row)], 1}};
  }
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    std::vector<Face::Part>& parts = rows.parts[static_cast<std::size_t>(pivots[i])];
    for (const int row : rows.kept) {
      const double factor = -normals[i][static_cast<std::size_t>(row)];
      if (factor != 0) parts.push_back({place[static_cast<std::size_t>(row)], factor});
    }
  }
  return rows;
}

// V' matrix V.
SparseMatrix OnTheFace(const SparseMatrix& matrix, const std::vector<Face::Rows>& rows) {
  SparseMatrix on_face;
  for (const auto& [block, elements] : matrix) {
    const Face::Rows& of_block = rows[static_cast<std::size_t>(block)];
    if (of_block.block < 0) continue;
    MatrixBuilder sum;
    for (const auto [row, column, value] : elements) {
      const auto& left = of_block.parts[static_cast<std::size_t>(row)];
      const auto& right = of_block.parts[static_cast<std::size_t>(column)];
      for (const Face::Part& one : left) {
        for (const Face::Part& other : right) {
          const double product = value * one.factor * other.factor;
          if (row == column) {
            // Each pair comes in both orders.
            if (one.row <= other.row) sum.Add(of_block.block, one.row, other.row, product);
          } else {
            sum.AddWithTranspose(of_block.block, one.row, other.row, product);
          }
        }
      }
    }
    for (BlockElements& built : sum.Build()) on_face.push_back(std::move(built));
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
  // By block: the vectors that Y is orthogonal to.
  std::map<int, std::vector<std::vector<double>>> normals;
  std::vector<Gone> semidefinite;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (problem.costs[i] != 0) continue;
    const auto range = RangeIfSemidefinite(problem.matrices[i + 1], problem.blocks);
    if (!range) continue;
    for (const auto& [block, vectors] : range->vectors) {
      auto& of_block = normals[block];
      of_block.insert(of_block.end(), vectors.begin(), vectors.end());
    }
    semidefinite.push_back({i, range->sign});
  }
  if (normals.empty()) return std::nullopt;

  Face face;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Block& block = problem.blocks[l];
    const auto found = normals.find(static_cast<int>(l));
    Rows rows = RowsWithout(
        found == normals.end() ? std::vector<std::vector<double>>() : std::move(found->second),
        block.size);
    const int size = static_cast<int>(rows.kept.size());
    if (size > 0) {
      rows.block = static_cast<int>(face.reduced_.blocks.size());
      face.reduced_.blocks.push_back(block.shape == Shape::kDense ? BlockOfRows(size)
                                                                  : Block{block.shape, size});
    }
    face.rows_.push_back(std::move(rows));
  }
  if (face.reduced_.blocks.empty()) return std::nullopt;
  double work = 0;
  for (const SparseMatrix& matrix : problem.matrices) work += WorkOf(matrix, face.rows_);
  constexpr double kMostWork = 2e7;  // some seconds, and some hundred MB of elements
  if (work > kMostWork) return std::nullopt;

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
