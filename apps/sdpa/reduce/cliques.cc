#include "apps/sdpa/reduce/cliques.h"

namespace sdpa {
namespace {

// By block, the number of the first row's clique; a dense block is one.
std::vector<std::size_t> FirstCliques(const Problem& problem, std::size_t first) {
  std::vector<std::size_t> numbers;
  for (const auto& [shape, size] : problem.blocks) {
    numbers.push_back(first);
    first += shape == Shape::kDense ? 1 : static_cast<std::size_t>(size);
  }
  numbers.push_back(first);
  return numbers;
}

double Squared(std::size_t size) { return static_cast<double>(size) * static_cast<double>(size); }

}  // namespace

Cliques::Cliques(const Problem& problem, const std::vector<Equality>& equalities) {
  const auto first = FirstCliques(problem, equalities.size());
  const auto for_each = [&](const auto& body) {
    for (std::size_t e = 0; e < equalities.size(); ++e) {
      for (const auto [constraint, factor] : equalities[e].terms) body(e, constraint);
    }
    for (std::size_t i = 0; i < problem.constraints(); ++i) {
      for (const auto& [block, elements] : problem.matrices[i + 1]) {
        const auto l = static_cast<std::size_t>(block);
        if (problem.blocks[l].shape == Shape::kDense) {
          body(first[l], i);
          continue;
        }
        for (const Element& element : elements) {
          body(first[l] + static_cast<std::size_t>(element.row), i);
        }
      }
    }
  };
  std::vector<std::size_t> sizes(first.back(), 0);
  for_each([&](std::size_t clique, std::size_t) { ++sizes[clique]; });
  for (const std::size_t size : sizes) is_dense_ = is_dense_ || 2 * size >= problem.constraints();
  if (is_dense_) return;
  // The rows of an equality are one clique.
  std::vector<bool> is_member(first.back(), false);
  for (const Equality& equality : equalities) {
    for (const auto& [place, factor, constant] : equality.members) {
      const auto l = static_cast<std::size_t>(place.block);
      if (problem.blocks[l].shape == Shape::kDense) continue;
      is_member[first[l] + static_cast<std::size_t>(place.row)] = true;
    }
  }
  cliques_.resize(first.back());
  of_constraint_.resize(problem.constraints());
  for_each([&](std::size_t clique, std::size_t constraint) {
    if (is_member[clique]) return;
    cliques_[clique].insert(constraint);
    of_constraint_[constraint].insert(clique);
  });
}

double Cliques::GrowthBy(std::size_t equality, std::size_t constraint,
                         const std::vector<std::size_t>& others) const {
  double growth = 0;
  for (const std::size_t clique : of_constraint_[constraint]) {
    const std::size_t size = cliques_[clique].size();
    growth -= Squared(size);
    if (clique == equality) continue;
    std::size_t larger = size - 1;
    for (const std::size_t other : others) larger += cliques_[clique].contains(other) ? 0 : 1;
    growth += Squared(larger);
  }
  return growth;
}

bool Cliques::Allow(std::size_t equality, std::size_t constraint,
                    const std::vector<std::size_t>& others) const {
  return is_dense_ || growth_ + GrowthBy(equality, constraint, others) <= 0;
}

void Cliques::Eliminate(std::size_t equality, std::size_t constraint,
                        const std::vector<std::size_t>& others) {
  if (is_dense_) return;
  growth_ += GrowthBy(equality, constraint, others);
  for (const std::size_t clique : of_constraint_[constraint]) {
    cliques_[clique].erase(constraint);
    if (clique == equality) {
      for (const std::size_t other : others) of_constraint_[other].erase(clique);
      cliques_[clique].clear();
      continue;
    }
    for (const std::size_t other : others) {
      cliques_[clique].insert(other);
      of_constraint_[other].insert(clique);
    }
  }
  of_constraint_[constraint].clear();
}

}  // namespace sdpa
