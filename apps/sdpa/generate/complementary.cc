#include "apps/sdpa/generate/complementary.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

// All elements of a dense block, or a diagonal.
using Elements = std::vector<double>;

// The rows of a block that are not empty, and the rank of X in them.
int FullRows(const ComplementaryOptions& options, std::size_t block) {
  return options.blocks[block].size - (block == 0 ? options.empty : 0);
}
int RankOfX(int rows) { return rows / 2; }

// A block's X and Y.
std::pair<Elements, Elements> Pair(const Block& block, int rows, Random& random) {
  const int n = block.size, rank = RankOfX(rows);
  const std::vector<int> order = random.Order(rows);
  if (block.shape == Shape::kDiagonal) {
    Elements x(static_cast<std::size_t>(n), 0), y = x;
    for (int i = 0; i < n; ++i) {
      const bool is_empty = i >= rows;
      const auto at = static_cast<std::size_t>(is_empty ? i : order[static_cast<std::size_t>(i)]);
      (is_empty || i < rank ? x : y)[at] = random.Positive();
    }
    return {x, y};
  }
  const auto size = static_cast<std::size_t>(n), r = static_cast<std::size_t>(rank),
             rest = static_cast<std::size_t>(rows) - r;
  std::vector<double> g(rest * r);
  for (double& element : g) element = random.Fraction(8);
  // A row of V or W after the other.
  std::vector<double> v(size * r, 0), w(size * rest, 0);
  for (std::size_t i = 0; i < r + rest; ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    if (i < r) v[row * r + i] = 1;
    if (i >= r) w[row * rest + i - r] = 1;
    for (std::size_t j = 0; j < (i < r ? rest : r); ++j) {
      (i < r ? w[row * rest + j] : v[row * r + j]) = i < r ? -g[j * r + i] : g[(i - r) * r + j];
    }
  }
  const auto square = [size](const std::vector<double>& factor, std::size_t columns) {
    Elements all(size * size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < columns; ++k) {
          sum += factor[i * columns + k] * factor[j * columns + k];
        }
        all[i * size + j] = all[j * size + i] = sum;
      }
    }
    return all;
  };
  Elements x = square(v, r);
  for (auto i = static_cast<std::size_t>(rows); i < size; ++i) x[i * size + i] = random.Positive();
  return {std::move(x), square(w, rest)};
}

void AddRandom(const ComplementaryOptions& options, int block, Random& random,
               MatrixBuilder& matrix) {
  const Block& of = options.blocks[static_cast<std::size_t>(block)];
  const int rows = FullRows(options, static_cast<std::size_t>(block));
  if (rows == 0) return;
  if (of.shape == Shape::kDiagonal || options.kind == Kind::kSparse) {
    for (int i = 0; i < options.elements; ++i) {
      const int row = random.Below(rows),
                column = of.shape == Shape::kDiagonal ? row : random.Below(rows);
      matrix.Add(block, row, column, random.NonZero());
    }
    return;
  }
  std::vector<std::pair<int, double>> vector;
  std::vector<int> order = random.Order(rows);
  order.resize(static_cast<std::size_t>(std::min(rows, options.elements)));
  for (const int row : order) vector.emplace_back(row, random.NonZero(8));
  for (const auto& [row, value] : vector) {
    for (const auto& [column, other] : vector) {
      if (row <= column) matrix.Add(block, row, column, value * other);
    }
  }
}

double Dot(const SparseMatrix& matrix, const std::vector<Block>& blocks,
           const std::vector<Elements>& other) {
  double sum = 0;
  for (const auto& [block, elements] : matrix) {
    const auto l = static_cast<std::size_t>(block);
    const auto size = static_cast<std::size_t>(blocks[l].size);
    for (const auto [row, column, value] : elements) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      const bool is_diagonal = blocks[l].shape == Shape::kDiagonal;
      sum += (row == column ? 1 : 2) * value * other[l][is_diagonal ? i : i * size + j];
    }
  }
  return sum;
}

}  // namespace

int MostConstraints(const ComplementaryOptions& options) {
  int most = 0;
  for (std::size_t block = 0; block < options.blocks.size(); ++block) {
    const int rows = FullRows(options, block), rank = RankOfX(rows);
    most += options.blocks[block].shape == Shape::kDiagonal
                ? rows - rank
                : rows * (rows + 1) / 2 - rank * (rank + 1) / 2;
  }
  return most;
}

Generated Complementary(const ComplementaryOptions& options) {
  Random random(options.seed);
  Generated generated;
  generated.problem.blocks = options.blocks;
  SolutionValues solution;
  for (std::size_t block = 0; block < options.blocks.size(); ++block) {
    auto [x, y] = Pair(options.blocks[block], FullRows(options, block), random);
    solution.slack.push_back(std::move(x));
    solution.dual.push_back(std::move(y));
  }

  const int blocks = static_cast<int>(options.blocks.size());
  std::vector<SparseMatrix>& matrices = generated.problem.matrices;
  matrices.resize(1);
  // The constraints are spread evenly over the blocks in this order: too many constraints in one
  // block would leave its Y no choice.
  const std::vector<int> order = random.Order(blocks);
  MatrixBuilder constant;
  double value = 0;
  for (int i = 1; i <= options.constraints; ++i) {
    MatrixBuilder builder;
    if (i == 1) {
      for (int block = 0; block < blocks; ++block) {
        const int rows = FullRows(options, static_cast<std::size_t>(block));
        for (int row = 0; row < rows; ++row) builder.Add(block, row, row, 1);
      }
    } else if (options.touched == 0) {
      for (int block = 0; block < blocks; ++block) AddRandom(options, block, random, builder);
    } else {
      const auto start = static_cast<std::size_t>(i) * order.size() /
                         static_cast<std::size_t>(options.constraints);
      for (int k = 0; k < options.touched; ++k) {
        AddRandom(options, order[(start + static_cast<std::size_t>(k)) % order.size()], random,
                  builder);
      }
    }
    matrices.push_back(builder.Build());
    const double x = random.Fraction(8);
    solution.x.push_back(x);
    generated.problem.costs.push_back(Dot(matrices.back(), options.blocks, solution.dual));
    value += x * generated.problem.costs.back();
    for (const auto& [block, elements] : matrices.back()) {
      for (const auto [row, column, element] : elements)
        constant.Add(block, row, column, x * element);
    }
  }
  for (int block = 0; block < blocks; ++block) {
    const auto l = static_cast<std::size_t>(block);
    const int size = options.blocks[l].size;
    const bool is_dense = options.blocks[l].shape == Shape::kDense;
    for (int row = 0; row < size; ++row) {
      for (int column = row; column < (is_dense ? size : row + 1); ++column) {
        const auto at = static_cast<std::size_t>(is_dense ? row * size + column : row);
        constant.Add(block, row, column, -solution.slack[l][at]);
      }
    }
  }
  matrices[0] = constant.Build();
  generated.value = value;
  generated.known = std::move(solution);
  return generated;
}

}  // namespace sdpa
