// A graph as the fast search reads it: hubs first.
//
// Vertices are numbered by rank: degrees (repeated edges counted) descend, equal degrees in the
// order of the original ids. So what is looked up most lies together, at the front of each array:
// most vertices have a hub among their neighbors. Ranks are
//
//   - below core: vertices with neighbors of their own, which searches go through, and up to 63
//     leaves, so that the core ends with a word;
//   - below active: leaves, of one edge. A leaf's parent is known without any search: it is no
//     neighbor of another vertex here, and gets its parent when all levels are done;
//   - the rest: isolated ones.
//
// A core vertex' neighbors ascend, so that the likeliest parent comes first; the first one also
// stands in an array of its own, which a bottom-up level reads from end to end.
//
// Each NUMA node in use has the core's words of 64 ranks whose number is its index, modulo the
// number of nodes, so all nodes have hubs: rank v is on node v / 64 % nodes, there at
// v / 64 / nodes * 64 + v % 64. `backward` are the neighbors of the node's own vertices;
// `forward`, on several nodes, those neighbors of all vertices that are the node's: a top-down
// level reads the whole frontier on each node and writes to that node only.
//
// Source: [ULIBC14] section 4.1 (forward and backward graph); Yasui, Fujisawa and Goto,
// NUMA-optimized Parallel Breadth-first Search on Multicore Single-node System, IEEE BigData 2013.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/bitmap.h"
#include "apps/bfs/tuples.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A view: lists of neighbors. List i begins at bases[i / 64] + offsets[i], about half of
// what 64-bit offsets take; both arrays have an entry for the list after the last.
struct Lists {
  std::uint64_t* bases = nullptr;
  std::uint32_t* offsets = nullptr;
  graph::Vertex* neighbors = nullptr;

  std::uint64_t begin(std::uint64_t list) const { return bases[list / kWordBits] + offsets[list]; }
  std::uint64_t size(std::uint64_t list) const { return begin(list + 1) - begin(list); }
  std::span<const graph::Vertex> of(std::uint64_t list) const {
    return {neighbors + begin(list), neighbors + begin(list + 1)};
  }
};

// A resource. Threads: any may read.
class HubGraph {
 public:
  // Built by lightweight threads, as many as the mapping has, on its PUs where it binds; what moves
  // lists together is one task a NUMA node. Reads the tuples twice. Errors: those of
  // lwt::Pool::Create and topo's arrays; InvalidArgument, with the graph's name, for a vertex with
  // 2^32 edges, and for 64 vertices, next to each other by degree, with so many neighbors.
  static absl::StatusOr<HubGraph> Build(const topo::Topology& topology,
                                        const topo::Mapping& mapping, const Tuples& tuples);

  std::uint64_t vertices() const { return vertices_; }
  std::uint64_t active() const { return active_; }
  std::uint64_t core() const { return core_; }
  std::uint64_t words() const { return WordsOf(core_); }

  int nodes() const { return nodes_; }
  std::uint64_t words_of(int node) const {
    const auto nodes = static_cast<std::uint64_t>(nodes_);
    return (words() + nodes - 1 - static_cast<std::uint64_t>(node)) / nodes;
  }
  // On one node a rank is its own place, and nothing is divided.
  int node_of(graph::Vertex rank) const {
    return nodes_ == 1 ? 0 : static_cast<int>(rank / kWordBits % static_cast<unsigned>(nodes_));
  }
  // Where the node of that rank has it.
  std::uint64_t local(graph::Vertex rank) const {
    if (nodes_ == 1) return rank;
    return rank / kWordBits / static_cast<unsigned>(nodes_) * kWordBits + rank % kWordBits;
  }
  // The rank at that place of that node.
  graph::Vertex rank_at(int node, std::uint64_t local) const {
    const std::uint64_t word =
        local / kWordBits * static_cast<unsigned>(nodes_) + static_cast<unsigned>(node);
    return static_cast<graph::Vertex>(word * kWordBits + local % kWordBits);
  }

  graph::Vertex original(graph::Vertex rank) const { return original_[rank]; }
  graph::Vertex rank(graph::Vertex original) const { return rank_[original]; }
  const graph::Vertex* originals() const { return original_.data(); }

  // By local place: the neighbor of least rank, or the vertex itself where it has no core neighbor.
  const graph::Vertex* first_neighbors(int node) const { return first_[node].data(); }
  // The only neighbor of each rank from core() on: a leaf's.
  const graph::Vertex* leaf_neighbors() const { return leaf_neighbors_.data(); }
  Lists backward(int node) const {
    return {backward_bases_[node].data(), backward_offsets_[node].data(),
            backward_neighbors_[node].data()};
  }
  // Lists of all core vertices, by rank.
  Lists forward(int node) const {
    if (nodes_ == 1) return backward(node);
    return {forward_bases_[node].data(), forward_offsets_[node].data(),
            forward_neighbors_[node].data()};
  }

  // Of a core vertex.
  std::uint64_t degree(graph::Vertex rank) const {
    return backward(node_of(rank)).size(local(rank));
  }
  // Ends of edges between core vertices.
  std::uint64_t neighbors() const { return neighbors_; }
  // What the lists take.
  std::uint64_t adjacency_bytes() const;

 private:
  friend class Builder;
  HubGraph() = default;

  std::uint64_t vertices_ = 0, active_ = 0, core_ = 0, neighbors_ = 0;
  int nodes_ = 1;
  topo::Array<graph::Vertex> rank_;            // by original id
  topo::Array<graph::Vertex> original_;        // by rank
  topo::Array<graph::Vertex> leaf_neighbors_;  // by rank - core
  topo::NodeArrays<graph::Vertex> first_;
  topo::NodeArrays<std::uint64_t> backward_bases_, forward_bases_;
  topo::NodeArrays<std::uint32_t> backward_offsets_, forward_offsets_;
  topo::NodeArrays<graph::Vertex> backward_neighbors_, forward_neighbors_;
};

}  // namespace bfs
