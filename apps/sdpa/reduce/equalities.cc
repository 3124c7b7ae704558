#include "apps/sdpa/reduce/equalities.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace sdpa {
namespace {

using Flags = std::vector<std::vector<bool>>;  // by block and row

auto FlagOf(Flags& flags, const RowPlace& place) {
  return flags[static_cast<std::size_t>(place.block)][static_cast<std::size_t>(place.row)];
}

Flags NoneOf(const Problem& problem) {
  Flags flags;
  for (const Block& block : problem.blocks) {
    flags.emplace_back(static_cast<std::size_t>(block.size), false);
  }
  return flags;
}

// Without x, and true.
bool Holds(const LinearRow& row) { return row.terms.empty() && row.constant <= 0; }

// Are rows left, whatever equalities are undone? The last one stays where none would be.
bool KeepsARow(const Problem& problem, const std::vector<LinearRow>& linear,
               std::vector<Equality>& equalities) {
  std::size_t rows = 0;
  for (const Block& block : problem.blocks) rows += static_cast<std::size_t>(block.size);
  rows -= static_cast<std::size_t>(std::count_if(linear.begin(), linear.end(), Holds));
  for (const Equality& equality : equalities) rows -= equality.members.size();
  if (rows > 0) return true;
  if (equalities.empty()) return false;
  equalities.pop_back();
  return true;
}

// The power of two by which elements up to `largest` become about 1; few times more or less are no
// matter.
double ScaleOf(double largest, RowUnits units) {
  if (!(largest > 0) || units == RowUnits::kOwn) return 1;
  const int exponent = -static_cast<int>(std::lround(std::log2(largest)));
  return std::abs(exponent) > 1 ? std::ldexp(1.0, exponent) : 1;
}

// Is there more to be done than equalities?
bool HasMore(const Problem& problem, const std::vector<LinearRow>& linear, RowUnits units) {
  for (const LinearRow& row : linear) {
    const Block& block = problem.blocks[static_cast<std::size_t>(row.place.block)];
    double largest = 0;
    for (const auto [constraint, factor] : row.terms) {
      largest = std::max(largest, std::abs(factor));
    }
    if (block.shape == Shape::kDense || Holds(row) || ScaleOf(largest, units) != 1) return true;
  }
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (problem.costs[i] == 0 && problem.matrices[i + 1].empty()) return true;
  }
  return false;
}

// A value: an element at its place in the reduced problem.
struct Placed {
  int block = 0;
  Element element;
};

SparseMatrix MatrixOf(std::vector<Placed> placed) {
  std::sort(placed.begin(), placed.end(), [](const Placed& one, const Placed& other) {
    return std::tie(one.block, one.element.row, one.element.column) <
           std::tie(other.block, other.element.row, other.element.column);
  });
  SparseMatrix matrix;
  for (const auto& [block, element] : placed) {
    if (matrix.empty() || matrix.back().block != block) matrix.push_back({block, {}});
    matrix.back().elements.push_back(element);
  }
  return matrix;
}

// By matrix, the elements of the rows of equalities that are kept, as the elimination left them.
std::vector<std::vector<std::pair<RowPlace, double>>> RowsOfTheLeft(
    const Problem& problem, const std::vector<Equality>& equalities,
    const Elimination& elimination) {
  std::vector<std::vector<std::pair<RowPlace, double>>> elements(problem.matrices.size());
  for (std::size_t e = 0; e < equalities.size(); ++e) {
    if (elimination.end(e) != Elimination::End::kLeft) continue;
    const Sum& constant = elimination.constant(e);
    const DoubleDouble left = constant.IsNothing() ? DoubleDouble(0) : constant.value;
    const DoubleDouble less = DoubleDouble(equalities[e].constant) - left;
    for (const auto& [place, factor, of_member] : equalities[e].members) {
      for (const auto& [constraint, sum] : elimination.row(e)) {
        elements[constraint + 1].emplace_back(place, static_cast<double>(factor * sum.value));
      }
      const auto value = static_cast<double>(DoubleDouble(of_member) - factor * less);
      if (value != 0) elements[0].emplace_back(place, value);
    }
  }
  return elements;
}

}  // namespace

// Linear rows of a dense block become a diagonal one behind it.
void Equalities::PlaceRows(const Problem& problem, const std::vector<LinearRow>& linear,
                           const Flags& is_dropped) {
  Flags is_linear = is_dropped;
  for (const LinearRow& row : linear) FlagOf(is_linear, row.place) = true;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const auto size = static_cast<std::size_t>(problem.blocks[l].size);
    std::vector<RowPlace>& places = rows_.emplace_back(size);
    for (const bool of_linear : {false, true}) {
      const int number = static_cast<int>(reduced_.blocks.size());
      int rows = 0;
      for (std::size_t row = 0; row < size; ++row) {
        if (!is_dropped[l][row] && is_linear[l][row] == of_linear) places[row] = {number, rows++};
      }
      if (rows > 0) reduced_.blocks.push_back({of_linear ? Shape::kDiagonal : Shape::kDense, rows});
    }
  }
}

void Equalities::ScaleRows(RowUnits units) {
  std::vector<std::vector<double>> largest;
  for (const auto& [shape, size] : reduced_.blocks) {
    largest.emplace_back(shape == Shape::kDiagonal ? static_cast<std::size_t>(size) : 0, 0);
  }
  const auto for_each = [&](std::size_t first, const auto& body) {
    for (std::size_t i = first; i < reduced_.matrices.size(); ++i) {
      for (auto& [block, elements] : reduced_.matrices[i]) {
        std::vector<double>& of_block = largest[static_cast<std::size_t>(block)];
        if (of_block.empty()) continue;
        for (Element& element : elements) {
          body(element.value, of_block[static_cast<std::size_t>(element.row)]);
        }
      }
    }
  };
  for_each(1, [](double value, double& most) { most = std::max(most, std::abs(value)); });
  for (std::vector<double>& of_block : largest) {
    for (double& scale : of_block) scale = ScaleOf(scale, units);
  }
  for_each(0, [](double& value, double scale) { value *= scale; });
  scales_ = std::move(largest);
}

std::optional<Equalities> Equalities::Of(const Problem& problem, RowUnits units) {
  const std::vector<LinearRow> linear = LinearRowsOf(problem);
  std::vector<Equality> equalities = EqualitiesOf(linear);
  if (!KeepsARow(problem, linear, equalities)) return std::nullopt;
  bool has_change = HasMore(problem, linear, units);
  if (equalities.empty() && !has_change) return std::nullopt;

  Elimination elimination(problem, equalities);
  elimination.Run(problem.constraints() - 1);
  Flags is_dropped = NoneOf(problem);
  for (const LinearRow& row : linear) {
    if (Holds(row)) FlagOf(is_dropped, row.place) = true;
  }
  for (std::size_t e = 0; e < equalities.size(); ++e) {
    if (elimination.end(e) == Elimination::End::kLeft) continue;
    has_change = true;
    for (const auto& member : equalities[e].members) FlagOf(is_dropped, member.place) = true;
  }
  if (!has_change) return std::nullopt;

  Equalities undone;
  undone.PlaceRows(problem, linear, is_dropped);
  const auto left = RowsOfTheLeft(problem, equalities, elimination);
  const auto place_of = [&](int block, int row) -> const RowPlace& {
    return undone.rows_[static_cast<std::size_t>(block)][static_cast<std::size_t>(row)];
  };
  const auto matrix_of = [&](std::size_t i) {
    std::vector<Placed> placed;
    for (const auto& [place, value] : elimination.ElementsOf(i)) {
      const auto [block, row] = place_of(place.block, place.row);
      if (block < 0) continue;
      const int column = place_of(place.block, place.column).row;
      placed.push_back({block, {row, column, value}});
    }
    for (const auto& [place, value] : left[i]) {
      const auto [block, row] = place_of(place.block, place.row);
      placed.push_back({block, {row, row, value}});
    }
    return MatrixOf(std::move(placed));
  };
  undone.reduced_.matrices.push_back(matrix_of(0));
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (elimination.is_gone(i)) continue;
    SparseMatrix matrix = matrix_of(i + 1);
    const Sum& sum = elimination.cost(i);
    // 0.Y = c_i with a c_i that is within any tolerance of 0 is met as well as the data are.
    constexpr double kNothing = 1e-9;
    const double cost = sum.IsNothing() ? 0 : static_cast<double>(sum.value);
    if (matrix.empty() && std::abs(cost) <= (sum.size > std::abs(cost) ? kNothing * sum.size : 0)) {
      continue;
    }
    undone.kept_.push_back(i);
    undone.reduced_.costs.push_back(cost);
    undone.reduced_.matrices.push_back(std::move(matrix));
  }
  // Without a constraint there is no method.
  if (undone.kept_.empty()) return std::nullopt;
  undone.ScaleRows(units);
  undone.steps_ = elimination.steps();
  undone.equalities_ = std::move(equalities);
  undone.objective_ = elimination.objective();
  return undone;
}

}  // namespace sdpa
