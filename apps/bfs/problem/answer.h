// What a search gives back, and what each is asked for. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/program/words.h"

namespace bfs {

// The parent of a vertex that a search has not reached.
inline constexpr graph::Vertex kNoParent = static_cast<graph::Vertex>(graph::kMaxVertices);

enum class Direction { kTopDown, kBottomUp };

// A value: one level.
struct Step {
  Direction direction = Direction::kTopDown;
  std::int64_t frontier = 0;  // vertices
  double seconds = 0;
};

// A value. parents[v] is v's parent in the tree, the root's is the root; they are overwritten by
// the next search.
struct Answer {
  graph::Vertex root = 0;
  double seconds = 0;
  std::span<const graph::Vertex> parents;
  std::vector<Step> steps;
};

// The answers of so many keys are validated side by side, in so many bytes a vertex.
inline constexpr std::size_t kAnswersTogether = 4;
inline constexpr std::size_t kBytesTogether = 8 * kAnswersTogether;

// In which ids a search writes its answer while its time is taken: in those of the tuples, as
// Graph500 wants it, or in those that the graph was relabeled with, as other programs' times are
// taken.
enum class Labels { kOriginal, kInternal };
inline constexpr program::Words<Labels> kLabels = {{Labels::kOriginal, "original"},
                                                   {Labels::kInternal, "internal"}};
constexpr std::string_view ToString(Labels labels) { return kLabels.Print(labels); }

}  // namespace bfs
