// A problem as smaller ones, whose numbers of paths give its own by sums and products: what no path
// can visit is dropped, blocks that paths go through one after the other are counted each alone,
// chains and repeated edges become one edge, as does each part that only two vertices join to the
// rest. What is left has no more to reduce. A series-parallel graph leaves nothing. Pure.
//
// The parts are those of the tree of triconnected components, with the edge that would join source
// and target as its root.
//
// Source: W. T. Tutte, Connectivity in graphs (1966); J. E. Hopcroft and R. E. Tarjan, Dividing a
// graph into triconnected components, SIAM Journal on Computing 2 (1973). The method here is
// simpler and slower (separators.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/reduce/formula.h"

namespace simpath {

// A value.
struct ReduceOptions {
  // Edges that the search for 2-separators may look at, vertices times edges for a whole graph:
  // seconds. What it does not come to stays as it is, and is counted as well.
  std::uint64_t separator_steps = 200'000'000;
  // Blocks of more vertices are not searched: each step would wait for memory.
  std::uint64_t separator_vertices = 50'000;
};

// A value: what has been done.
struct Reductions {
  std::uint64_t blocks = 0;      // that paths go through
  std::uint64_t dropped = 0;     // edges outside of them, or that stand for no path
  std::uint64_t series = 0;      // vertices of chains that are gone
  std::uint64_t parallel = 0;    // edges that have been added to others
  std::uint64_t components = 0;  // between two poles, where there are several
  std::uint64_t sides = 0;       // of 2-separators
};

// A value.
class Reduction {
 public:
  // The number of paths of part `part`, whose weights are now known.
  using CountPart = std::function<absl::StatusOr<Count>(std::size_t part, const Problem& problem)>;

  // As problems without weights, as long as some weights are the counts of other parts: plans and
  // their widths do not depend on these. Vertices and edges keep their order, but have new numbers,
  // and frontiers are no wider than those of the whole problem.
  const std::vector<Problem>& parts() const { return parts_; }
  const Reductions& made() const { return made_; }

  // The edge `order[i]` of the part comes as number i.
  void Reorder(std::size_t part, std::span<const std::size_t> order);

  // The number of paths of the whole problem. Counts each part once, after those that its weights
  // are made of; the first error.
  absl::StatusOr<Count> CountPaths(const CountPart& count) const;

 private:
  friend class Reducer;

  std::vector<Problem> parts_;
  Formula formula_;
  Term paths_ = kZero;
  Reductions made_;
};

// From a vertex to itself there is one path; without a path, the answer is 0. Neither needs parts.
Reduction Reduce(const Problem& problem, const ReduceOptions& options = {});

}  // namespace simpath
