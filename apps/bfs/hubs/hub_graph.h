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
// Of a directed graph, a degree counts arcs that enter and arcs that leave; a leaf has one arc,
// which enters it or leaves it; `backward` has in-neighbors and `forward` out-neighbors.
//
// Each NUMA node in use has the core's words of 64 ranks whose number is its index, modulo the
// number of nodes, so all nodes have hubs: rank v is on node v / 64 % nodes, there at
// v / 64 / nodes * 64 + v % 64. `backward` are the neighbors of the node's own vertices;
// `forward`, on several nodes or along arcs, the neighbors that are the node's of all vertices: a
// top-down level reads the whole frontier on each node and writes to that node only.
//
// Source: [ULIBC14] section 4.1 (forward and backward graph); Yasui, Fujisawa and Goto,
// NUMA-optimized Parallel Breadth-first Search on Multicore Single-node System, IEEE BigData 2013.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/hubs/bitmap.h"
#include "apps/bfs/hubs/lists.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A resource. Threads: any may read.
class HubGraph {
 public:
  // Built by lightweight threads, as many as the mapping has, on its PUs where it binds; what moves
  // lists together is one task a NUMA node. Reads the tuples twice. Errors: those of
  // lwt::Pool::Create and topo's arrays; InvalidArgument, with the graph's name, for a vertex with
  // 2^32 edges, and for 64 vertices, next to each other by degree, with so many neighbors.
  static absl::StatusOr<HubGraph> Build(const topo::Topology& topology,
                                        const topo::Mapping& mapping, const Tuples& tuples);

  bool is_directed() const { return directed_; }
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

  // Whether an edge leads from the vertex of this original id to another vertex.
  bool leads_on(graph::Vertex original) const {
    return directed_ ? HasBit(leads_on_.data(), original) : rank_[original] < active_;
  }

  // By local place: the (in-)neighbor of least rank, or the vertex itself where the core has none.
  const graph::Vertex* first_neighbors(int node) const { return first_[node].data(); }
  // Of each leaf (the ranks from core() on): its only neighbor. Of a directed graph: the vertex
  // from which its arc comes, and the vertex to which its arc leads; the leaf itself stands for no
  // vertex.
  const graph::Vertex* leaf_parents() const { return leaf_parents_.data(); }
  const graph::Vertex* leaf_children() const {
    return directed_ ? leaf_children_.data() : leaf_parents_.data();
  }
  Lists backward(int node) const {
    return {backward_bases_[node].data(), backward_offsets_[node].data(),
            backward_neighbors_[node].data()};
  }
  // Lists of all core vertices, by rank.
  Lists forward(int node) const {
    if (nodes_ == 1 && !directed_) return backward(node);
    return {forward_bases_[node].data(), forward_offsets_[node].data(),
            forward_neighbors_[node].data()};
  }

  // By local place, of a directed graph: out-neighbors of each core vertex, on all nodes.
  const std::uint32_t* out_degrees(int node) const { return out_degrees_[node].data(); }
  // Of a core vertex: how many core vertices an edge leads from, and leads to. Both numbers are
  // equal where edges have no direction.
  std::uint64_t in_degree(graph::Vertex rank) const {
    return backward(node_of(rank)).size(local(rank));
  }
  std::uint64_t out_degree(graph::Vertex rank) const {
    return directed_ ? out_degrees_[node_of(rank)][local(rank)] : in_degree(rank);
  }
  // Neighbors in all backward lists.
  std::uint64_t neighbors() const { return neighbors_; }
  // What the lists take.
  std::uint64_t adjacency_bytes() const;

 private:
  friend class Builder;
  HubGraph() = default;

  std::uint64_t vertices_ = 0, active_ = 0, core_ = 0, neighbors_ = 0;
  int nodes_ = 1;
  bool directed_ = false;
  topo::Array<graph::Vertex> rank_;           // by original id
  topo::Array<graph::Vertex> original_;       // by rank
  topo::Array<graph::Vertex> leaf_parents_;   // by rank - core
  topo::Array<graph::Vertex> leaf_children_;  // of a directed graph, as the two below
  topo::Array<std::uint64_t> leads_on_;       // a bit for each original id
  topo::NodeArrays<std::uint32_t> out_degrees_;
  topo::NodeArrays<graph::Vertex> first_;
  topo::NodeArrays<std::uint64_t> backward_bases_, forward_bases_;
  topo::NodeArrays<std::uint32_t> backward_offsets_, forward_offsets_;
  topo::NodeArrays<graph::Vertex> backward_neighbors_, forward_neighbors_;
};

}  // namespace bfs
