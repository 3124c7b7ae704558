#include "apps/bfs/fast/search.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/bfs/fast/first_hits.h"
#include "apps/bfs/fast/frontier.h"
#include "apps/bfs/fast/tree.h"
#include "apps/bfs/hubs/bitmap.h"

namespace bfs {
namespace {

using graph::Vertex;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostTaken = 64;  // vertices of the queue that a thread takes at a time

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// The state that all threads of the searches share. Between two barriers either one thread writes,
// or each thread its own part; members that several threads write are atomic.
template <Labels labels, graph::Direction direction>
class Search {
 public:
  Search(const topo::Mapping& mapping, const HubGraph& graph, const SearchOptions& options,
         Tree<labels> tree, Frontier frontier)
      : mapping_(mapping),
        graph_(graph),
        options_(options),
        first_hits_(FastestFirstHits()),
        barrier_(mapping.size()),
        tree_(std::move(tree)),
        sets_(std::move(frontier)) {
    const auto is_hub = [&](std::uint64_t rank) {
      const auto vertex = static_cast<Vertex>(rank);
      const std::uint64_t degree =
          graph.in_degree(vertex) + (kDirected ? graph.out_degree(vertex) : 0);
      return degree >= options.cuts.hub_degree;
    };
    while (hubs_ < graph.core() && is_hub(hubs_)) ++hubs_;
  }

  // By all threads. An exception would leave the others at a barrier: it ends the program.
  void Run(const topo::Slot& slot, Vertex root,
           const std::function<void(const Answer&)>& done) noexcept {
    Place place(sets_, slot);
    if (slot.thread == 0) start_ = step_start_ = Clock::now();
    sets_.Clear(place);
    if constexpr (kDirected) {
      const topo::Range share =
          topo::Split(Signed(graph_.vertices()), mapping_.size(), slot.thread);
      tree_.Clear(share.begin, share.end);
    }
    barrier_.ArriveAndWait([&] {
      Begin(root);
      SearchSmallLevels();
    });
    while (true) {
      HandOn(place);
      barrier_.ArriveAndWait();
      if (frontier_ == 0) break;
      if (direction_ == Direction::kTopDown) {
        TopDown(place);
      } else {
        BottomUp(place);
      }
      barrier_.ArriveAndWait([&] {
        sets_.ForgetTaken();
        Decide();
        SearchSmallLevels();
      });
    }
    Finish(place, slot);
    barrier_.ArriveAndWait([&] {
      if (!isolated_) tree_.SetParent(root_, root_);  // A leaf has its neighbor until now.
      answer_.seconds = SecondsSince(start_);
      answer_.parents = tree_.InOriginalIds();
      done(answer_);
    });
  }

 private:
  using Place = Frontier::Place;

  static constexpr bool kDirected = direction == graph::Direction::kDirected;

  // Counts edges of the vertices that a level has found. A top-down level looks at edges that
  // leave, a bottom-up level at edges that enter; without direction both are the same, and leaving
  // counts.
  struct Edges {
    std::int64_t leaving = 0, entering = 0;

    // The vertex has this place on this node.
    void Add(const NodeSets& node, std::uint64_t place) {
      if constexpr (kDirected) {
        leaving += node.out_degrees[place];
        entering += Signed(node.backward.size(place));
      } else {
        leaving += Signed(node.backward.size(place));
      }
    }
  };

  // One thread puts the root into the queue.
  void Begin(Vertex root) {
    // No search touches an isolated vertex but for its root: the one before.
    if (isolated_) tree_.SetIsolated(answer_.root, kNoParent);
    answer_.root = root;
    answer_.steps.clear();  // but keeps their memory: a long road has many
    frontier_ = next_frontier_ = next_edges_ = next_entering_ = 0;
    unreached_ = Signed(graph_.core());
    unreached_edges_ = Signed(graph_.neighbors());
    direction_ = before_ = Direction::kTopDown;
    root_ = graph_.rank(root);
    isolated_ = root_ >= graph_.active();
    if (isolated_) return tree_.SetIsolated(root, root);
    Vertex first = root_;
    if (root_ >= graph_.core()) {
      first = graph_.leaf_children()[root_ - graph_.core()];
    }
    if (first >= graph_.core()) return;
    tree_.SetParent(first, root_);
    sets_.Reach(first);
    sets_.queues()[0].now.push_back(first);
    frontier_ = 1;
    frontier_edges_ = Signed(graph_.out_degree(first));
    --unreached_;
    unreached_edges_ -= Signed(graph_.in_degree(first));
  }

  // By one thread, level by level, as long as the frontier has few edges.
  void SearchSmallLevels() {
    while (frontier_ > 0 && direction_ == Direction::kTopDown && before_ == Direction::kTopDown &&
           frontier_edges_ <= options_.cuts.few_edges) {
      Edges edges;
      for (Queue& queue : sets_.queues()) {
        for (const Vertex vertex : queue.now) {
          for (const auto& node : sets_.nodes()) {
            for (const Vertex neighbor : node->forward.of(vertex)) {
              const std::uint64_t place = graph_.local(neighbor);
              if (!HasBit(node->unreached, place)) continue;
              node->unreached[place / kWordBits] &= ~BitOf(place);
              tree_.SetParent(neighbor, vertex);
              edges.Add(*node, place);
              queue.next.push_back(neighbor);
            }
          }
        }
        next_frontier_ += Signed(queue.next.size());
      }
      next_edges_ = edges.leaving;
      if constexpr (kDirected) next_entering_ = edges.entering;
      Decide();
    }
  }

  void TopDown(Place& place) {
    Edges edges;
    const std::uint64_t hubs = place.threads > 1 ? hubs_ : 0;
    if (hubs > 0) {
      for (const Queue& queue : sets_.queues()) {
        for (const Vertex vertex : queue.now) {
          if (vertex >= hubs) continue;
          const std::span<const Vertex> list = place.node.forward.of(vertex);
          const auto piece = topo::Split(Signed(list.size()), place.threads, place.ordinal);
          Expand(place, vertex,
                 list.subspan(static_cast<std::size_t>(piece.begin),
                              static_cast<std::size_t>(piece.size())),
                 edges);
        }
      }
    }
    const std::int64_t most =
        std::clamp<std::int64_t>(frontier_ / (8 * place.threads), 1, kMostTaken);
    const std::span<Queue> queues = sets_.queues();
    for (std::size_t i = 0; i < queues.size(); ++i) {
      const std::size_t number = (place.number + i) % queues.size();
      const std::vector<Vertex>& queue = queues[number].now;
      Taken& taken = place.node.taken_of_queue[number];
      while (taken.count.load(std::memory_order_relaxed) < Signed(queue.size())) {
        const topo::Range range = taken.Take(Signed(queue.size()), most);
        for (std::int64_t at = range.begin; at < range.end; ++at) {
          const Vertex vertex = queue[static_cast<std::size_t>(at)];
          if (vertex >= hubs) Expand(place, vertex, place.node.forward.of(vertex), edges);
        }
      }
    }
    next_frontier_.fetch_add(Signed(place.queue.next.size()), std::memory_order_relaxed);
    next_edges_.fetch_add(edges.leaving, std::memory_order_relaxed);
    if constexpr (kDirected) next_entering_.fetch_add(edges.entering, std::memory_order_relaxed);
  }

  // Counts the edges of found vertices.
  void Expand(Place& place, Vertex vertex, std::span<const Vertex> neighbors, Edges& edges) {
    for (const Vertex neighbor : neighbors) {
      const std::uint64_t at = graph_.local(neighbor);
      if (!Claim(place, at)) continue;
      tree_.SetParent(neighbor, vertex);
      edges.Add(place.node, at);
      place.queue.next.push_back(neighbor);
    }
  }

  // Whether this thread is the one that has reached it.
  static bool Claim(const Place& place, std::uint64_t at) {
    std::uint64_t& word = place.node.unreached[at / kWordBits];
    const std::uint64_t bit = BitOf(at);
    if (place.threads == 1) {
      if ((word & bit) == 0) return false;
      word &= ~bit;
      return true;
    }
    const std::atomic_ref shared(word);
    return (shared.load(std::memory_order_relaxed) & bit) != 0 &&
           (shared.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
  }

  void BottomUp(const Place& place) {
    std::int64_t found = 0;
    while (true) {
      const topo::Range range = place.node.taken_words.Take(place.node.words, options_.cuts.words);
      if (range.empty()) break;
      for (std::int64_t word = range.begin; word < range.end; ++word) {
        const std::uint64_t reached = place.node.unreached[word] == 0 ? 0 : Reach(place, word);
        place.node.unreached[word] &= ~reached;
        place.node.next[word] = reached;
        found += std::popcount(reached);
      }
    }
    next_frontier_.fetch_add(found, std::memory_order_relaxed);
  }

  // Which vertices of a word have a neighbor in the frontier; gives them parents.
  std::uint64_t Reach(const Place& place, std::int64_t word) {
    const NodeSets& node = place.node;
    const std::uint64_t at = static_cast<std::uint64_t>(word) * kWordBits;
    const Vertex rank = graph_.rank_at(place.index, at);
    const Vertex* const first = node.first + at;
    const std::uint64_t hits = first_hits_(first, node.frontier, node.unreached[word]);
    ForEachBit(hits, [&](unsigned i) { tree_.SetParent(rank + i, first[i]); });
    std::uint64_t reached = hits;
    ForEachBit(node.unreached[word] & ~hits, [&](unsigned i) {
      const Vertex* neighbor = node.backward.neighbors + node.backward.begin(at + i);
      const Vertex* const end = node.backward.neighbors + node.backward.begin(at + i + 1);
      // The first one has been looked at.
      while (++neighbor < end) {
        if (!HasBit(node.frontier, *neighbor)) continue;
        tree_.SetParent(rank + i, *neighbor);
        reached |= BitOf(i);
        return;
      }
    });
    return reached;
  }

  // What the next level's direction is, by one thread.
  void Decide() {
    answer_.steps.push_back({direction_, frontier_, SecondsSince(step_start_)});
    step_start_ = Clock::now();
    unreached_ -= next_frontier_;
    unreached_edges_ -= kDirected ? next_entering_ : next_edges_;
    before_ = direction_;
    direction_ = NextDirection({.direction = direction_,
                                .frontier = frontier_,
                                .next_frontier = next_frontier_,
                                .next_edges = next_edges_,
                                .unreached = unreached_,
                                .unreached_edges = unreached_edges_},
                               options_.direction);
    frontier_ = next_frontier_;
    frontier_edges_ = next_edges_;
    sets_.Advance();
    if (before_ == Direction::kBottomUp && direction_ == Direction::kTopDown) unreached_edges_ = 0;
    next_frontier_ = next_edges_ = 0;
    if constexpr (kDirected) next_entering_ = 0;
  }

  // Brings what was found into the form that the next level reads.
  void HandOn(const Place& place) {
    if (frontier_ == 0) return;
    if (direction_ == Direction::kTopDown) {
      if (before_ == Direction::kTopDown) return;
      unreached_edges_.fetch_add(sets_.QueueFromFound(place), std::memory_order_relaxed);
    } else if (before_ == Direction::kTopDown) {
      sets_.WordsFromQueues(place);
    } else {
      sets_.WordsFromFound(place);
    }
  }

  // Leaves get their parents. Other vertices have none: a search without direction reaches most
  // vertices, and clears the rest here; along arcs it may reach a few, and the tree is clear
  // before.
  void Finish(const Place& place, const topo::Slot& slot) {
    for (std::int64_t word = place.own_words.begin; word < place.own_words.end; ++word) {
      const Vertex rank = graph_.rank_at(place.index, static_cast<std::uint64_t>(word) * kWordBits);
      ForEachBit(kDirected ? 0 : place.node.unreached[word],
                 [&](unsigned i) { tree_.SetUnreached(rank + i); });
    }
    const topo::Range leaves =
        topo::Split(Signed(graph_.active() - graph_.core()), mapping_.size(), slot.thread);
    for (std::int64_t i = leaves.begin; i < leaves.end; ++i) {
      const auto leaf = static_cast<Vertex>(graph_.core() + static_cast<std::uint64_t>(i));
      const Vertex parent = graph_.leaf_parents()[i];
      if (Reached(parent)) {
        tree_.SetParent(leaf, parent);
      } else if (!kDirected) {
        tree_.SetUnreached(leaf);
      }
    }
  }

  // The rank is a leaf's parent. A leaf has been reached where it is the root; a leaf that no edge
  // enters is its own parent.
  bool Reached(Vertex rank) const {
    if (rank >= graph_.core()) return rank == root_;
    return !sets_.IsUnreached(rank);
  }

  const topo::Mapping& mapping_;
  const HubGraph& graph_;
  const SearchOptions options_;
  const FirstHits first_hits_;
  topo::Barrier barrier_;
  std::uint64_t hubs_ = 0;  // ranks below have long lists

  Tree<labels> tree_;
  Frontier sets_;

  // Written by one thread between barriers.
  Answer answer_;
  Vertex root_ = 0;  // its rank
  bool isolated_ = false;
  Clock::time_point start_, step_start_;
  Direction direction_ = Direction::kTopDown, before_ = Direction::kTopDown;
  std::int64_t frontier_ = 0, unreached_ = 0;
  std::int64_t frontier_edges_ = 0;  // where the level before was searched top-down

  // Added to by all.
  std::atomic<std::int64_t> next_frontier_{0}, next_edges_{0}, unreached_edges_{0};
  std::atomic<std::int64_t> next_entering_{0};  // along arcs
};

template <Labels labels, graph::Direction direction>
absl::Status SearchAllBy(const topo::Topology& topology, const topo::Mapping& mapping,
                         const HubGraph& graph, std::span<const Vertex> keys,
                         const SearchOptions& options,
                         const std::function<void(const Answer&)>& done) {
  auto tree = Tree<labels>::Allocate(topology, mapping, graph);
  if (!tree.ok()) return tree.status();
  auto frontier = Frontier::Allocate(topology, mapping, graph);
  if (!frontier.ok()) return frontier.status();
  Search<labels, direction> search(mapping, graph, options, *std::move(tree), *std::move(frontier));
  return topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    for (const Vertex key : keys) search.Run(slot, key, done);
  });
}

template <Labels labels>
constexpr auto SearchAllIn(const HubGraph& graph) {
  return graph.is_directed() ? &SearchAllBy<labels, graph::Direction::kDirected>
                             : &SearchAllBy<labels, graph::Direction::kUndirected>;
}

}  // namespace

absl::Status SearchAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const HubGraph& graph, std::span<const Vertex> keys,
                       const SearchOptions& options,
                       const std::function<void(const Answer&)>& done) {
  const auto search_all = options.labels == Labels::kOriginal
                              ? SearchAllIn<Labels::kOriginal>(graph)
                              : SearchAllIn<Labels::kInternal>(graph);
  return search_all(topology, mapping, graph, keys, options, done);
}

}  // namespace bfs
