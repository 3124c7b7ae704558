// How sparse the Schur complement's matrix is, and stays when x are eliminated: constraints that
// share a dense block, or a row of a diagonal one, have an element each with each other. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/reduce/linear_rows.h"

namespace sdpa {

// A value.
class Cliques {
 public:
  Cliques(const Problem& problem, const std::vector<Equality>& equalities);

  // Has the matrix no more elements than at first, by the squares of the sizes of its cliques, when
  // an equality puts the others of its x in the place of `constraint`? A dense matrix has not.
  bool Allow(std::size_t equality, std::size_t constraint,
             const std::vector<std::size_t>& others) const;
  void Eliminate(std::size_t equality, std::size_t constraint,
                 const std::vector<std::size_t>& others);

 private:
  double GrowthBy(std::size_t equality, std::size_t constraint,
                  const std::vector<std::size_t>& others) const;

  bool is_dense_ = false;
  std::vector<std::set<std::size_t>> cliques_;  // of constraints; the equalities' cliques are first
  std::vector<std::set<std::size_t>> of_constraint_;
  double growth_ = 0;  // of the squares
};

}  // namespace sdpa
