#include "apps/bfs/breadth_first.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/bfs/fast/search.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/tuples.h"

namespace bfs {
namespace {

using graph::Edge;
using graph::Vertex;

// A view with neighbors of either width.
class Rows {
 public:
  explicit Rows(const RowsView& view) : view_(view) {}

  std::uint64_t vertices() const { return view_.offsets.size() - 1; }
  std::uint64_t entries() const {
    return std::max(view_.neighbors.size(), view_.neighbors32.size());
  }
  std::uint64_t neighbor(std::uint64_t entry) const {
    return view_.neighbors32.empty() ? view_.neighbors[entry] : view_.neighbors32[entry];
  }

  absl::Status Check() const {
    const auto fault = [](const auto&... words) {
      return absl::InvalidArgumentError(absl::StrCat("rows: ", words...));
    };
    const auto& offsets = view_.offsets;
    if (offsets.empty()) return fault("there are no offsets, expected one more than vertices");
    if (!view_.neighbors.empty() && !view_.neighbors32.empty()) {
      return fault("neighbors of 64 bits and of 32 bits, expected one of them");
    }
    if (vertices() == 0) return fault("there is no vertex");
    // The vertex that is none has an id of 32 bits, too.
    if (vertices() >= graph::kMaxVertices) {
      return fault(vertices(), " vertices, expected at most ", graph::kMaxVertices - 1);
    }
    if (offsets.front() != 0 || offsets.back() != entries()) {
      return fault("offsets from ", offsets.front(), " to ", offsets.back(), ", expected 0 to ",
                   entries(), ", the number of neighbors");
    }
    const auto descent = std::is_sorted_until(offsets.begin(), offsets.end());
    if (descent != offsets.end()) {
      return fault("offset ", descent - offsets.begin(), " is below the one before");
    }
    for (std::uint64_t entry = 0; entry < entries(); ++entry) {
      if (neighbor(entry) < vertices()) continue;
      return fault("neighbor ", entry, " is ", neighbor(entry), ", expected a vertex below ",
                   vertices());
    }
    return absl::OkStatus();
  }

  void Read(std::uint64_t first, std::span<Edge> out) const {
    if (out.empty()) return;
    const auto& offsets = view_.offsets;
    auto row = static_cast<std::uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), first) -
                                          offsets.begin() - 1);
    for (Edge& edge : out) {
      while (first == offsets[row + 1]) ++row;
      edge = {static_cast<Vertex>(row), static_cast<Vertex>(neighbor(first++))};
    }
  }

 private:
  const RowsView view_;
};

// Each vertex that was reached is one below its parent. `path` has room for all vertices.
void FindDepths(SearchTree& tree, std::vector<std::size_t>& path) noexcept {
  tree.reached = 0;
  std::fill(tree.depths.begin(), tree.depths.end(), -1);
  tree.depths[tree.root] = 0;
  for (std::size_t vertex = 0; vertex < tree.parents.size(); ++vertex) {
    if (tree.parents[vertex] < 0) continue;
    ++tree.reached;
    std::size_t at = vertex;
    for (; tree.depths[at] < 0; at = static_cast<std::size_t>(tree.parents[at])) path.push_back(at);
    std::int64_t depth = tree.depths[at];
    for (; !path.empty(); path.pop_back()) tree.depths[path.back()] = ++depth;
  }
}

}  // namespace

struct BreadthFirst::Built {
  topo::Topology topology;
  topo::Mapping mapping;
  HubGraph graph;
};

absl::StatusOr<BreadthFirst> BreadthFirst::Build(const RowsView& view,
                                                 const BuildOptions& options) {
  const Rows rows(view);
  if (absl::Status status = rows.Check(); !status.ok()) return status;
  absl::StatusOr<topo::Topology> topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const int threads = options.threads > 0 ? options.threads : topology->default_threads();
  absl::StatusOr<topo::Mapping> mapping = topo::Plan(*topology, options.policy, threads);
  if (!mapping.ok()) return mapping.status();
  absl::StatusOr<HubGraph> graph = HubGraph::Build(
      *topology, *mapping,
      Tuples::Elsewhere(
          "rows", rows.vertices(), rows.entries(), view.direction,
          [&rows](std::uint64_t first, std::span<Edge> out) { rows.Read(first, out); }));
  if (!graph.ok()) return graph.status();
  return BreadthFirst(std::make_shared<const Built>(
      Built{*std::move(topology), *std::move(mapping), *std::move(graph)}));
}

std::uint64_t BreadthFirst::vertices() const { return built_->graph.vertices(); }

absl::StatusOr<SearchTree> BreadthFirst::From(std::uint64_t root) const {
  SearchTree tree;
  const absl::Status status = Search({&root, 1}, tree, [](const SearchTree&) {});
  if (!status.ok()) return status;
  return tree;
}

absl::Status BreadthFirst::FromEach(std::span<const std::uint64_t> roots,
                                    const std::function<void(const SearchTree&)>& done) const {
  SearchTree tree;
  return Search(roots, tree, done);
}

absl::Status BreadthFirst::Search(std::span<const std::uint64_t> roots, SearchTree& tree,
                                  const std::function<void(const SearchTree&)>& done) const {
  std::vector<Vertex> keys;
  for (const std::uint64_t root : roots) {
    if (root >= vertices()) {
      return absl::InvalidArgumentError(
          absl::StrCat("root ", root, " is no vertex of a graph of ", vertices()));
    }
    keys.push_back(static_cast<Vertex>(root));
  }
  // All memory is taken before the threads start, whose calls must not throw.
  tree.parents.resize(vertices());
  tree.depths.resize(vertices());
  std::vector<std::size_t> path;
  path.reserve(vertices());
  return SearchAll(built_->topology, built_->mapping, built_->graph, keys, SearchOptions{},
                   [&](const Answer& answer) {
                     tree.root = answer.root;
                     tree.seconds = answer.seconds;
                     std::transform(answer.parents.begin(), answer.parents.end(),
                                    tree.parents.begin(), [](Vertex parent) {
                                      return parent == kNoParent ? -1 : std::int64_t{parent};
                                    });
                     FindDepths(tree, path);
                     done(tree);
                   });
}

}  // namespace bfs
