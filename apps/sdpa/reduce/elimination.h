// Elimination of x by equalities: x_k = (f - sum of a_j x_j) / a_k is put into X, the costs and the
// other equalities, as long as that does not fill the matrices and a sparse Schur complement. Pure.
//
// Sums are of pairs of doubles, so that the reduced problem differs from the whole one by the
// rounding of its numbers to doubles alone.
//
// Source: H. M. Markowitz, The elimination form of the inverse and its application to linear
// programming, Management Science 3, 1957 (the order); E. D. Andersen and K. D. Andersen,
// Presolving in linear programming, Math. Programming 71, 1995.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/reduce/cliques.h"
#include "apps/sdpa/reduce/linear_rows.h"

namespace sdpa {

// A value: a sum, and the sum of its terms' sizes.
struct Sum {
  DoubleDouble value = 0;
  double size = 0;

  void Add(DoubleDouble term) {
    value += term;
    size += std::abs(term.high());
  }
  // Is it a rounding of the data, whose terms cancel?
  bool IsNothing() const { return std::abs(value.high()) <= 1e-15 * size; }
};

// A value: pivot x_k + sum of terms = constant.
struct EliminationStep {
  std::size_t equality = 0;
  std::size_t constraint = 0;  // k
  DoubleDouble pivot = 0, constant = 0;
  std::vector<std::pair<std::size_t, DoubleDouble>> terms;  // without x of the steps before
  // The equality as it is in the problem is this row and so much of the rows of steps before.
  std::vector<std::pair<std::size_t, DoubleDouble>> earlier;
};

// A value: a run of the elimination.
class Elimination {
 public:
  // An element of a matrix, by block, row and column.
  struct Place {
    int block = 0, row = 0, column = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  enum class End { kEliminated, kFollows, kLeft };

  // `problem` outlives it. Elements of the equalities' members are not in its matrices.
  Elimination(const Problem& problem, const std::vector<Equality>& equalities);

  // At most `most` x.
  void Run(std::size_t most);

  const std::vector<EliminationStep>& steps() const { return steps_; }
  // kLeft: to be kept, as `row`; also of an equality that no x meets.
  End end(std::size_t equality) const { return ends_[equality]; }
  const std::map<std::size_t, Sum>& row(std::size_t equality) const { return rows_[equality]; }
  const Sum& constant(std::size_t equality) const { return constants_[equality]; }

  bool is_gone(std::size_t constraint) const { return is_gone_[constraint]; }
  const Sum& cost(std::size_t constraint) const { return costs_[constraint]; }
  // The problem's objectives are the reduced problem's and this.
  DoubleDouble objective() const { return objective_; }
  // By place; without zeros, and roundings of sums that are 0. 0: F_0.
  std::vector<std::pair<Place, double>> ElementsOf(std::size_t matrix) const;

 private:
  struct HashOfPlace {
    std::size_t operator()(const Place& place) const {
      const auto part = [](int number) { return static_cast<std::uint64_t>(number); };
      std::uint64_t hash = part(place.block) * 0x9e3779b97f4a7c15 + part(place.row);
      hash = hash * 0xbf58476d1ce4e5b9 + part(place.column);
      return static_cast<std::size_t>(hash ^ hash >> 29);
    }
  };
  using Elements = std::unordered_map<Place, Sum, HashOfPlace>;
  struct Pivot {
    std::size_t constraint = 0;
    double cost = 0;  // elements that it adds, at most
  };

  bool IsOfMember(int block, const Element& element) const;
  Elements& Changed(std::size_t matrix);
  template <typename Visit>
  void ForEachElement(std::size_t matrix, const Visit& visit) const;
  std::size_t CountOf(std::size_t matrix) const { return counts_[matrix]; }
  bool IsNothing(std::size_t equality) const;
  Pivot PivotOf(std::size_t equality) const;
  std::vector<std::size_t> OthersOf(std::size_t equality, std::size_t constraint) const;
  bool IsWorthIt(std::size_t equality, const Pivot& pivot);
  void AddTo(std::size_t matrix, DoubleDouble factor, const std::vector<std::pair<Place, Sum>>& of);
  void Eliminate(std::size_t equality, std::size_t constraint);

  const Problem& problem_;
  Cliques cliques_;
  std::vector<std::vector<bool>> is_member_;  // by block and row
  std::vector<std::map<std::size_t, Sum>> rows_;
  std::vector<Sum> constants_;
  std::vector<double> scales_;                // the largest element of each equality
  std::vector<std::set<std::size_t>> users_;  // by constraint, of equalities
  std::vector<std::vector<std::pair<std::size_t, DoubleDouble>>> earlier_;
  std::map<std::size_t, Elements> changed_;  // matrices; the others are the problem's
  std::vector<std::size_t> counts_;          // elements of each matrix
  std::vector<Sum> costs_;
  std::vector<bool> is_gone_;
  std::vector<End> ends_;
  std::vector<EliminationStep> steps_;
  DoubleDouble objective_ = 0;
  double elements_ = 0, most_elements_ = 0, work_ = 0;
};

}  // namespace sdpa
