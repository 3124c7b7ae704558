// Searches from all keys by the threads of a mapping, and validates each answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/plain_search.h"
#include "apps/bfs/tuples.h"
#include "apps/bfs/validation.h"
#include "apps/graph/csr.h"
#include "topo/topo.h"

namespace bfs {

// A value: one search, validated.
struct Searched {
  graph::Vertex root = 0;
  double seconds = 0;
  Component component;
  std::vector<Step> steps;

  double teps() const { return static_cast<double>(component.tuples) / seconds; }
};

// Errors: those of topo::RunThreads and of Validation, whose sentence names the key. Answers of a
// few keys are kept at a time, 8 bytes a vertex and key, and validated in one pass over the tuples.
absl::StatusOr<std::vector<Searched>> SearchAndValidate(
    const topo::Topology& topology, const topo::Mapping& mapping, const Tuples& tuples,
    const graph::Csr& csr, std::span<const graph::Vertex> keys,
    const std::function<void(const std::string&)>& progress);

}  // namespace bfs
