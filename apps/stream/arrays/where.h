// Where STREAM's arrays lie. Pure.
#pragma once

#include <string_view>

#include "apps/program/words.h"

namespace stream {

enum class Where {
  kLocal,       // one array on each NUMA node in use: [ULIBC14] figures 3 and 6
  kFirstTouch,  // one array, each part touched first by the thread that uses it
  kSerial,      // one array, touched first by one thread: figure 2
  kInterleave,  // one array, pages dealt in turn to the nodes that have threads
};
inline constexpr program::Words<Where> kPlacements = {{Where::kLocal, "local"},
                                                      {Where::kFirstTouch, "first-touch"},
                                                      {Where::kSerial, "serial"},
                                                      {Where::kInterleave, "interleave"}};
constexpr std::string_view ToString(Where where) { return kPlacements.Print(where); }

}  // namespace stream
