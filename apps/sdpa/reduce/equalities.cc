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

std::size_t CountOf(const Problem& problem) {
  std::size_t rows = 0;
  for (const Block& block : problem.blocks) rows += static_cast<std::size_t>(block.size);
  return rows;
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

std::optional<Equalities> Equalities::Of(const Problem& problem) {
  const std::vector<LinearRow> linear = LinearRowsOf(problem);
  std::vector<Equality> equalities = EqualitiesOf(linear);
  Flags is_dropped;
  for (const Block& block : problem.blocks) {
    is_dropped.emplace_back(static_cast<std::size_t>(block.size), false);
  }
  std::size_t rows = CountOf(problem);  // that are kept, whatever is eliminated
  bool has_change = false;
  for (const LinearRow& row : linear) {
    const Shape shape = problem.blocks[static_cast<std::size_t>(row.place.block)].shape;
    if (shape == Shape::kDense) has_change = true;
    if (!row.terms.empty() || row.constant > 0) continue;
    FlagOf(is_dropped, row.place) = has_change = true;
    --rows;
  }
  for (const Equality& equality : equalities) rows -= equality.members.size();
  if (rows == 0) {
    // The method has to have a row.
    if (equalities.empty()) return std::nullopt;
    equalities.pop_back();
  }
  const auto is_empty = [&](std::size_t i) {
    return problem.costs[i] == 0 && problem.matrices[i + 1].empty();
  };
  for (std::size_t i = 0; i < problem.constraints(); ++i) has_change = has_change || is_empty(i);
  if (equalities.empty() && !has_change) return std::nullopt;

  Elimination elimination(problem, equalities);
  elimination.Run(problem.constraints() - 1);
  for (std::size_t e = 0; e < equalities.size(); ++e) {
    if (elimination.end(e) == Elimination::End::kLeft) continue;
    has_change = true;
    for (const auto& member : equalities[e].members) FlagOf(is_dropped, member.place) = true;
  }
  if (!has_change) return std::nullopt;

  Equalities undone;
  undone.PlaceRows(problem, linear, is_dropped);
  const auto left = RowsOfTheLeft(problem, equalities, elimination);
  const auto matrix_of = [&](std::size_t i) {
    std::vector<Placed> placed;
    const auto place_of = [&](int block, int row) -> const RowPlace& {
      return undone.rows_[static_cast<std::size_t>(block)][static_cast<std::size_t>(row)];
    };
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
    const double cost = sum.IsNothing() ? 0 : static_cast<double>(sum.value);
    if (matrix.empty() && cost == 0) continue;
    undone.kept_.push_back(i);
    undone.reduced_.costs.push_back(cost);
    undone.reduced_.matrices.push_back(std::move(matrix));
  }
  // Without a constraint there is no method.
  if (undone.kept_.empty()) return std::nullopt;
  undone.steps_ = elimination.steps();
  undone.equalities_ = std::move(equalities);
  undone.objective_ = elimination.objective();
  return undone;
}

}  // namespace sdpa
