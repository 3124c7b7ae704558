#include "apps/bfs/hubs/hub_graph.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/bfs/hubs/transpose.h"
#include "lwt/lwt.h"

namespace bfs {
namespace {

using graph::Edge;
using graph::Vertex;

constexpr std::int64_t kTuplesAPiece = 1 << 16;
constexpr std::int64_t kVerticesAPiece = 1 << 14;

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// Calls body(index) for each index below `end`, by lightweight threads.
template <typename Body>
void ForEach(std::uint64_t end, std::int64_t grain, const Body& body) {
  lwt::ParallelFor(0, Signed(end), grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(static_cast<std::uint64_t>(i));
  });
}

const topo::MemoryOptions kHuge = {.pages = topo::MemoryOptions::Pages::kHuge};

}  // namespace

// The construction, step by step; each member function runs within the pool.
class Builder {
 public:
  Builder(const topo::Topology& topology, const topo::Mapping& mapping, const Tuples& tuples,
          lwt::Pool& pool)
      : topology_(topology), mapping_(mapping), tuples_(tuples), blocks_(pool) {
    graph_.nodes_ = static_cast<int>(mapping.nodes().size());
    graph_.vertices_ = tuples.vertices();
    graph_.directed_ = tuples.direction() == graph::Direction::kDirected;
  }

  absl::Status Run() {
    for (const auto step : {&Builder::CountDegrees, &Builder::Rank, &Builder::MakeRoom,
                            &Builder::Fill, &Builder::Compact, &Builder::MakeForward}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  HubGraph Take() { return std::move(graph_); }

 private:
  template <typename T>
  absl::Status Make(topo::Array<T>& array, std::uint64_t elements) {
    auto made = topo::Array<T>::Allocate(topology_, std::max<std::uint64_t>(1, elements),
                                         topo::Placement::FirstTouch(), kHuge);
    if (made.ok()) array = *std::move(made);
    return made.status();
  }

  // elements(node) on each node.
  template <typename T, typename Elements>
  absl::Status Make(topo::NodeArrays<T>& arrays, const Elements& elements) {
    std::vector<std::size_t> sizes;
    for (int node = 0; node < graph_.nodes_; ++node) sizes.push_back(elements(node));
    auto made = topo::NodeArrays<T>::AllocateSized(topology_, mapping_, sizes, kHuge);
    if (made.ok()) arrays = *std::move(made);
    return made.status();
  }

  // Calls visit(edge) for each tuple that is no self-loop; returns how many there are.
  template <typename Visit>
  std::uint64_t ForEachTuple(const Visit& visit) {
    return lwt::ParallelReduce(
        0, Signed(tuples_.count()), kTuplesAPiece, std::uint64_t{0},
        [&](std::int64_t begin, std::int64_t end) {
          std::vector<Edge>& block = blocks_.Here();
          block.resize(static_cast<std::size_t>(end - begin));
          tuples_.Read(static_cast<std::uint64_t>(begin), block);
          std::uint64_t visited = 0;
          for (const Edge& edge : block) {
            if (edge.from == edge.to) continue;
            visit(edge);
            ++visited;
          }
          return visited;
        },
        std::plus<>());
  }

  absl::Status CountDegrees() {
    if (absl::Status status = Make(degrees_, graph_.vertices_); !status.ok()) return status;
    if (graph_.directed_) {
      absl::Status status = Make(in_degrees_, graph_.vertices_);
      status.Update(Make(graph_.leads_on_, WordsOf(graph_.vertices_)));
      if (!status.ok()) return status;
    }
    const std::uint64_t edges = ForEachTuple([&](const Edge& edge) {
      std::atomic_ref(degrees_[edge.from]).fetch_add(1, std::memory_order_relaxed);
      std::atomic_ref(degrees_[edge.to]).fetch_add(1, std::memory_order_relaxed);
      if (!graph_.directed_) return;
      std::atomic_ref(in_degrees_[edge.to]).fetch_add(1, std::memory_order_relaxed);
      std::atomic_ref(graph_.leads_on_[edge.from / kWordBits])
          .fetch_or(BitOf(edge.from), std::memory_order_relaxed);
    });
    const std::uint64_t ends = lwt::ParallelReduce(
        0, Signed(graph_.vertices_), kVerticesAPiece, std::uint64_t{0},
        [&](std::int64_t begin, std::int64_t end) {
          return std::accumulate(degrees_.data() + begin, degrees_.data() + end, std::uint64_t{0});
        },
        std::plus<>());
    if (ends == 2 * edges) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(tuples_.name(), ": a vertex has 2^32 edges or more, repeated ones counted"));
  }

  // Ranks by degree; of equal ones, the smaller id first: the sort is stable.
  absl::Status Rank() {
    topo::Array<std::uint64_t> keys, scratch;
    for (auto* const array : {&keys, &scratch}) {
      if (absl::Status status = Make(*array, graph_.vertices_); !status.ok()) return status;
    }
    if (absl::Status status = Make(graph_.rank_, graph_.vertices_); !status.ok()) return status;
    ForEach(graph_.vertices_, kVerticesAPiece,
            [&](std::uint64_t i) { keys[i] = static_cast<std::uint64_t>(~degrees_[i]) << 32 | i; });
    const auto sorted = keys.span().first(graph_.vertices_);
    lwt::ParallelSort(sorted, scratch.span().first(graph_.vertices_),
                      [](std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); });
    // The first one of at most that degree.
    const auto first_of = [&](std::uint32_t degree) {
      return static_cast<std::uint64_t>(
          std::lower_bound(sorted.begin(), sorted.end(),
                           static_cast<std::uint64_t>(~degree) << 32) -
          sorted.begin());
    };
    graph_.active_ = first_of(0);
    // Whole words, so that no thread shares one with the leaves; a few leaves are treated like
    // others.
    graph_.core_ = std::min(WordsOf(first_of(1)) * kWordBits, graph_.active_);
    if (absl::Status status = Make(graph_.original_, graph_.active_); !status.ok()) return status;
    ForEach(graph_.vertices_, kVerticesAPiece, [&](std::uint64_t i) {
      const auto original = static_cast<Vertex>(keys[i]);
      graph_.rank_[original] = static_cast<Vertex>(i);
      if (i < graph_.active_) graph_.original_[i] = original;
    });
    return absl::OkStatus();
  }

  std::uint64_t Places(int node) const { return graph_.words_of(node) * kWordBits; }

  // Where each backward list begins if it is as long as the vertex' degree, in which repeated edges
  // count; returns the length of all lists together, by node.
  std::vector<std::size_t> ScanDegrees(topo::NodeArrays<std::uint64_t>& begins) {
    const topo::Array<std::uint32_t>& degrees = graph_.directed_ ? in_degrees_ : degrees_;
    std::vector<std::size_t> room;
    for (int node = 0; node < graph_.nodes_; ++node) {
      ForEach(Places(node), kVerticesAPiece, [&](std::uint64_t place) {
        const Vertex rank = graph_.rank_at(node, place);
        begins[node][place] = rank < graph_.core_ ? degrees[graph_.original_[rank]] : 0;
      });
      room.push_back(std::max<std::uint64_t>(
          1, lwt::ParallelScan(begins[node].span().first(Places(node)), kVerticesAPiece,
                               std::uint64_t{0}, std::plus<>())));
    }
    return room;
  }

  absl::Status MakeRoom() {
    const auto places = [&](int node) { return Places(node); };
    if (absl::Status status = Make(ends_, places); !status.ok()) return status;
    if (absl::Status status = MakeLeaves(); !status.ok()) return status;
    const std::vector<std::size_t> room = ScanDegrees(ends_);
    return Make(graph_.backward_neighbors_,
                [&](int node) { return room[static_cast<std::size_t>(node)]; });
  }

  absl::Status MakeLeaves() {
    const std::uint64_t leaves = graph_.active_ - graph_.core_;
    absl::Status status = Make(graph_.leaf_parents_, leaves);
    if (!graph_.directed_ || !status.ok()) return status;
    status = Make(graph_.leaf_children_, leaves);
    if (!status.ok()) return status;
    ForEach(leaves, kVerticesAPiece, [&](std::uint64_t leaf) {
      graph_.leaf_parents_[leaf] = graph_.leaf_children_[leaf] =
          static_cast<Vertex>(graph_.core_ + leaf);
    });
    return absl::OkStatus();
  }

  // The vertex may have the neighbor as its parent.
  void Add(Vertex rank, Vertex neighbor) {
    if (rank >= graph_.core_) {
      graph_.leaf_parents_[rank - graph_.core_] = neighbor;
    } else if (neighbor < graph_.core_) {
      const int node = graph_.node_of(rank);
      std::atomic_ref end(ends_[node][graph_.local(rank)]);
      graph_.backward_neighbors_[node][end.fetch_add(1, std::memory_order_relaxed)] = neighbor;
    }
  }

  // All lists, in the order in which threads come; then in order, each neighbor once.
  absl::Status Fill() {
    ForEachTuple([&](const Edge& edge) {
      const Vertex from = graph_.rank_[edge.from], to = graph_.rank_[edge.to];
      Add(to, from);
      if (!graph_.directed_) {
        Add(from, to);
      } else if (from >= graph_.core_) {
        graph_.leaf_children_[from - graph_.core_] = to;
      }
    });
    if (absl::Status status = Make(begins_, [&](int node) { return Places(node); }); !status.ok()) {
      return status;
    }
    ScanDegrees(begins_);
    degrees_ = {};
    in_degrees_ = {};
    for (int node = 0; node < graph_.nodes_; ++node) {
      ForEach(Places(node), kWordBits, [&](std::uint64_t place) {
        Vertex* const begin = graph_.backward_neighbors_[node].data() + begins_[node][place];
        Vertex* const end = graph_.backward_neighbors_[node].data() + ends_[node][place];
        std::sort(begin, end);
        ends_[node][place] =
            begins_[node][place] + static_cast<std::uint64_t>(std::unique(begin, end) - begin);
      });
    }
    return absl::OkStatus();
  }

  // Moves the lists together, on each node from its first to its last.
  absl::Status Compact() {
    if (absl::Status status = MakeIndex(graph_.backward_bases_, graph_.backward_offsets_,
                                        [&](int node) { return Places(node); });
        !status.ok()) {
      return status;
    }
    if (absl::Status status = Make(graph_.first_, [&](int node) { return Places(node) + 1; });
        !status.ok()) {
      return status;
    }
    std::vector<std::uint64_t> kept(static_cast<std::size_t>(graph_.nodes_));
    ForEach(static_cast<std::uint64_t>(graph_.nodes_), 1, [&](std::uint64_t index) {
      const int node = static_cast<int>(index);
      const Lists lists = graph_.backward(node);
      std::uint64_t end = 0;
      for (std::uint64_t place = 0; place < Places(node); ++place) {
        const Vertex* const list = lists.neighbors + begins_[node][place];
        const std::uint64_t size = ends_[node][place] - begins_[node][place];
        graph_.first_[node][place] = size > 0 ? *list : graph_.rank_at(node, place);
        Begin(lists, place, end);
        std::copy(list, list + size, lists.neighbors + end);
        end += size;
      }
      Begin(lists, Places(node), end);
      kept[index] = end;
      GiveBack(graph_.backward_neighbors_[node], end);
    });
    begins_ = {};
    ends_ = {};
    for (const std::uint64_t each : kept) graph_.neighbors_ += each;
    kept_ = std::move(kept);
    return Fits();
  }

  // Each edge is in one backward list and one forward list of the same node: both kinds of lists
  // have as many neighbors.
  absl::Status MakeForward() {
    if (graph_.nodes_ == 1 && !graph_.directed_) return absl::OkStatus();
    const std::uint64_t places = graph_.words() * kWordBits;
    if (absl::Status status =
            MakeIndex(graph_.forward_bases_, graph_.forward_offsets_, [&](int) { return places; });
        !status.ok()) {
      return status;
    }
    if (absl::Status status = Make(graph_.forward_neighbors_,
                                   [&](int node) {
                                     return std::max<std::uint64_t>(
                                         1, kept_[static_cast<std::size_t>(node)]);
                                   });
        !status.ok()) {
      return status;
    }
    if (graph_.directed_) return MakeOutLists(places);
    ForEach(static_cast<std::uint64_t>(graph_.nodes_), 1, [&](std::uint64_t index) {
      const int node = static_cast<int>(index);
      const Lists forward = graph_.forward(node);
      std::uint64_t end = 0;
      for (std::uint64_t place = 0; place < places; ++place) {
        Begin(forward, place, end);
        if (place >= graph_.core_) continue;
        const auto rank = static_cast<Vertex>(place);
        for (const Vertex neighbor : graph_.backward(graph_.node_of(rank)).of(graph_.local(rank))) {
          if (graph_.node_of(neighbor) == node) forward.neighbors[end++] = neighbor;
        }
      }
      Begin(forward, places, end);
    });
    return absl::OkStatus();
  }

  absl::Status MakeOutLists(std::uint64_t places) {
    topo::Array<std::uint64_t> ends;
    absl::Status status = Make(ends, places);
    status.Update(Make(graph_.out_degrees_, [&](int node) { return Places(node); }));
    if (!status.ok()) return status;
    for (int node = 0; node < graph_.nodes_; ++node) {
      const Lists forward = graph_.forward(node);
      const auto rank_at = [&](std::uint64_t place) { return graph_.rank_at(node, place); };
      const std::span<std::uint64_t> scratch = ends.span().first(graph_.words() * kWordBits);
      if (!Transpose(graph_.backward(node), graph_.words_of(node) * kWordBits, rank_at, forward,
                     scratch)) {
        fits_ = false;
      }
      ForEach(fits_ ? graph_.core_ : 0, kVerticesAPiece, [&](std::uint64_t i) {
        const auto rank = static_cast<Vertex>(i);
        graph_.out_degrees_[graph_.node_of(rank)][graph_.local(rank)] +=
            static_cast<std::uint32_t>(forward.size(i));
      });
    }
    return Fits();
  }

  absl::Status Fits() const {
    if (fits_) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(tuples_.name(), ": ", kWordBits,
                     " vertices next to each other by degree have 2^32 neighbors or more"));
  }

  // The system has the pages behind the last list again.
  static void GiveBack(const topo::Array<Vertex>& neighbors, std::uint64_t kept) {
    const std::size_t page = topo::BasePageBytes();
    const std::size_t begin = (kept * sizeof(Vertex) + page - 1) / page * page;
    const std::size_t end = neighbors.memory().size();
    if (begin < end) madvise(neighbors.memory().data() + begin, end - begin, MADV_DONTNEED);
  }

  template <typename Count>
  absl::Status MakeIndex(topo::NodeArrays<std::uint64_t>& bases,
                         topo::NodeArrays<std::uint32_t>& offsets, const Count& lists) {
    absl::Status status = Make(bases, [&](int node) { return lists(node) / kWordBits + 1; });
    status.Update(Make(offsets, [&](int node) { return lists(node) + 1; }));
    return status;
  }

  void Begin(const Lists& lists, std::uint64_t list, std::uint64_t begin) {
    if (!lists.Begin(list, begin)) fits_ = false;
  }

  const topo::Topology& topology_;
  const topo::Mapping& mapping_;
  const Tuples& tuples_;
  lwt::WorkerLocal<std::vector<Edge>> blocks_;
  HubGraph graph_;
  topo::Array<std::uint32_t> degrees_, in_degrees_;  // by original id; the latter of arcs
  // Of lists with room between them, by local place.
  topo::NodeArrays<std::uint64_t> begins_, ends_;
  std::vector<std::uint64_t> kept_;  // neighbors of each node
  std::atomic<bool> fits_{true};
};

absl::StatusOr<HubGraph> HubGraph::Build(const topo::Topology& topology,
                                         const topo::Mapping& mapping, const Tuples& tuples) {
  lwt::PoolOptions options = {.workers = mapping.size()};
  if (mapping.binds() && mapping.policy() != topo::Policy::kUser) {
    options.placement = mapping.policy();
  }
  absl::StatusOr<std::unique_ptr<lwt::Pool>> pool = lwt::Pool::Create(options);
  if (!pool.ok()) return pool.status();
  Builder builder(topology, mapping, tuples, **pool);
  if (absl::Status status = (*pool)->Run([&] { return builder.Run(); }); !status.ok()) {
    return status;
  }
  return builder.Take();
}

std::uint64_t HubGraph::adjacency_bytes() const {
  std::uint64_t bytes = (directed_ ? 2 : 1) * (active_ - core_) * sizeof(Vertex) +
                        (directed_ ? WordsOf(vertices_) * sizeof(leads_on_[0]) : 0);
  for (int node = 0; node < nodes_; ++node) {
    const std::uint64_t places = words_of(node) * kWordBits;
    const Lists lists = backward(node);
    bytes += (places / kWordBits + 1) * sizeof(lists.bases[0]) +
             (places + 1) * sizeof(lists.offsets[0]) + lists.begin(places) * sizeof(Vertex) +
             places * sizeof(Vertex) + (directed_ ? places * sizeof(out_degrees_[0][0]) : 0);
    if (nodes_ == 1 && !directed_) continue;
    const std::uint64_t all = words() * kWordBits;
    const Lists onward = forward(node);
    bytes += (all / kWordBits + 1) * sizeof(lists.bases[0]) + (all + 1) * sizeof(lists.offsets[0]) +
             onward.begin(all) * sizeof(Vertex);
  }
  return bytes;
}

}  // namespace bfs
