#include "apps/sdpa/reduce/arrows.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "apps/sdpa/linear/block_matrix.h"

namespace sdpa {
namespace {

// Below this one block costs less than the variables between many.
constexpr int kLeastRows = 50;

// The row that all elements off the diagonal share, by block: -1 where there is none.
std::vector<int> CornersOf(const Problem& problem) {
  constexpr int kUnknown = -2, kNone = -1;
  std::vector<int> corners;
  // One element off the diagonal leaves two rows to choose from.
  std::vector<std::pair<int, int>> candidates(problem.blocks.size(), {kUnknown, kUnknown});
  for (const auto& [shape, size] : problem.blocks) {
    corners.push_back(shape == Shape::kDense && size >= kLeastRows ? kUnknown : kNone);
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const auto& [number, elements] : matrix) {
      const auto l = static_cast<std::size_t>(number);
      if (corners[l] == kNone) continue;
      auto& [one, other] = candidates[l];
      for (const auto& [row, column, value] : elements) {
        if (row == column) continue;
        if (one == kUnknown) {
          one = row;
          other = column;
          continue;
        }
        if (other != row && other != column) other = kNone;
        if (one != row && one != column) one = std::exchange(other, kNone);
        if (one == kNone) {
          corners[l] = kNone;
          break;
        }
      }
    }
  }
  for (std::size_t l = 0; l < corners.size(); ++l) {
    // A block without elements off the diagonal is no arrow.
    if (corners[l] == kUnknown) corners[l] = std::max(candidates[l].first, kNone);
  }
  return corners;
}

// The reduced block, after the first, in which a row of an arrow is.
std::size_t BlockOf(int row, int corner) {
  return static_cast<std::size_t>(row < corner ? row : row - 1);
}

SparseMatrix Reduced(const SparseMatrix& matrix, const std::vector<Arrows::Part>& parts) {
  SparseMatrix reduced;
  for (const auto& [number, elements] : matrix) {
    const Arrows::Part& part = parts[static_cast<std::size_t>(number)];
    const auto first = static_cast<int>(part.first);
    if (part.corner < 0) {
      reduced.push_back({first, elements});
      continue;
    }
    std::map<int, std::vector<Element>> by_block;
    for (const auto& [row, column, value] : elements) {
      const bool is_row = row == part.corner, is_column = column == part.corner;
      if (is_row && is_column) {
        by_block[0].push_back({0, 0, value});
      } else if (row == column) {
        by_block[static_cast<int>(BlockOf(row, part.corner))].push_back({1, 1, value});
      } else {
        by_block[static_cast<int>(BlockOf(is_row ? column : row, part.corner))].push_back(
            {0, 1, value});
      }
    }
    for (auto& [block, of_block] : by_block) {
      std::sort(of_block.begin(), of_block.end(), [](const Element& a, const Element& b) {
        return std::pair(a.row, a.column) < std::pair(b.row, b.column);
      });
      reduced.push_back({first + block, std::move(of_block)});
    }
  }
  return reduced;
}

// Of an arrow of `rows` rows.
std::size_t LinksOf(int rows) { return static_cast<std::size_t>(rows - 2); }

}  // namespace

std::optional<Arrows> Arrows::Of(const Problem& problem) {
  const std::vector<int> corners = CornersOf(problem);
  if (std::all_of(corners.begin(), corners.end(), [](int corner) { return corner < 0; })) {
    return std::nullopt;
  }
  Arrows arrows;
  Problem& reduced = arrows.reduced_;
  reduced.costs = problem.costs;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Block& block = problem.blocks[l];
    arrows.parts_.push_back({reduced.blocks.size(), corners[l], reduced.costs.size()});
    if (corners[l] < 0) {
      reduced.blocks.push_back(block);
    } else {
      reduced.blocks.insert(reduced.blocks.end(), static_cast<std::size_t>(block.size - 1),
                            {Shape::kDense, 2});
      reduced.costs.resize(reduced.costs.size() + LinksOf(block.size), 0);
    }
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    reduced.matrices.push_back(Reduced(matrix, arrows.parts_));
  }
  // A link is the sum of the corners of all blocks after it: a corner is the difference of the two
  // links beside it.
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    if (corners[l] < 0) continue;
    const auto first = static_cast<int>(arrows.parts_[l].first);
    for (int link = 0; link < static_cast<int>(LinksOf(problem.blocks[l].size)); ++link) {
      reduced.matrices.push_back(
          {{first + link, {{0, 0, -1.0}}}, {first + link + 1, {{0, 0, 1.0}}}});
    }
  }
  return arrows;
}

template <typename Real>
Point<Real> WholePoint(const Arrows& arrows, const Problem& problem, const Point<Real>& reduced) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const auto constraints = static_cast<std::ptrdiff_t>(problem.constraints());
  Point<Real> whole = {.x = std::vector<Real>(reduced.x.begin(), reduced.x.begin() + constraints),
                       .slack = BlockMatrix<Real>(layout),
                       .dual = BlockMatrix<Real>(layout)};
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Arrows::Part& part = arrows.parts()[l];
    const auto slack = whole.slack.elements(l), dual = whole.dual.elements(l);
    if (part.corner < 0) {
      std::copy_n(reduced.slack.elements(part.first).begin(), slack.size(), slack.begin());
      std::copy_n(reduced.dual.elements(part.first).begin(), dual.size(), dual.begin());
      continue;
    }
    const auto n = static_cast<std::size_t>(problem.blocks[l].size),
               corner = static_cast<std::size_t>(part.corner);
    // Where blocks differ by roundings in their corners of Y, the largest is the one with which Y
    // is positive semidefinite.
    Real of_dual(0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      of_dual = std::max(of_dual, reduced.dual.elements(part.first + i)[0]);
    }
    dual[corner * n + corner] = of_dual;
    std::vector<Real> first_row(n, Real(0));
    for (std::size_t row = 0; row < n; ++row) {
      if (row == corner) continue;
      const std::size_t block = part.first + BlockOf(static_cast<int>(row), part.corner);
      const auto of_slack = reduced.slack.elements(block), of_block = reduced.dual.elements(block);
      slack[corner * n + corner] += of_slack[0];
      slack[corner * n + row] = slack[row * n + corner] = of_slack[1];
      slack[row * n + row] = of_slack[3];
      dual[corner * n + row] = dual[row * n + corner] = first_row[row] = of_block[1];
      dual[row * n + row] = of_block[3];
    }
    if (!(of_dual > Real(0))) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const Real factor = first_row[i] / of_dual;
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j && i != corner && j != corner) dual[i * n + j] = factor * first_row[j];
      }
    }
  }
  return whole;
}

SolutionValues ReducedValues(const Arrows& arrows, const Problem& problem,
                             const SolutionValues& whole) {
  SolutionValues reduced;
  reduced.x = whole.x;
  reduced.x.resize(arrows.reduced().constraints(), 0);
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Arrows::Part& part = arrows.parts()[l];
    const std::vector<double>&slack = whole.slack[l], &dual = whole.dual[l];
    if (part.corner < 0) {
      reduced.slack.push_back(slack);
      reduced.dual.push_back(dual);
      continue;
    }
    const auto n = static_cast<std::size_t>(problem.blocks[l].size),
               corner = static_cast<std::size_t>(part.corner);
    // Each block gets as much of the corner as it needs, and all the same of the rest.
    double rest = slack[corner * n + corner];
    const auto needed = [&](std::size_t row) {
      const double diagonal = slack[row * n + row], side = slack[corner * n + row];
      return diagonal > 0 ? side * side / diagonal : 0.0;
    };
    for (std::size_t row = 0; row < n; ++row) {
      if (row != corner) rest -= needed(row);
    }
    const double share = std::max(0.0, rest) / static_cast<double>(n - 1);
    double after = slack[corner * n + corner];
    for (std::size_t row = 0; row < n; ++row) {
      if (row == corner) continue;
      const double own = needed(row) + share, side = slack[corner * n + row];
      reduced.slack.push_back({own, side, side, slack[row * n + row]});
      const double of_dual = dual[corner * n + row];
      reduced.dual.push_back({dual[corner * n + corner], of_dual, of_dual, dual[row * n + row]});
      after -= own;
      const std::size_t block = BlockOf(static_cast<int>(row), part.corner);
      if (block < LinksOf(problem.blocks[l].size)) reduced.x[part.links + block] = after;
    }
  }
  return reduced;
}

template Point<double> WholePoint(const Arrows& arrows, const Problem& problem,
                                  const Point<double>& reduced);
template Point<DoubleDouble> WholePoint(const Arrows& arrows, const Problem& problem,
                                        const Point<DoubleDouble>& reduced);

}  // namespace sdpa
