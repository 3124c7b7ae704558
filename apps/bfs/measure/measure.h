// Searches from all keys by the threads of a mapping, and validates each answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/bfs/validation/validation.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// Of a longer search the first levels are kept: a road has thousands, for each key.
inline constexpr std::size_t kLevelsKept = 1000;

// A value: one search, validated.
struct Searched {
  graph::Vertex root = 0;
  double seconds = 0;
  double validation_seconds = 0;  // its share: answers are validated side by side
  Component component;
  std::size_t levels = 0;
  std::vector<Step> steps;  // the first kLevelsKept of them
};

// A search from each of some keys in turn; `done` is called with each answer, and must not throw.
using Searcher = std::function<absl::Status(std::span<const graph::Vertex> keys,
                                            const std::function<void(const Answer&)>& done)>;

// Called with a valid answer, that of this key of those that were validated together.
using Witness = std::function<void(const Validation& answers, std::size_t key)>;

// The seconds of one pass over all tuples, block by block, by the threads of the mapping. A
// generator makes tuples again for each use. Errors: topo::RunThreads'.
absl::StatusOr<double> SecondsToRead(const topo::Topology& topology, const topo::Mapping& mapping,
                                     const Tuples& tuples);

// Keeps the answers of a few keys at a time (KeysAtOnce), and validates them in one pass over the
// tuples, by the threads of the mapping. Errors: the searcher's, topo::RunThreads' and those of
// Validation, whose sentence names the key.
absl::StatusOr<std::vector<Searched>> SearchAndValidate(
    const topo::Topology& topology, const topo::Mapping& mapping, const Tuples& tuples,
    std::span<const graph::Vertex> keys, const Searcher& searcher,
    const std::function<void(const std::string&)>& progress, const Witness& witness = {});

}  // namespace bfs
