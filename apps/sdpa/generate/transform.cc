#include "apps/sdpa/generate/transform.h"

#include <cstddef>
#include <utility>

#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

// All elements of each block, or diagonals.
using Blocks = std::vector<std::vector<double>>;

std::size_t At(int index) { return static_cast<std::size_t>(index); }

// A solution whose X and Y are made by block, and whose x is the same.
template <typename Change>
SolutionValues Blockwise(const SolutionValues& solution, const Change& change) {
  SolutionValues changed = {.x = solution.x, .slack = {}, .dual = {}};
  for (std::size_t l = 0; l < solution.slack.size(); ++l) {
    auto [slack, dual] = change(l, solution.slack[l], solution.dual[l]);
    changed.slack.push_back(std::move(slack));
    changed.dual.push_back(std::move(dual));
  }
  return changed;
}

// L'^-1 A, for a lower triangle L.
std::vector<double> SolveTransposed(const std::vector<double>& lower, std::vector<double> a,
                                    std::size_t n) {
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = i + 1; k < n; ++k) a[i * n + j] -= lower[k * n + i] * a[k * n + j];
      a[i * n + j] /= lower[i * n + i];
    }
  }
  return a;
}

std::vector<double> Transpose(const std::vector<double>& a, std::size_t n) {
  std::vector<double> transpose(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) transpose[j * n + i] = a[i * n + j];
  }
  return transpose;
}

std::vector<double> Times(const std::vector<double>& a, const std::vector<double>& b,
                          std::size_t n) {
  std::vector<double> product(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) product[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return product;
}

}  // namespace

Transformed PermuteConstraints(const Problem& problem, const std::vector<int>& order) {
  Problem permuted = {.blocks = problem.blocks, .costs = {}, .matrices = {problem.matrices[0]}};
  for (const int from : order) {
    permuted.costs.push_back(problem.costs[At(from)]);
    permuted.matrices.push_back(problem.matrices[At(from) + 1]);
  }
  return {std::move(permuted), [order](const SolutionValues& solution) {
            SolutionValues back = solution;
            for (std::size_t i = 0; i < order.size(); ++i) back.x[At(order[i])] = solution.x[i];
            return back;
          }};
}

Transformed PermuteBlocks(const Problem& problem, const std::vector<int>& order) {
  Problem permuted = {.blocks = {}, .costs = problem.costs, .matrices = {}};
  std::vector<int> place(order.size());
  for (std::size_t l = 0; l < order.size(); ++l) {
    permuted.blocks.push_back(problem.blocks[At(order[l])]);
    place[At(order[l])] = static_cast<int>(l);
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    MatrixBuilder builder;
    for (const auto& [block, elements] : matrix) {
      for (const auto [row, column, value] : elements) {
        builder.Add(place[At(block)], row, column, value);
      }
    }
    permuted.matrices.push_back(builder.Build());
  }
  return {std::move(permuted), [order](const SolutionValues& solution) {
            SolutionValues back = solution;
            for (std::size_t l = 0; l < order.size(); ++l) {
              back.slack[At(order[l])] = solution.slack[l];
              back.dual[At(order[l])] = solution.dual[l];
            }
            return back;
          }};
}

Transformed PermuteRows(const Problem& problem, const std::vector<std::vector<int>>& orders) {
  Problem permuted = {.blocks = problem.blocks, .costs = problem.costs, .matrices = {}};
  std::vector<std::vector<int>> places;
  for (const std::vector<int>& order : orders) {
    places.emplace_back(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) {
      places.back()[At(order[row])] = static_cast<int>(row);
    }
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    MatrixBuilder builder;
    for (const auto& [block, elements] : matrix) {
      const std::vector<int>& place = places[At(block)];
      for (const auto [row, column, value] : elements) {
        builder.Add(block, place[At(row)], place[At(column)], value);
      }
    }
    permuted.matrices.push_back(builder.Build());
  }
  const auto back = [blocks = problem.blocks, places](const SolutionValues& solution) {
    const auto change = [&](std::size_t l, const std::vector<double>& from) {
      std::vector<double> to(from.size());
      const std::size_t n = At(blocks[l].size);
      const bool is_diagonal = blocks[l].shape == Shape::kDiagonal;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = At(places[l][i]);
        if (is_diagonal) to[i] = from[row];
        for (std::size_t j = 0; j < (is_diagonal ? 0 : n); ++j) {
          to[i * n + j] = from[row * n + At(places[l][j])];
        }
      }
      return to;
    };
    return Blockwise(solution, [&](std::size_t l, const auto& slack, const auto& dual) {
      return std::pair(change(l, slack), change(l, dual));
    });
  };
  return {std::move(permuted), back};
}

Transformed ScaleConstraints(const Problem& problem, const std::vector<double>& factors) {
  Problem scaled = problem;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    scaled.costs[i] *= factors[i];
    for (auto& [block, elements] : scaled.matrices[i + 1]) {
      for (Element& element : elements) element.value *= factors[i];
    }
  }
  return {std::move(scaled), [factors](const SolutionValues& solution) {
            SolutionValues back = solution;
            for (std::size_t i = 0; i < factors.size(); ++i) back.x[i] *= factors[i];
            return back;
          }};
}

Transformed ScaleConstant(const Problem& problem, double factor) {
  Problem scaled = problem;
  for (auto& [block, elements] : scaled.matrices[0]) {
    for (Element& element : elements) element.value *= factor;
  }
  return {std::move(scaled), [factor](const SolutionValues& solution) {
            SolutionValues back = solution;
            for (double& x : back.x) x /= factor;
            for (std::vector<double>& block : back.slack) {
              for (double& element : block) element /= factor;
            }
            return back;
          }};
}

Transformed ScaleCosts(const Problem& problem, double factor) {
  Problem scaled = problem;
  for (double& cost : scaled.costs) cost *= factor;
  return {std::move(scaled), [factor](const SolutionValues& solution) {
            SolutionValues back = solution;
            for (std::vector<double>& block : back.dual) {
              for (double& element : block) element /= factor;
            }
            return back;
          }};
}

// X becomes S'X S and Y S^-1 Y S'^-1.
Transformed Congruent(const Problem& problem, const Blocks& factors) {
  Problem congruent = {.blocks = problem.blocks, .costs = problem.costs, .matrices = {}};
  for (const SparseMatrix& matrix : problem.matrices) {
    MatrixBuilder builder;
    for (const auto& [block, elements] : matrix) {
      const Block& of = problem.blocks[At(block)];
      const std::vector<double>& s = factors[At(block)];
      const int n = of.size;
      for (const auto [row, column, value] : elements) {
        if (of.shape == Shape::kDiagonal) {
          builder.Add(block, row, row, s[At(row)] * s[At(row)] * value);
          continue;
        }
        // Row i of S times row j of S, where both begin on the diagonal and end at the left.
        for (int a = 0; a <= row; ++a) {
          for (int b = 0; b <= column; ++b) {
            const double product = s[At(row * n + a)] * value * s[At(column * n + b)];
            if (row == column && a > b) continue;
            if (row == column) {
              builder.Add(block, a, b, product);
            } else {
              builder.AddWithTranspose(block, a, b, product);
            }
          }
        }
      }
    }
    congruent.matrices.push_back(builder.Build());
  }
  const auto back = [blocks = problem.blocks, factors](const SolutionValues& solution) {
    return Blockwise(solution, [&](std::size_t l, const auto& slack, const auto& dual) {
      const std::vector<double>& s = factors[l];
      const std::size_t n = At(blocks[l].size);
      std::pair pair(slack, dual);
      if (blocks[l].shape == Shape::kDiagonal) {
        for (std::size_t i = 0; i < n; ++i) {
          pair.first[i] /= s[i] * s[i];
          pair.second[i] *= s[i] * s[i];
        }
        return pair;
      }
      const std::vector<double> left = SolveTransposed(s, slack, n);  // S'^-1 X
      pair.first = SolveTransposed(s, Transpose(left, n), n);
      pair.second = Times(Times(s, dual, n), Transpose(s, n), n);
      return pair;
    });
  };
  return {std::move(congruent), back};
}

Problem OnAFace(const Problem& problem, int block, const std::vector<std::vector<double>>& parts,
                const std::vector<std::vector<double>>& extra) {
  Problem on_face = problem;
  Block& larger = on_face.blocks[At(block)];
  const int before = larger.size, more = static_cast<int>(parts.size()), size = before + more;
  larger.size = size;
  // W, a column for each row that is added: what the row is, less itself.
  const auto normal = [&](int row, int column) -> double {
    if (row < before) return parts[At(column)][At(row)];
    return row == before + column ? -1 : 0;
  };
  const auto add_products = [&](const auto& of_row, MatrixBuilder& builder, bool is_square) {
    for (int column = 0; column < more; ++column) {
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          const double product = normal(i, column) * of_row(j, column);
          if (product == 0) continue;
          if (!is_square) {
            builder.AddWithTranspose(block, i, j, product);
          } else if (i <= j) {
            builder.Add(block, i, j, product);
          }
        }
      }
    }
  };
  for (std::size_t i = 0; i < on_face.matrices.size(); ++i) {
    MatrixBuilder builder;
    for (const auto& [number, elements] : on_face.matrices[i]) {
      for (const auto [row, column, value] : elements) builder.Add(number, row, column, value);
    }
    add_products([&](int row, int column) { return extra[i][At(column * size + row)]; }, builder,
                 false);
    on_face.matrices[i] = builder.Build();
  }
  MatrixBuilder square;
  add_products(normal, square, true);
  on_face.matrices.push_back(square.Build());
  on_face.costs.push_back(0);
  return on_face;
}

Problem WithEquality(const Problem& problem, const std::vector<double>& factors, double constant,
                     const SparseMatrix& matrix, double cost, EqualityForm form) {
  Problem larger = problem;
  const int first = static_cast<int>(problem.blocks.size());
  const bool is_one_block = form == EqualityForm::kRows || form == EqualityForm::kDense;
  const Shape shape = form == EqualityForm::kDense ? Shape::kDense : Shape::kDiagonal;
  for (int block = 0; block < (is_one_block ? 1 : 2); ++block) {
    larger.blocks.push_back({shape, is_one_block ? 2 : 1});
  }
  // The rows that say value >= 0 and value <= 0 of the sum over all matrices.
  const auto add_rows = [&](double value, MatrixBuilder& builder) {
    const double of_below = form == EqualityForm::kFactors ? -3 : -1;
    const int block = is_one_block ? first : first + 1, row = is_one_block ? 1 : 0;
    builder.Add(first, 0, 0, value);
    builder.Add(block, row, row, of_below * value);
  };
  const auto changed = [&](const SparseMatrix& of_problem, double times, double of_rows) {
    MatrixBuilder builder;
    for (const auto& [number, elements] : of_problem) {
      for (const auto [row, column, value] : elements) builder.Add(number, row, column, value);
    }
    for (const auto& [number, elements] : matrix) {
      for (const auto [row, column, value] : elements) {
        builder.Add(number, row, column, times * value);
      }
    }
    add_rows(of_rows, builder);
    return builder.Build();
  };
  larger.matrices[0] = changed(problem.matrices[0], constant, constant);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    larger.matrices[i + 1] = changed(problem.matrices[i + 1], -factors[i], -factors[i]);
    larger.costs[i] -= factors[i] * cost;
  }
  larger.matrices.push_back(changed({}, 1, 1));
  larger.costs.push_back(cost);
  return larger;
}

}  // namespace sdpa
