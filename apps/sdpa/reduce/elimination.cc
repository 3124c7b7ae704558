#include "apps/sdpa/reduce/elimination.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace sdpa {

template <typename Visit>
void Elimination::ForEachElement(std::size_t matrix, const Visit& visit) const {
  const auto found = changed_.find(matrix);
  if (found != changed_.end()) {
    for (const auto& [place, sum] : found->second) visit(place, sum);
    return;
  }
  for (const auto& [block, elements] : problem_.matrices[matrix]) {
    for (const Element& element : elements) {
      if (IsOfMember(block, element)) continue;
      visit(Place{block, element.row, element.column}, Sum{element.value, std::abs(element.value)});
    }
  }
}

bool Elimination::IsOfMember(int block, const Element& element) const {
  return is_member_[static_cast<std::size_t>(block)][static_cast<std::size_t>(element.row)];
}

Elimination::Elimination(const Problem& problem, const std::vector<Equality>& equalities)
    : problem_(problem),
      cliques_(problem, equalities),
      rows_(equalities.size()),
      users_(problem.constraints()),
      earlier_(equalities.size()),
      is_gone_(problem.constraints(), false),
      ends_(equalities.size(), End::kLeft) {
  for (const Block& block : problem.blocks) {
    is_member_.emplace_back(static_cast<std::size_t>(block.size), false);
  }
  for (std::size_t e = 0; e < equalities.size(); ++e) {
    for (const Equality::Member& member : equalities[e].members) {
      const auto [block, row] = member.place;
      is_member_[static_cast<std::size_t>(block)][static_cast<std::size_t>(row)] = true;
    }
    double scale = 0;
    for (const auto [constraint, factor] : equalities[e].terms) {
      rows_[e][constraint].Add(factor);
      users_[constraint].insert(e);
      scale = std::max(scale, std::abs(factor));
    }
    scales_.push_back(scale);
    constants_.push_back({equalities[e].constant, std::abs(equalities[e].constant)});
  }
  for (const double cost : problem.costs) costs_.push_back({cost, std::abs(cost)});
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    std::size_t count = 0;
    ForEachElement(i, [&](const Place&, const Sum&) { ++count; });
    counts_.push_back(count);
    elements_ += static_cast<double>(count);
  }
  constexpr double kTimes = 2, kMore = 1000;
  most_elements_ = kTimes * elements_ + kMore;
}

Elimination::Elements& Elimination::Changed(std::size_t matrix) {
  if (!changed_.contains(matrix)) {
    Elements elements;
    elements.reserve(2 * counts_[matrix]);
    ForEachElement(matrix, [&](const Place& place, const Sum& sum) { elements[place] = sum; });
    work_ += static_cast<double>(counts_[matrix]);
    changed_.emplace(matrix, std::move(elements));
  }
  return changed_.at(matrix);
}

// Has nothing been left of its terms?
bool Elimination::IsNothing(std::size_t equality) const {
  constexpr double kRoundings = 1e-12;
  return std::all_of(rows_[equality].begin(), rows_[equality].end(), [&](const auto& term) {
    return std::abs(term.second.value.high()) <= kRoundings * scales_[equality];
  });
}

// The cheapest of the x whose elements are not small in the row.
Elimination::Pivot Elimination::PivotOf(std::size_t equality) const {
  double largest = 0;
  for (const auto& [constraint, sum] : rows_[equality]) {
    largest = std::max(largest, std::abs(sum.value.high()));
  }
  constexpr double kThreshold = 0.1;
  Pivot best = {.constraint = problem_.constraints(), .cost = 0};
  double size_of_best = 0;
  const auto others = static_cast<double>(rows_[equality].size() - 1);
  for (const auto& [constraint, sum] : rows_[equality]) {
    const double size = std::abs(sum.value.high());
    if (size < kThreshold * largest) continue;
    const double cost =
        others * static_cast<double>(CountOf(constraint + 1) + users_[constraint].size() - 1);
    if (best.constraint == problem_.constraints() || cost < best.cost ||
        (cost == best.cost && size > size_of_best)) {
      best = {.constraint = constraint, .cost = cost};
      size_of_best = size;
    }
  }
  return best;
}

std::vector<std::size_t> Elimination::OthersOf(std::size_t equality, std::size_t constraint) const {
  std::vector<std::size_t> others;
  for (const auto& [other, sum] : rows_[equality]) {
    if (other != constraint) others.push_back(other);
  }
  return others;
}

// Do the matrices stay within the most elements that they may have? By a bound first.
bool Elimination::IsWorthIt(std::size_t equality, const Pivot& pivot) {
  constexpr double kMostWork = 2e7;  // some seconds
  if (work_ + pivot.cost > kMostWork) return false;
  if (!cliques_.Allow(equality, pivot.constraint, OthersOf(equality, pivot.constraint))) {
    return false;
  }
  const auto count = static_cast<double>(CountOf(pivot.constraint + 1));
  if (elements_ + pivot.cost - count <= most_elements_) return true;
  double more = -count;
  for (const auto& [constraint, sum] : rows_[equality]) {
    if (constraint == pivot.constraint) continue;
    const Elements& elements = Changed(constraint + 1);
    ForEachElement(pivot.constraint + 1, [&](const Place& place, const Sum&) {
      more += elements.contains(place) ? 0 : 1;
    });
  }
  work_ += pivot.cost;
  return elements_ + more <= most_elements_;
}

void Elimination::AddTo(std::size_t matrix, DoubleDouble factor,
                        const std::vector<std::pair<Place, Sum>>& of) {
  Elements& elements = Changed(matrix);
  for (const auto& [place, sum] : of) elements[place].Add(factor * sum.value);
  elements_ += static_cast<double>(elements.size()) - static_cast<double>(counts_[matrix]);
  counts_[matrix] = elements.size();
  work_ += static_cast<double>(of.size());
}

void Elimination::Eliminate(std::size_t equality, std::size_t constraint) {
  cliques_.Eliminate(equality, constraint, OthersOf(equality, constraint));
  std::map<std::size_t, Sum>& row = rows_[equality];
  EliminationStep step = {.equality = equality,
                          .constraint = constraint,
                          .pivot = row.at(constraint).value,
                          .constant = constants_[equality].value,
                          .terms = {},
                          .earlier = std::move(earlier_[equality])};
  row.erase(constraint);
  users_[constraint].erase(equality);
  std::vector<std::pair<Place, Sum>> elements;
  ForEachElement(constraint + 1,
                 [&](const Place& place, const Sum& sum) { elements.emplace_back(place, sum); });
  const DoubleDouble cost = costs_[constraint].value;
  for (const auto& [other, sum] : row) {
    step.terms.emplace_back(other, sum.value);
    users_[other].erase(equality);
    const DoubleDouble factor = -(sum.value / step.pivot);
    AddTo(other + 1, factor, elements);
    costs_[other].Add(factor * cost);
  }
  const DoubleDouble value = step.constant / step.pivot;
  if (value != DoubleDouble(0)) AddTo(0, -value, elements);
  objective_ += value * cost;
  elements_ -= static_cast<double>(counts_[constraint + 1]);
  changed_.erase(constraint + 1);
  counts_[constraint + 1] = 0;
  is_gone_[constraint] = true;
  ends_[equality] = End::kEliminated;

  for (const std::size_t user : users_[constraint]) {
    std::map<std::size_t, Sum>& of_user = rows_[user];
    const DoubleDouble factor = of_user.at(constraint).value / step.pivot;
    of_user.erase(constraint);
    for (const auto& [other, value_of_other] : step.terms) {
      Sum& sum = of_user[other];
      sum.Add(-(factor * value_of_other));
      if (sum.IsNothing()) {
        of_user.erase(other);
        users_[other].erase(user);
      } else {
        users_[other].insert(user);
      }
    }
    constants_[user].Add(-(factor * step.constant));
    earlier_[user].emplace_back(steps_.size(), factor);
    work_ += static_cast<double>(step.terms.size());
  }
  users_[constraint].clear();
  row.clear();
  steps_.push_back(std::move(step));
}

void Elimination::Run(std::size_t most) {
  // Costs of before: the row of the least is looked at again.
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t e = 0; e < rows_.size(); ++e) queue.emplace(PivotOf(e).cost, e);
  while (!queue.empty()) {
    const auto [cost, equality] = queue.top();
    queue.pop();
    if (IsNothing(equality)) {
      // The rest of the terms is roundings, whatever x is. A constant within the usual tolerances
      // of 0 is one that X is as good without.
      constexpr double kRoundings = 1e-8;
      const Sum& constant = constants_[equality];
      const double of_constant = kRoundings * std::max(constant.size, scales_[equality]);
      if (std::abs(constant.value.high()) <= of_constant) ends_[equality] = End::kFollows;
      continue;
    }
    const Pivot pivot = PivotOf(equality);
    if (pivot.cost > cost) {
      queue.emplace(pivot.cost, equality);
      continue;
    }
    if (steps_.size() < most && IsWorthIt(equality, pivot)) Eliminate(equality, pivot.constraint);
  }
}

std::vector<std::pair<Elimination::Place, double>> Elimination::ElementsOf(
    std::size_t matrix) const {
  std::vector<std::pair<Place, double>> elements;
  ForEachElement(matrix, [&](const Place& place, const Sum& sum) {
    const auto value = static_cast<double>(sum.value);
    if (value != 0 && !sum.IsNothing()) elements.emplace_back(place, value);
  });
  std::sort(elements.begin(), elements.end());
  return elements;
}

}  // namespace sdpa
