// The programs that the paper compares, and whom an idle worker robs in them.
//
// Pure. Source: [NNT13] sections 2.3 and 4.
#pragma once

#include <string_view>

namespace matmul {

enum class Variant {
  kOriginal,  // a thread for every half, down to the leaves
  kCutoff,    // threads down to one a worker, then plain recursion
  kIdeal,     // what falls to one worker, computed by one; its speed times the workers
  kDepth,     // kOriginal, where thieves look at depths first
  kLimit,     // OpenBLAS with one thread: what the processor can do
};
std::string_view ToString(Variant variant);

// Whom an idle worker robs.
enum class Victims {
  kNone,    // nobody: the program does not spawn
  kRandom,  // one at random: lazy task creation's
  kDepth,   // of some at random the one with the shallowest thread to give
};
std::string_view ToString(Victims victims);

// A value. `candidates`: at how many victims a thief looks before it robs one.
struct StealRule {
  Victims victims = Victims::kRandom;
  int candidates = 1;
  friend bool operator==(const StealRule&, const StealRule&) = default;
};

// Down to which depth threads are spawned so that there is one for each worker:
// the spawns make two of one.
int DepthOfOneAWorker(int workers);

}  // namespace matmul
