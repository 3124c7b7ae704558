// Breadth-first search over a program's own rows of neighbors: build once, search from many roots.
//
//   const std::vector<std::uint64_t> offsets = {0, 1, 3, 4}, neighbors = {1, 0, 2, 1};
//   const auto search = bfs::BreadthFirst::Build({.offsets = offsets, .neighbors = neighbors});
//   const auto tree = search->From(0);      // tree->depths: 0, 1, 2
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A view: the neighbors of vertex v are entries offsets[v] up to offsets[v + 1] of `neighbors`, or
// of `neighbors32`, one of which is empty. They need not ascend; self-loops and repeated neighbors
// do no harm.
struct RowsView {
  std::span<const std::uint64_t> offsets;  // one more than there are vertices, from 0, ascending
  std::span<const std::uint64_t> neighbors = {};
  std::span<const std::uint32_t> neighbors32 = {};
  // Directed: an entry is an arc from the row's vertex to the neighbor. Undirected: it is an edge
  // that is searched both ways, whether the neighbor's row has it too or not.
  graph::Direction direction = graph::Direction::kUndirected;
};

// A value, by vertex.
struct SearchTree {
  std::uint64_t root = 0;
  std::uint64_t reached = 0;          // vertices, the root among them
  std::vector<std::int64_t> parents;  // the root's is the root; -1: not reached
  std::vector<std::int64_t> depths;   // edges from the root; -1: not reached
  double seconds = 0;                 // of the search, without the depths
};

// A value.
struct BuildOptions {
  int threads = 0;  // 0: as many as the machine runs at once
  topo::Policy policy = topo::Policy::kScatter;
};

// A resource: the rows in the order that searches are fast in (hub_graph.h), and the mapping of the
// threads that search. The rows that it was built of may go.
//
// Threads: From and FromEach may be called by any number of threads at once; each call has threads
// of its own.
class BreadthFirst {
 public:
  // InvalidArgument where offsets do not ascend from 0 to the number of entries, where a neighbor
  // is no vertex, or for more than 2^32 - 2 vertices, with the index; errors of topo's mapping and
  // arrays and of lwt::Pool::Create.
  static absl::StatusOr<BreadthFirst> Build(const RowsView& rows, const BuildOptions& options = {});

  std::uint64_t vertices() const;

  // InvalidArgument: the root is no vertex. Others: topo::RunThreads' and topo::Array's.
  absl::StatusOr<SearchTree> From(std::uint64_t root) const;
  // From each root in turn, by threads that are started once. One of them calls `done`, which must
  // not throw; the tree is overwritten by the next search. Errors: From's, before any search.
  absl::Status FromEach(std::span<const std::uint64_t> roots,
                        const std::function<void(const SearchTree&)>& done) const;

 private:
  struct Built;
  absl::Status Search(std::span<const std::uint64_t> roots, SearchTree& tree,
                      const std::function<void(const SearchTree&)>& done) const;
  explicit BreadthFirst(std::shared_ptr<const Built> built) : built_(std::move(built)) {}

  std::shared_ptr<const Built> built_;
};

}  // namespace bfs
