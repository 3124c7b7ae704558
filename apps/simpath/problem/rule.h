// The rule of a count: paths or cycles. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/graph/edge_list.h"

namespace simpath {

enum class Shape : std::uint8_t { kPaths, kCycles };
enum class Ends : std::uint8_t {
  kGiven,  // paths join source and target
  kAny,    // paths join any two different vertices
};
enum class Visits : std::uint8_t { kSomeVertices, kAllVertices };

// A value. Paths and cycles are simple: no vertex is visited twice. In a directed graph they follow
// the arcs, and a cycle may consist of two arcs.
struct Rule {
  Shape shape = Shape::kPaths;
  Ends ends = Ends::kGiven;  // of paths
  Visits visits = Visits::kSomeVertices;
  graph::Direction direction = graph::Direction::kUndirected;

  bool has_terminals() const { return shape == Shape::kPaths && ends == Ends::kGiven; }
  bool is_directed() const { return direction == graph::Direction::kDirected; }

  friend bool operator==(const Rule&, const Rule&) = default;
};

// As --rule has it.
constexpr std::string_view NameOf(const Rule& rule) {
  const bool all = rule.visits == Visits::kAllVertices;
  if (rule.shape == Shape::kCycles) return all ? "hamiltonian-cycles" : "cycles";
  return all ? "hamiltonian-paths" : "paths";
}

}  // namespace simpath
