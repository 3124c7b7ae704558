#include "apps/bfs/c/bfs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/bfs/breadth_first.h"
#include "apps/graph/edge_list.h"
#include "apps/program/c_calls.h"

struct bfs_graph {
  bfs::BreadthFirst search;
};

namespace {

// The result of `body`, a StatusOr; `failed` with a sentence where there is none.
template <typename Result, typename Body>
Result ResultOf(Result failed, const Body& body) {
  return program::Guarded([&]() -> Result {
    const absl::StatusOr<Result> result = body();
    if (result.ok()) return *result;
    program::Refuse(result.status());
    return failed;
  });
}

template <typename Neighbor>
bfs_graph* Build(std::uint64_t vertices, const std::uint64_t* offsets, const Neighbor* neighbors,
                 const bfs_options* asked) {
  const bfs_options given = asked == nullptr ? bfs_options{} : *asked;
  return ResultOf<bfs_graph*>(nullptr, [&]() -> absl::StatusOr<bfs_graph*> {
    if (vertices > graph::kMaxVertices) {
      return absl::InvalidArgumentError(std::to_string(vertices) + " vertices, expected at most " +
                                        std::to_string(graph::kMaxVertices));
    }
    if (offsets == nullptr || (neighbors == nullptr && vertices > 0 && offsets[vertices] > 0)) {
      return absl::InvalidArgumentError("offsets or neighbors is a null pointer");
    }
    bfs::RowsView rows = {.offsets = {offsets, vertices + 1}};
    if constexpr (sizeof(Neighbor) == 4) {
      rows.neighbors32 = {neighbors, offsets[vertices]};
    } else {
      rows.neighbors = {neighbors, offsets[vertices]};
    }
    if (given.is_directed != 0) rows.direction = graph::Direction::kDirected;
    auto search = bfs::BreadthFirst::Build(rows, {.threads = given.threads});
    if (!search.ok()) return search.status();
    return new bfs_graph{*std::move(search)};
  });
}

}  // namespace

const char* bfs_last_error(void) { return program::LastError().c_str(); }

bfs_graph* bfs_graph_new(uint64_t vertices, const uint64_t* offsets, const uint64_t* neighbors,
                         const bfs_options* options) {
  return Build(vertices, offsets, neighbors, options);
}

bfs_graph* bfs_graph_new32(uint64_t vertices, const uint64_t* offsets, const uint32_t* neighbors,
                           const bfs_options* options) {
  return Build(vertices, offsets, neighbors, options);
}

void bfs_graph_free(bfs_graph* graph) { delete graph; }

int64_t bfs_search(const bfs_graph* graph, uint64_t root, int64_t* parents, int64_t* depths) {
  return ResultOf<int64_t>(-1, [&]() -> absl::StatusOr<int64_t> {
    if (graph == nullptr) return absl::InvalidArgumentError("graph is a null pointer");
    const auto tree = graph->search.From(root);
    if (!tree.ok()) return tree.status();
    if (parents != nullptr) std::copy(tree->parents.begin(), tree->parents.end(), parents);
    if (depths != nullptr) std::copy(tree->depths.begin(), tree->depths.end(), depths);
    return static_cast<int64_t>(tree->reached);
  });
}
