// Which fronts of a multifrontal factorization are computed together by one thread. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/sdpa/sparse/supernodes.h"

namespace sdpa {

// A value: whole subtrees of the supernodes' tree, next to each other and with the same parent.
struct Subtrees {
  int begin = 0, end = 0;  // supernodes, in their order
  int parent = 0;          // or kNone
};

// A value. The supernodes that are in no subtree are above them, and each is computed by the thread
// that computed the last of its children.
struct AssemblyPlan {
  std::vector<Subtrees> subtrees;  // independent of each other
  // By supernode above the subtrees: children above, and runs of subtrees, that come before it.
  std::vector<int> waits_for;
};

// In flops, as long as waking a thread takes, some times over.
inline constexpr double kLeastPiece = 2e6;

// Subtrees of at least that much work together, where there are more next to each other, and one
// run of all where there is little in all. What is computed is the same, to the last bit, by each
// plan.
AssemblyPlan PlanAssembly(const Supernodes& supernodes, double least_piece = kLeastPiece);

// The most elements of updates that wait for parents at once, whichever of them come first: all
// subtrees may be at work, and then all that have nothing left to wait for.
std::uint64_t UpdatesInAnyOrder(const Supernodes& supernodes, const AssemblyPlan& plan);

}  // namespace sdpa
