#include "apps/sdpa/sparse/assembly_plan.h"

#include <algorithm>
#include <cstddef>

#include "apps/sdpa/sparse/at.h"
#include "apps/sdpa/sparse/elimination_tree.h"

namespace sdpa {
namespace {

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

std::uint64_t UpdatesInAnyOrder(const Supernodes& supernodes, const AssemblyPlan& plan) {
  // By supernode above the subtrees: of all below it, and then of itself too.
  std::vector<std::uint64_t> most(At(supernodes.size()), 0);
  std::vector<bool> is_above(most.size(), true);
  std::uint64_t of_all = 0;
  const auto add = [&](int parent, std::uint64_t updates) {
    (parent == kNone ? of_all : most[At(parent)]) += updates;
  };
  for (const auto& [begin, end, parent] : plan.subtrees) {
    std::fill(is_above.begin() + begin, is_above.begin() + end, false);
    add(parent, UpdatesAtOnce(supernodes, begin, end));
  }
  for (int s = 0; s < supernodes.size(); ++s) {
    if (!is_above[At(s)]) continue;
    // Its update is there before its children's are gone.
    std::uint64_t own = UpdateElements(supernodes, s);
    for (const int child : supernodes.children_of(s)) own += UpdateElements(supernodes, child);
    add(supernodes.parents[At(s)], std::max(own, most[At(s)]));
  }
  return of_all;
}

}  // namespace sdpa
