#include "apps/predict/programs/bfs.h"

#include <algorithm>
#include <span>

#include "apps/bfs/fast/direction.h"
#include "apps/bfs/problem/keys.h"
#include "apps/graph/csr.h"
#include "apps/predict/machine/unbound.h"
#include "apps/predict/machine/work.h"

namespace predict {
namespace {

constexpr std::int32_t kUnreached = -1;

// The levels of one search, each searched the way that NextDirection says.
class CountedSearch {
 public:
  CountedSearch(const graph::Csr& csr, graph::Vertex root)
      : csr_(csr), depths_(csr.vertices(), kUnreached), frontier_({root}) {
    depths_[root] = 0;
    for (graph::Vertex v = 0; v < csr.vertices(); ++v) {
      if (csr.degree(v) > 0) ++unreached_;
      unreached_edges_ += static_cast<std::int64_t>(csr.degree(v));
    }
    --unreached_;
    unreached_edges_ -= static_cast<std::int64_t>(csr.degree(root));
  }

  std::vector<LevelWork> Run() {
    std::vector<LevelWork> levels;
    bfs::Direction direction = bfs::Direction::kTopDown;
    while (!frontier_.empty()) {
      LevelWork level = {.direction = direction, .frontier = static_cast<double>(frontier_.size())};
      next_.clear();
      if (direction == bfs::Direction::kTopDown) {
        GoDown(level);
      } else {
        GoUp(level);
      }
      ++depth_;
      std::int64_t next_edges = 0;
      for (const graph::Vertex v : next_) next_edges += static_cast<std::int64_t>(csr_.degree(v));
      level.found = static_cast<double>(next_.size());
      unreached_ -= static_cast<std::int64_t>(next_.size());
      unreached_edges_ -= next_edges;
      direction = bfs::NextDirection({.direction = direction,
                                      .frontier = static_cast<std::int64_t>(frontier_.size()),
                                      .next_frontier = static_cast<std::int64_t>(next_.size()),
                                      .next_edges = next_edges,
                                      .unreached = unreached_,
                                      .unreached_edges = unreached_edges_},
                                     {});
      levels.push_back(level);
      frontier_.swap(next_);
    }
    return levels;
  }

 private:
  void GoDown(LevelWork& level) {
    level.looked_at = static_cast<double>(frontier_.size());
    for (const graph::Vertex v : frontier_) {
      for (const graph::Vertex neighbor : csr_.of(v)) {
        ++level.edges;
        if (depths_[neighbor] != kUnreached) continue;
        depths_[neighbor] = depth_ + 1;
        next_.push_back(neighbor);
      }
    }
  }
  void GoUp(LevelWork& level) {
    for (graph::Vertex v = 0; v < csr_.vertices(); ++v) {
      if (depths_[v] != kUnreached || csr_.degree(v) == 0) continue;
      ++level.looked_at;
      for (const graph::Vertex neighbor : csr_.of(v)) {
        ++level.edges;
        if (depths_[neighbor] != depth_) continue;
        next_.push_back(v);
        break;
      }
    }
    for (const graph::Vertex v : next_) depths_[v] = depth_ + 1;
  }

  const graph::Csr& csr_;
  std::vector<std::int32_t> depths_;
  std::vector<graph::Vertex> frontier_, next_;
  std::int32_t depth_ = 0;
  std::int64_t unreached_ = 0, unreached_edges_ = 0;
};

// A value. The threads of a level, and where the graph lies.
struct Threads {
  std::vector<topo::PuId> pus;
  std::vector<std::vector<topo::NodeId>> graph;  // of each thread, in equal parts
  double handoff_ns = 0;  // of a line that other threads write too; 0: there is none
};

double LevelNs(const Machine& machine, const Threads& threads, const LevelWork& level,
               const SearchModel& model) {
  const double part = model.times / static_cast<double>(threads.pus.size());
  std::vector<Work> works;
  for (std::size_t thread = 0; thread < threads.pus.size(); ++thread) {
    Work work = {.pu = threads.pus[thread],
                 .compute_ns = level.edges * part * model.costs.edge_ns,
                 .waiting_ns = level.found * part * threads.handoff_ns,
                 .memory = {}};
    const std::vector<topo::NodeId>& nodes = threads.graph[thread];
    for (const topo::NodeId node : nodes) {
      const double on_node = part / static_cast<double>(nodes.size());
      // The search fetches two lines for each vertex that it looks at: where its neighbors begin,
      // and the first of them. The other neighbors are streamed.
      work.memory.push_back(
          {.node = node,
           .streamed_lines = level.edges * on_node * sizeof(graph::Vertex) / kLineBytes,
           .chained_lines = (2 * level.looked_at + level.found) * on_node,
           .chains = model.costs.chains,
           .written_lines = level.found * on_node});
    }
    works.push_back(std::move(work));
  }
  return DurationNs(machine, works);
}

double LevelsNs(const Machine& machine, const Threads& threads, const SearchWork& search,
                const SearchModel& model) {
  double ns = 0;
  for (const LevelWork& level : search.levels) ns += LevelNs(machine, threads, level, model);
  return ns;
}

// Of a line that any other thread may have written.
double MeanHandoffNs(const Machine& machine) {
  double sum = 0;
  for (const topo::Node& from : machine.topology().nodes()) {
    for (const topo::Node& to : machine.topology().nodes())
      sum += machine.HandoffNs(from.id, to.id);
  }
  return sum / machine.nodes() / machine.nodes();
}

}  // namespace

SearchWork CountSearch(const graph::Kronecker& kronecker, std::uint64_t seed) {
  graph::EdgeList list;
  list.vertices = kronecker.vertices();
  list.edges.resize(kronecker.edges());
  graph::Generate(kronecker, 0, list.edges);
  const graph::Csr csr = graph::BuildCsr(list);
  const graph::Vertex root = bfs::ChooseKeys(csr.vertices(), 1, seed, [&](graph::Vertex v) {
                               return csr.degree(v) > 0;
                             }).front();
  return {.levels = CountedSearch(csr, root).Run(),
          .vertices = static_cast<double>(csr.vertices()),
          .tuples = static_cast<double>(kronecker.edges())};
}

double SearchNs(const Machine& machine, const topo::Mapping& mapping, const SearchWork& search,
                const SearchModel& model) {
  const topo::Topology& topology = machine.topology();
  Threads threads;
  if (mapping.policy() != topo::Policy::kNone) {
    for (const topo::Slot& slot : mapping.slots()) {
      threads.pus.push_back(slot.pu);
      threads.graph.push_back({slot.memory});
    }
    return LevelsNs(machine, threads, search, model);
  }
  std::vector<topo::NodeId> all;
  for (const topo::Node& node : topology.nodes()) all.push_back(node.id);
  threads.graph.assign(static_cast<std::size_t>(mapping.size()), all);
  threads.handoff_ns = mapping.size() == 1 ? 0 : MeanHandoffNs(machine);
  return MedianOfDraws(topology, mapping.size(), model.seed, [&](UnboundThreads& unbound) {
    threads.pus = unbound.pus();
    return LevelsNs(machine, threads, search, model);
  });
}

}  // namespace predict
