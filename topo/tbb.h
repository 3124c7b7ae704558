// oneTBB by NUMA node: one task arena a node of the mapping, its threads pinned.
//
// TBB moves tasks between any threads of an arena; with an arena a node they
// stay on the node. Each thread that enters an arena takes a free slot of the
// node and is pinned to it until it leaves.
//
//   topo::NodeArenas arenas(topology, mapping);
//   arenas.RunOnEach([&](int node_index) {
//     tbb::parallel_for(...);   // by the threads of mapping.nodes()[node_index]
//   });
//
// A separate target, //topo:tbb, so that topo itself needs no TBB.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "topo/mapping.h"
#include "topo/topology.h"

namespace topo {

// A resource. The arenas of one mapping.
//
// Threads: RunOnEach from one thread at a time; arena(i) as TBB allows. TBB has
// as many workers as PUs; a mapping with more threads needs a
// tbb::global_control of the caller's.
class NodeArenas {
 public:
  NodeArenas(Topology topology, Mapping mapping);
  ~NodeArenas();
  NodeArenas(const NodeArenas&) = delete;
  NodeArenas& operator=(const NodeArenas&) = delete;

  int size() const { return static_cast<int>(arenas_.size()); }

  // The arena of mapping.nodes()[node_index].
  tbb::task_arena& arena(int node_index);

  // Calls body(node_index) in every arena, all at once, and waits for all. The
  // caller works along in one arena after the other. An exception of a body
  // reaches the caller when all have ended (the one of the lowest node). Bodies must not wait for
  // each other: TBB promises no arena a second thread.
  void RunOnEach(const std::function<void(int)>& body);

  // The first thread that could not be pinned, if any; work goes on without.
  absl::Status status() const;

 private:
  class Arena;
  std::vector<std::unique_ptr<Arena>> arenas_;
};

}  // namespace topo
