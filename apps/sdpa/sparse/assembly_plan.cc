#include "apps/sdpa/sparse/assembly_plan.h"

#include <algorithm>
#include <cstddef>

#include "apps/sdpa/sparse/elimination_tree.h"

namespace sdpa {
namespace {

std::size_t At(int index) { return static_cast<std::size_t>(index); }

// Enough pieces for many workers.
constexpr double kMostPieces = 256;
// With fewer, threads that take turns gain less than they lose where their caches are cold.
constexpr double kLeastPieces = 4;

// In flops, as are the units above. Elements of fronts are set, added and found by their places,
// too, which takes most of the time of small fronts.
double WorkOfFront(int columns, int rows) {
  return FlopsOf(columns, rows) + 8.0 * rows * rows + 1000;
}

}  // namespace

AssemblyPlan PlanAssembly(const Supernodes& supernodes, double least_piece) {
  const int size = supernodes.size();
  std::vector<double> work(At(size), 0);  // of subtrees
  double all = 0;
  for (int s = 0; s < size; ++s) {
    const double own = WorkOfFront(supernodes.columns(s), supernodes.front_rows(s));
    all += own;
    work[At(s)] += own;
    const int parent = supernodes.parents[At(s)];
    if (parent != kNone) work[At(parent)] += work[At(s)];
  }
  const double piece = std::max(least_piece, all / kMostPieces);

  AssemblyPlan plan;
  plan.waits_for.assign(At(size), 0);
  if (all <= kLeastPieces * least_piece) {
    if (size > 0) plan.subtrees.push_back({0, size, kNone});
    return plan;
  }
  // The largest subtrees of at most a piece's work, or of one front, from the left to the right.
  const auto is_above = [&](int s) {
    return work[At(s)] > piece && !supernodes.children_of(s).empty();
  };
  int begin = 0;         // of the subtree that ends at the supernode at hand
  double of_newest = 0;  // the newest run's work
  for (int s = 0; s < size; ++s) {
    const int parent = supernodes.parents[At(s)];
    if (is_above(s)) {
      if (parent != kNone) ++plan.waits_for[At(parent)];
      begin = s + 1;
    } else if (parent == kNone || is_above(parent)) {
      const bool is_next = !plan.subtrees.empty() && plan.subtrees.back().end == begin &&
                           plan.subtrees.back().parent == parent;
      if (is_next && of_newest + work[At(s)] <= piece) {
        plan.subtrees.back().end = s + 1;
        of_newest += work[At(s)];
      } else {
        if (parent != kNone) ++plan.waits_for[At(parent)];
        plan.subtrees.push_back({begin, s + 1, parent});
        of_newest = work[At(s)];
      }
      begin = s + 1;
    }
  }
  return plan;
}

}  // namespace sdpa
