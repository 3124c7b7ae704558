// One answer under validation, by one thread of a described machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/validation/validation.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A value. What is said of an answer that passed.
struct Valid {
  Component component;
  std::vector<std::int32_t> levels;  // by vertex, -1 where it was not reached
};

inline Validation RoomFor(std::uint64_t vertices,
                          graph::Direction direction = graph::Direction::kUndirected) {
  static const topo::Topology machine = *topo::FromSynthetic("core:1 pu:1");
  return *Validation::Allocate(machine, topo::Plan(machine, topo::Policy::kNone, 1)->Unbound(),
                               vertices, direction);
}

inline absl::StatusOr<Valid> ValidateOne(
    graph::Vertex root, std::span<const graph::Vertex> parents, std::span<const graph::Edge> tuples,
    graph::Direction direction = graph::Direction::kUndirected) {
  Validation validation = RoomFor(parents.size(), direction);
  if (auto status = validation.Add(root, parents); !status.ok()) return status;
  if (auto status = validation.FindLevels(0, parents.size()); !status.ok()) return status;
  if (auto status = validation.Look(tuples); !status.ok()) return status;
  if (auto status = validation.Finish(0, parents.size()); !status.ok()) return status;
  Valid valid{validation.component(0), {}};
  for (std::uint64_t i = 0; i < parents.size(); ++i) {
    valid.levels.push_back(std::max(-1, validation.level(0, static_cast<graph::Vertex>(i))));
  }
  return valid;
}

}  // namespace bfs
