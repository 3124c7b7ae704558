// The sets of vertices of a fast search, as each NUMA node holds them: its unreached vertices, the
// frontier as words of 64 bits and as queues of threads, and the vertices that a level has found.
//
// A bottom-up level reads a replica of the frontier's words on each node, and writes words of its
// own node only. A top-down level reads queues.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/hubs/bitmap.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A count that threads take work by, alone in its cache line.
struct alignas(64) Taken {
  std::atomic<std::int64_t> count{0};

  // The next `most` or fewer of the numbers below `end`. Threads: any.
  topo::Range Take(std::int64_t end, std::int64_t most) {
    const std::int64_t begin = count.fetch_add(most, std::memory_order_relaxed);
    return {std::min(begin, end), std::min(begin + most, end)};
  }
};

// One NUMA node's share of a search. Between two barriers its words are written by its own threads,
// or by one thread alone.
struct alignas(128) NodeSets {
  Lists forward, backward;
  const graph::Vertex* first = nullptr;        // as HubGraph::first_neighbors
  const std::uint32_t* out_degrees = nullptr;  // along arcs
  std::int64_t words = 0;
  // A bit for each of the node's vertices.
  std::uint64_t* unreached = nullptr;
  std::uint64_t* next = nullptr;  // found by a bottom-up level
  // A bit for each vertex of the core.
  std::uint64_t* frontier = nullptr;
  // The work that the node's threads have taken: of its words, and of each queue.
  Taken taken_words;
  std::vector<Taken> taken_of_queue;
};

// The part of the frontier that one thread has found. A thread searches from its own queue first,
// because the vertices that it reaches from there lie in memory that it has written before; then
// from the rest of other threads' queues.
struct alignas(128) Queue {
  std::vector<graph::Vertex> now, next;
};

// A resource. Threads: each function says who calls it.
class Frontier {
 public:
  // A thread's place among the threads of its node.
  struct Place {
    Place(Frontier& frontier, const topo::Slot& slot);

    const int index;  // of the node
    NodeSets& node;
    const std::size_t number;  // of all threads
    Queue& queue;
    const int ordinal, threads;
    const topo::Range own_words;  // of the node's
    const topo::Range all_words;  // of the node's replica of the frontier
  };

  // The mapping and the graph must outlive it. Errors: topo::NodeArrays'.
  static absl::StatusOr<Frontier> Allocate(const topo::Topology& topology,
                                           const topo::Mapping& mapping, const HubGraph& graph);

  std::span<const std::unique_ptr<NodeSets>> nodes() const { return nodes_; }
  std::span<Queue> queues() { return queues_; }

  // Of a vertex of the core. By one thread.
  void Reach(graph::Vertex rank) {
    const std::uint64_t place = graph_->local(rank);
    nodes_[NodeOf(rank)]->unreached[place / kWordBits] &= ~BitOf(place);
  }
  // Of a vertex of the core. By any thread.
  bool IsUnreached(graph::Vertex rank) const {
    return HasBit(nodes_[NodeOf(rank)]->unreached, graph_->local(rank));
  }

  // No vertex is reached. By each thread, its own words.
  void Clear(const Place& place);
  // The frontier's words from all queues, or from the words that a bottom-up level has found. By
  // each thread, its words of its node's replica.
  void WordsFromQueues(const Place& place);
  void WordsFromFound(const Place& place);
  // The queue of each thread from its own words that a bottom-up level has found. Returns the edges
  // that enter the unreached vertices of these words.
  std::int64_t QueueFromFound(const Place& place);

  // The queues that a level has filled become the frontier. By one thread.
  void Advance();
  // The work that threads have taken is forgotten. By one thread, after a level that threads have
  // shared. There is a count for each thread on each node: too many to clear after each small level
  // of a road.
  void ForgetTaken();

 private:
  std::size_t NodeOf(graph::Vertex rank) const {
    return static_cast<std::size_t>(graph_->node_of(rank));
  }

  Frontier(const topo::Mapping& mapping, const HubGraph& graph)
      : mapping_(&mapping), graph_(&graph), queues_(static_cast<std::size_t>(mapping.size())) {}

  const topo::Mapping* mapping_;
  const HubGraph* graph_;
  topo::NodeArrays<std::uint64_t> unreached_, next_, frontiers_;
  std::vector<std::unique_ptr<NodeSets>> nodes_;
  std::vector<Queue> queues_;  // by thread
};

}  // namespace bfs
