// The programs that the paper compares, and the victims of their idle workers.
//
// Pure. Source: [NNT13] sections 2.3 and 4.
#pragma once

#include <string_view>

#include "apps/program/words.h"

namespace matmul {

enum class Variant {
  kOriginal,  // a thread for every half, down to the leaves
  kCutoff,    // threads down to one a worker, then plain recursion
  kIdeal,     // one worker's part, computed by one; its speed times the workers
  kDepth,     // kOriginal, where thieves look at depths first
  kLimit,     // OpenBLAS with one thread: the processor's speed
};
inline constexpr program::Words<Variant> kVariants = {{Variant::kOriginal, "original"},
                                                      {Variant::kCutoff, "cutoff"},
                                                      {Variant::kIdeal, "ideal"},
                                                      {Variant::kDepth, "depth"},
                                                      {Variant::kLimit, "limit"}};
constexpr std::string_view ToString(Variant variant) { return kVariants.Print(variant); }

// The victim that an idle worker steals from.
enum class Victims {
  kNone,    // none: the program does not spawn
  kRandom,  // a random worker, as in lazy task creation
  kDepth,   // of some random workers the one with the shallowest thread to steal
};
inline constexpr program::Words<Victims> kVictims = {
    {Victims::kNone, "none"}, {Victims::kRandom, "random"}, {Victims::kDepth, "depth"}};
constexpr std::string_view ToString(Victims victims) { return kVictims.Print(victims); }

// What a thief sees of a victim's depth.
enum class Peeks {
  kFresh,       // that of the thread at the tail
  kRemembered,  // that of a thread which was there (remembered_depths.h)
};
inline constexpr program::Words<Peeks> kPeeks = {{Peeks::kFresh, "fresh"},
                                                 {Peeks::kRemembered, "remembered"}};
constexpr std::string_view ToString(Peeks peeks) { return kPeeks.Print(peeks); }

// A value. `candidates`: at how many victims a thief looks before it steals from one.
struct StealRule {
  Victims victims = Victims::kRandom;
  int candidates = 1;
  Peeks peeks = Peeks::kFresh;  // of kDepth
  friend bool operator==(const StealRule&, const StealRule&) = default;
};

// Where simulated workers have the matrices.
enum class Home {
  kOneNode,     // that of the thread which filled them, as in the paper's program
  kFirstTouch,  // each tile where it is first used
};
inline constexpr program::Words<Home> kHomes = {{Home::kOneNode, "one-node"},
                                                {Home::kFirstTouch, "first-touch"}};
constexpr std::string_view ToString(Home home) { return kHomes.Print(home); }

// The depth down to which threads are spawned so that there is one for each
// worker: the spawns of each depth double their number.
int DepthOfOneAWorker(int workers);

}  // namespace matmul
