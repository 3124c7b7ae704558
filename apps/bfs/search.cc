#include "apps/bfs/search.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "apps/bfs/bitmap.h"
#include "apps/bfs/first_hits.h"
#include "apps/bfs/tree.h"

namespace bfs {
namespace {

using graph::Vertex;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostTaken = 64;  // vertices of the queue that a thread takes at a time

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

struct alignas(64) Taken {
  std::atomic<std::int64_t> count{0};
};

// What one NUMA node has of a search. Its words are written by its own threads, or by one thread
// alone.
struct alignas(128) Node {
  Lists forward, backward;
  const Vertex* first = nullptr;
  const std::uint32_t* out_degrees = nullptr;  // along arcs
  std::int64_t words = 0;
  // A bit for each of its vertices.
  std::uint64_t* unreached = nullptr;
  std::uint64_t* next = nullptr;  // what a bottom-up level has found
  // A bit for each vertex of the core.
  std::uint64_t* frontier = nullptr;
  // How much of its words, or of each part of the frontier, its threads have taken.
  Taken taken_words;
  std::vector<Taken> taken_of_part;
};

// The part of the frontier that one thread has found. A thread searches from its own part first,
// because the vertices that it reaches from there lie in memory that it has written before; then
// from what is left of other threads' parts.
struct alignas(128) Part {
  std::vector<Vertex> queue, next;
};

// What all threads of the searches share. Between two barriers either one thread or each its own
// part writes; what several write is atomic.
template <Labels labels, graph::Direction direction>
class Search {
 public:
  Search(const topo::Mapping& mapping, const HubGraph& graph, const SearchOptions& options,
         Tree<labels> tree)
      : mapping_(mapping),
        graph_(graph),
        options_(options),
        first_hits_(FastestFirstHits()),
        barrier_(mapping.size()),
        tree_(std::move(tree)),
        parts_(static_cast<std::size_t>(mapping.size())) {
    const auto is_hub = [&](std::uint64_t rank) {
      const auto vertex = static_cast<Vertex>(rank);
      const std::uint64_t degree =
          graph.in_degree(vertex) + (kDirected ? graph.out_degree(vertex) : 0);
      return degree >= options.cuts.hub_degree;
    };
    while (hubs_ < graph.core() && is_hub(hubs_)) ++hubs_;
  }

  absl::Status Allocate(const topo::Topology& topology) {
    std::vector<std::size_t> own, all(mapping_.nodes().size(), graph_.words());
    for (int node = 0; node < graph_.nodes(); ++node) own.push_back(graph_.words_of(node));
    const auto make = [&](topo::NodeArrays<std::uint64_t>& arrays,
                          const std::vector<std::size_t>& words) {
      auto made = topo::NodeArrays<std::uint64_t>::AllocateSized(topology, mapping_, words);
      if (made.ok()) arrays = *std::move(made);
      return made.status();
    };
    absl::Status status = make(unreached_words_, own);
    status.Update(make(next_, own));
    status.Update(make(frontiers_, all));
    if (!status.ok()) return status;
    for (int i = 0; i < graph_.nodes(); ++i) {
      nodes_.push_back(std::make_unique<Node>());
      Node& node = *nodes_.back();
      node.forward = graph_.forward(i);
      node.backward = graph_.backward(i);
      node.first = graph_.first_neighbors(i);
      if constexpr (kDirected) node.out_degrees = graph_.out_degrees(i);
      node.words = Signed(graph_.words_of(i));
      node.unreached = unreached_words_[i].data();
      node.next = next_[i].data();
      node.frontier = frontiers_[i].data();
      node.taken_of_part = std::vector<Taken>(parts_.size());
    }
    return absl::OkStatus();
  }

  // By all threads. An exception would leave the others at a barrier: it ends the program.
  void Run(const topo::Slot& slot, Vertex root,
           const std::function<void(const Answer&)>& done) noexcept {
    Thread thread(*this, slot);
    if (slot.thread == 0) start_ = step_start_ = Clock::now();
    Forget(thread);
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
      HandOn(thread);
      barrier_.ArriveAndWait();
      if (frontier_ == 0) break;
      if (direction_ == Direction::kTopDown) {
        TopDown(thread);
      } else {
        BottomUp(thread);
      }
      barrier_.ArriveAndWait([&] {
        ForgetTaken();
        Decide();
        SearchSmallLevels();
      });
    }
    Finish(thread, slot);
    barrier_.ArriveAndWait([&] {
      if (!isolated_) tree_.SetParent(root_, root_);  // A leaf has its neighbor until now.
      answer_.seconds = SecondsSince(start_);
      answer_.parents = tree_.InOriginalIds();
      done(answer_);
    });
  }

 private:
  static constexpr bool kDirected = direction == graph::Direction::kDirected;

  // Counts edges of the vertices that a level has found. A top-down level looks at edges that
  // leave, a bottom-up level at edges that enter; without direction both are the same, and leaving
  // counts.
  struct Edges {
    std::int64_t leaving = 0, entering = 0;

    // The vertex has this place on this node.
    void Add(const Node& node, std::uint64_t place) {
      if constexpr (kDirected) {
        leaving += node.out_degrees[place];
        entering += Signed(node.backward.size(place));
      } else {
        leaving += Signed(node.backward.size(place));
      }
    }
  };

  // A thread's place among those of its node.
  struct Thread {
    Thread(Search& search, const topo::Slot& slot)
        : index(search.mapping_.node_index(slot)),
          node(*search.nodes_[static_cast<std::size_t>(index)]),
          number(static_cast<std::size_t>(slot.thread)),
          part(search.parts_[number]),
          ordinal(slot.ordinal),
          threads(search.mapping_.threads_on(index)),
          own_words(topo::Split(node.words, threads, ordinal)),
          all_words(topo::Split(Signed(search.graph_.words()), threads, ordinal)) {}

    const int index;
    Node& node;
    const std::size_t number;  // of all threads
    Part& part;
    const int ordinal, threads;
    const topo::Range own_words;  // of the node's
    const topo::Range all_words;  // of the node's replica of the frontier
  };

  // Nothing is reached.
  void Forget(const Thread& thread) {
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const std::uint64_t first =
          graph_.rank_at(thread.index, static_cast<std::uint64_t>(word) * kWordBits);
      thread.node.unreached[word] = LowBits(graph_.core() - first);
    }
  }

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
    const std::uint64_t place = graph_.local(first);
    nodes_[static_cast<std::size_t>(graph_.node_of(first))]->unreached[place / kWordBits] &=
        ~BitOf(place);
    parts_[0].queue.push_back(first);
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
      for (Part& part : parts_) {
        for (const Vertex vertex : part.queue) {
          for (const auto& node : nodes_) {
            for (const Vertex neighbor : node->forward.of(vertex)) {
              const std::uint64_t place = graph_.local(neighbor);
              if (!HasBit(node->unreached, place)) continue;
              node->unreached[place / kWordBits] &= ~BitOf(place);
              tree_.SetParent(neighbor, vertex);
              edges.Add(*node, place);
              part.next.push_back(neighbor);
            }
          }
        }
        next_frontier_ += Signed(part.next.size());
      }
      next_edges_ = edges.leaving;
      if constexpr (kDirected) next_entering_ = edges.entering;
      Decide();
    }
  }

  // Of what a node's threads share, the next `most` or fewer.
  static topo::Range Take(Taken& taken, std::int64_t end, std::int64_t most) {
    const std::int64_t begin = taken.count.fetch_add(most, std::memory_order_relaxed);
    return {std::min(begin, end), std::min(begin + most, end)};
  }

  // By one thread, after a level that the threads have shared. There is a counter for each thread
  // on each node: too many to clear after each small level of a road.
  void ForgetTaken() {
    for (auto& node : nodes_) {
      node->taken_words.count.store(0, std::memory_order_relaxed);
      for (Taken& taken : node->taken_of_part) taken.count.store(0, std::memory_order_relaxed);
    }
  }

  void TopDown(Thread& thread) {
    Edges edges;
    const std::uint64_t hubs = thread.threads > 1 ? hubs_ : 0;
    if (hubs > 0) {
      for (const Part& part : parts_) {
        for (const Vertex vertex : part.queue) {
          if (vertex >= hubs) continue;
          const std::span<const Vertex> list = thread.node.forward.of(vertex);
          const auto piece = topo::Split(Signed(list.size()), thread.threads, thread.ordinal);
          Expand(thread, vertex,
                 list.subspan(static_cast<std::size_t>(piece.begin),
                              static_cast<std::size_t>(piece.size())),
                 edges);
        }
      }
    }
    const std::int64_t most =
        std::clamp<std::int64_t>(frontier_ / (8 * thread.threads), 1, kMostTaken);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t number = (thread.number + i) % parts_.size();
      const std::vector<Vertex>& queue = parts_[number].queue;
      Taken& taken = thread.node.taken_of_part[number];
      while (taken.count.load(std::memory_order_relaxed) < Signed(queue.size())) {
        const topo::Range range = Take(taken, Signed(queue.size()), most);
        for (std::int64_t place = range.begin; place < range.end; ++place) {
          const Vertex vertex = queue[static_cast<std::size_t>(place)];
          if (vertex >= hubs) Expand(thread, vertex, thread.node.forward.of(vertex), edges);
        }
      }
    }
    next_frontier_.fetch_add(Signed(thread.part.next.size()), std::memory_order_relaxed);
    next_edges_.fetch_add(edges.leaving, std::memory_order_relaxed);
    if constexpr (kDirected) next_entering_.fetch_add(edges.entering, std::memory_order_relaxed);
  }

  // Counts the edges of found vertices.
  void Expand(Thread& thread, Vertex vertex, std::span<const Vertex> neighbors, Edges& edges) {
    for (const Vertex neighbor : neighbors) {
      const std::uint64_t place = graph_.local(neighbor);
      if (!Claim(thread, place)) continue;
      tree_.SetParent(neighbor, vertex);
      edges.Add(thread.node, place);
      thread.part.next.push_back(neighbor);
    }
  }

  // Whether this thread is the one that has reached it.
  static bool Claim(const Thread& thread, std::uint64_t place) {
    std::uint64_t& word = thread.node.unreached[place / kWordBits];
    const std::uint64_t bit = BitOf(place);
    if (thread.threads == 1) {
      if ((word & bit) == 0) return false;
      word &= ~bit;
      return true;
    }
    const std::atomic_ref shared(word);
    return (shared.load(std::memory_order_relaxed) & bit) != 0 &&
           (shared.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
  }

  void BottomUp(const Thread& thread) {
    std::int64_t found = 0;
    while (true) {
      const topo::Range range =
          Take(thread.node.taken_words, thread.node.words, options_.cuts.words);
      if (range.empty()) break;
      for (std::int64_t word = range.begin; word < range.end; ++word) {
        const std::uint64_t reached = thread.node.unreached[word] == 0 ? 0 : Reach(thread, word);
        thread.node.unreached[word] &= ~reached;
        thread.node.next[word] = reached;
        found += std::popcount(reached);
      }
    }
    next_frontier_.fetch_add(found, std::memory_order_relaxed);
  }

  // Which vertices of a word have a neighbor in the frontier; gives them parents.
  std::uint64_t Reach(const Thread& thread, std::int64_t word) {
    const Node& node = thread.node;
    const std::uint64_t place = static_cast<std::uint64_t>(word) * kWordBits;
    const Vertex rank = graph_.rank_at(thread.index, place);
    const Vertex* const first = node.first + place;
    const std::uint64_t hits = first_hits_(first, node.frontier, node.unreached[word]);
    ForEachBit(hits, [&](unsigned i) { tree_.SetParent(rank + i, first[i]); });
    std::uint64_t reached = hits;
    ForEachBit(node.unreached[word] & ~hits, [&](unsigned i) {
      const Vertex* neighbor = node.backward.neighbors + node.backward.begin(place + i);
      const Vertex* const end = node.backward.neighbors + node.backward.begin(place + i + 1);
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
    for (Part& part : parts_) {
      std::swap(part.queue, part.next);
      part.next.clear();
    }
    if (before_ == Direction::kBottomUp && direction_ == Direction::kTopDown) unreached_edges_ = 0;
    next_frontier_ = next_edges_ = 0;
    if constexpr (kDirected) next_entering_ = 0;
  }

  // Brings what was found into the form that the next level reads.
  void HandOn(Thread& thread) {
    if (frontier_ == 0) return;
    if (direction_ == Direction::kTopDown) {
      if (before_ == Direction::kBottomUp) WordsToQueue(thread);
    } else if (before_ == Direction::kTopDown) {
      // Each thread writes its own words of its node's replica, from all parts.
      const auto [begin, end] = thread.all_words;
      std::fill(thread.node.frontier + begin, thread.node.frontier + end, 0);
      for (const Part& part : parts_) SetBits(part.queue, thread.node.frontier, begin, end);
    } else {
      GatherFrontier(thread);
    }
  }

  // Each node reads what all have found: remote memory is read, and local one written.
  void GatherFrontier(const Thread& thread) {
    const auto [begin, end] = thread.all_words;
    if (graph_.nodes() == 1) {
      std::copy(thread.node.next + begin, thread.node.next + end, thread.node.frontier + begin);
      return;
    }
    for (std::int64_t word = begin; word < end; ++word) {
      thread.node.frontier[word] =
          nodes_[static_cast<std::size_t>(word % graph_.nodes())]->next[word / graph_.nodes()];
    }
  }

  void WordsToQueue(Thread& thread) {
    std::int64_t edges = 0;
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const std::uint64_t place = static_cast<std::uint64_t>(word) * kWordBits;
      const Vertex rank = graph_.rank_at(thread.index, place);
      ForEachBit(thread.node.next[word],
                 [&](unsigned i) { thread.part.queue.push_back(rank + i); });
      ForEachBit(thread.node.unreached[word],
                 [&](unsigned i) { edges += Signed(thread.node.backward.size(place + i)); });
    }
    unreached_edges_.fetch_add(edges, std::memory_order_relaxed);
  }

  // Leaves get their parents. Other vertices have none: a search without direction reaches most
  // vertices, and clears the rest here; along arcs it may reach a few, and the tree is clear
  // before.
  void Finish(const Thread& thread, const topo::Slot& slot) {
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const Vertex rank =
          graph_.rank_at(thread.index, static_cast<std::uint64_t>(word) * kWordBits);
      ForEachBit(kDirected ? 0 : thread.node.unreached[word],
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
    return !HasBit(nodes_[static_cast<std::size_t>(graph_.node_of(rank))]->unreached,
                   graph_.local(rank));
  }

  const topo::Mapping& mapping_;
  const HubGraph& graph_;
  const SearchOptions options_;
  const FirstHits first_hits_;
  topo::Barrier barrier_;
  std::uint64_t hubs_ = 0;  // ranks below have long lists

  Tree<labels> tree_;
  topo::NodeArrays<std::uint64_t> unreached_words_, next_, frontiers_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Part> parts_;  // by thread

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
  Search<labels, direction> search(mapping, graph, options, *std::move(tree));
  if (absl::Status status = search.Allocate(topology); !status.ok()) return status;
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
