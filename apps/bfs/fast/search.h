// The fast search: the hybrid one on a graph whose hubs come first (hub_graph.h).
//
// What makes it faster than plain_search.h: levels go through the core only, leaves get their
// parents at the end; what is unreached is a bitmap of 64-bit words, so that a bottom-up level
// passes over what is done 64 vertices at a time; a vertex' likeliest parent is looked up first,
// eight vertices an instruction. On several NUMA nodes each writes to its own memory only, but for
// the answer.
//
// Source: [ULIBC14] section 4.1 and what hub_graph.h names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "apps/bfs/fast/direction.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/answer.h"
#include "topo/topo.h"

namespace bfs {

// A value. How the work of a level is cut; found by measurement, and small in tests.
struct Cuts {
  // A top-down level of so few edges is searched by one thread, which costs less than that all meet
  // twice. Roads have thousands of such levels.
  std::int64_t few_edges = 2048;
  // From so many neighbors on, a vertex' list is cut into a piece for each thread.
  std::uint64_t hub_degree = 4096;
  // How many words of 64 vertices a thread takes at a time: some microseconds of work, so that no
  // thread waits long for the last one.
  std::int64_t words = 16;
};

// A value.
struct SearchOptions {
  DirectionOptions direction = {};
  Labels labels = Labels::kOriginal;
  Cuts cuts = {};
};

// Searches from each key in turn, along the arcs of a directed graph, by the threads of the mapping
// that the graph was built for, which are started once; `done` is called for each answer, whose
// parents are original ids whatever the labels were while time was taken, by one thread while the
// others wait, and must not throw. A step's frontier counts vertices of the core. Errors: those of
// topo::RunThreads and topo::Array. Precondition: the keys are vertices.
absl::Status SearchAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const HubGraph& graph, std::span<const graph::Vertex> keys,
                       const SearchOptions& options,
                       const std::function<void(const Answer&)>& done);

}  // namespace bfs
