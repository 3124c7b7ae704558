// The columns of a sparse Cholesky factor in groups whose elements are one dense trapezoid each, so
// that the BLAS computes them. Pure.
//
// Source: J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992;
// C. C. Ashcraft and R. G. Grimes, The influence of relaxed supernode partitions on the
// multifrontal method, ACM Trans. Math. Software 15, 1989.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sdpa/sparse/sparse_pattern.h"

namespace sdpa {

// A value. A supernode has columns next to each other and, in all of them, the same rows below. Its
// front is the dense matrix of its columns and of the rows below: what its columns take from
// others, and give to ancestors. Supernodes are in a postorder of their tree.
struct Supernodes {
  std::vector<int> column_begin;         // one more than supernodes
  std::vector<std::size_t> below_begin;  // same
  std::vector<int> below;                // ascending rows below the columns
  // By row below: which row of the parent's front it is. The update of the parent's front by this
  // one goes there.
  std::vector<int> places;
  std::vector<int> parents;                 // the supernode of the first row below, or kNone
  std::vector<std::size_t> children_begin;  // one more than supernodes
  std::vector<int> children;                // ascending

  int size() const { return static_cast<int>(parents.size()); }
  int first_column(int s) const { return column_begin[static_cast<std::size_t>(s)]; }
  int columns(int s) const {
    return column_begin[static_cast<std::size_t>(s) + 1] - first_column(s);
  }
  std::span<const int> rows_below(int s) const { return Part(below, below_begin, s); }
  std::span<const int> places_below(int s) const { return Part(places, below_begin, s); }
  std::span<const int> children_of(int s) const { return Part(children, children_begin, s); }
  int front_rows(int s) const { return columns(s) + static_cast<int>(rows_below(s).size()); }

  friend bool operator==(const Supernodes&, const Supernodes&) = default;

 private:
  static std::span<const int> Part(const std::vector<int>& of,
                                   const std::vector<std::size_t>& begin, int s) {
    const auto at = static_cast<std::size_t>(s);
    return std::span(of).subspan(begin[at], begin[at + 1] - begin[at]);
  }
};

// A value: supernodes are joined with their parents where the joint one has up to so many columns
// and up to that share of its elements are zeros, which are stored and computed with. One of
// several rules is enough.
struct JoinRule {
  int columns = 0;
  double zeros = 0;
};
std::span<const JoinRule> DefaultJoinRules();

// Of a pattern whose columns are in a postorder of `parents`, its elimination tree; `counts`: its
// ColumnCounts.
Supernodes FindSupernodes(const SparsePattern& pattern, const std::vector<int>& parents,
                          const std::vector<int>& counts,
                          std::span<const JoinRule> rules = DefaultJoinRules());

// By element of the pattern, its row in the front of its column's supernode.
std::vector<int> FrontRows(const SparsePattern& pattern, const Supernodes& supernodes);

// A value.
struct Work {
  std::uint64_t factor_elements = 0;  // of the fronts' columns, as they are stored
  // The most at once of updates that wait for parents, where fronts come one by one.
  std::uint64_t update_elements = 0;
  double flops = 0;  // additions and multiplications
};
Work WorkOf(const Supernodes& supernodes);

// The same of supernodes `begin` to `end` - 1, with all of their children among them.
std::uint64_t UpdatesAtOnce(const Supernodes& supernodes, int begin, int end);
// Elements of the update of one supernode.
std::uint64_t UpdateElements(const Supernodes& supernodes, int s);

// Additions and multiplications of the front of one supernode.
double FlopsOf(int columns, int front_rows);

}  // namespace sdpa
