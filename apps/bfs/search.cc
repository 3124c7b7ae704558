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

#include "apps/bfs/first_hits.h"
#include "apps/bfs/validation.h"

namespace bfs {
namespace {

using graph::Vertex;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostTaken = 64;   // vertices of the queue that a thread takes at a time
constexpr std::int64_t kWordsTaken = 64;  // words of the bitmap, likewise
constexpr std::size_t kFoundAtOnce =
    1024;  // vertices that a thread finds before it hands them over
// Lists of so many neighbors are cut into a piece for each thread.
constexpr std::uint64_t kHub = 4096;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

bool Has(const std::uint64_t* bits, std::uint64_t i) {
  return (bits[i / kWordBits] >> i % kWordBits & 1) != 0;
}

// Calls visit(i) for each bit that is set, upward.
template <typename Visit>
void ForEachBit(std::uint64_t word, const Visit& visit) {
  for (; word != 0; word &= word - 1) visit(static_cast<unsigned>(std::countr_zero(word)));
}

// What one NUMA node has of a search. Written by its own threads only.
struct alignas(128) Node {
  Lists forward, backward;
  const Vertex* first = nullptr;
  std::int64_t words = 0;
  // A bit for each of its vertices.
  std::uint64_t* unreached = nullptr;
  std::uint64_t* next = nullptr;  // what a bottom-up level has found
  // A bit for each vertex of the core.
  std::uint64_t* frontier = nullptr;
  // How much of the queue, or of the words, its threads have taken.
  std::atomic<std::int64_t> taken{0};
};

// What all threads of the searches share. Between two barriers either one thread or each its own
// part writes; what several write is atomic.
template <Labels labels>
class Search {
 public:
  Search(const topo::Mapping& mapping, const HubGraph& graph, const SearchOptions& options)
      : mapping_(mapping),
        graph_(graph),
        options_(options),
        first_hits_(FastestFirstHits()),
        originals_(graph.originals()),
        barrier_(mapping.size()),
        queue_(graph.core()),
        next_queue_(graph.core()) {
    while (hubs_ < graph.core() && graph.degree(static_cast<Vertex>(hubs_)) >= kHub) ++hubs_;
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
    auto parents = topo::Array<Vertex>::AllocateSliced(
        topology, mapping_, graph_.vertices(), {.pages = topo::MemoryOptions::Pages::kHuge});
    if (!parents.ok()) return parents.status();
    parents_ = *std::move(parents);
    std::fill(parents_.begin(), parents_.end(), kNoParent);
    if (labels == Labels::kInternal) answered_.assign(graph_.vertices(), kNoParent);
    for (int i = 0; i < graph_.nodes(); ++i) {
      nodes_.push_back(std::make_unique<Node>());
      Node& node = *nodes_.back();
      node.forward = graph_.forward(i);
      node.backward = graph_.backward(i);
      node.first = graph_.first_neighbors(i);
      node.words = Signed(graph_.words_of(i));
      node.unreached = unreached_words_[i].data();
      node.next = next_[i].data();
      node.frontier = frontiers_[i].data();
    }
    return absl::OkStatus();
  }

  // By all threads.
  void Run(const topo::Slot& slot, Vertex root, const std::function<void(const Answer&)>& done) {
    const Thread thread(*this, slot);
    if (slot.thread == 0) start_ = step_start_ = Clock::now();
    Forget(thread);
    barrier_.ArriveAndWait([&] { Begin(root); });
    while (frontier_ > 0) {
      if (direction_ == Direction::kTopDown) {
        TopDown(thread);
      } else {
        BottomUp(thread);
      }
      barrier_.ArriveAndWait([&] { Decide(); });
      HandOn(thread);
      barrier_.ArriveAndWait();
    }
    Finish(thread, slot);
    barrier_.ArriveAndWait([&] {
      if (!isolated_) SetParent(root_, root_);  // A leaf has its neighbor until now.
      answer_.seconds = SecondsSince(start_);
      answer_.parents = Translated();
      done(answer_);
    });
  }

 private:
  // A thread's place among those of its node.
  struct Thread {
    Thread(Search& search, const topo::Slot& slot)
        : index(search.mapping_.node_index(slot)),
          node(*search.nodes_[static_cast<std::size_t>(index)]),
          ordinal(slot.ordinal),
          threads(search.mapping_.threads_on(index)),
          own_words(topo::Split(node.words, threads, ordinal)),
          all_words(topo::Split(Signed(search.graph_.words()), threads, ordinal)) {}

    const int index;
    Node& node;
    const int ordinal, threads;
    const topo::Range own_words;  // of the node's
    const topo::Range all_words;  // of the node's replica of the frontier
  };

  void SetParent(Vertex rank, Vertex parent) {
    if constexpr (labels == Labels::kOriginal) {
      parents_[originals_[rank]] = originals_[parent];
    } else {
      parents_[rank] = parent;
    }
  }
  void SetUnreached(Vertex rank) {
    parents_[labels == Labels::kOriginal ? originals_[rank] : rank] = kNoParent;
  }
  // Of the root, which has no entry in originals_; its parent is an original id.
  void SetIsolated(Vertex parent) {
    (labels == Labels::kOriginal ? parents_.span() : std::span(answered_))[answer_.root] = parent;
  }

  // Nothing is reached.
  void Forget(const Thread& thread) {
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const std::uint64_t first =
          graph_.rank_at(thread.index, static_cast<std::uint64_t>(word) * kWordBits);
      const std::uint64_t left = graph_.core() - first;
      thread.node.unreached[word] =
          left >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
  }

  // By one thread.
  void Begin(Vertex root) {
    // No search touches an isolated vertex but for its root: the one before.
    if (isolated_) SetIsolated(kNoParent);
    answer_ = {.root = root};
    frontier_ = next_frontier_ = next_edges_ = 0;
    unreached_ = Signed(graph_.core());
    unreached_edges_ = Signed(graph_.neighbors());
    direction_ = Direction::kTopDown;
    for (auto& node : nodes_) node->taken = 0;
    root_ = graph_.rank(root);
    isolated_ = root_ >= graph_.active();
    if (isolated_) return SetIsolated(root);
    Vertex first = root_;
    if (root_ >= graph_.core()) {
      first = graph_.leaf_neighbors()[root_ - graph_.core()];
    }
    if (first >= graph_.core()) return;
    SetParent(first, root_);
    const std::uint64_t place = graph_.local(first);
    nodes_[static_cast<std::size_t>(graph_.node_of(first))]->unreached[place / kWordBits] &=
        ~(std::uint64_t{1} << place % kWordBits);
    queue_[0] = first;
    frontier_ = 1;
    --unreached_;
  }

  // Of what the node's threads share, the next `most` or fewer.
  static topo::Range Take(Node& node, std::int64_t end, std::int64_t most) {
    const std::int64_t begin = node.taken.fetch_add(most, std::memory_order_relaxed);
    return {std::min(begin, end), std::min(begin + most, end)};
  }

  // What a thread has found in a top-down level and not handed over.
  struct Found {
    std::vector<Vertex> vertices;
    std::int64_t edges = 0;
  };

  void TopDown(const Thread& thread) {
    Found found;
    found.vertices.reserve(kFoundAtOnce);
    const std::uint64_t hubs = thread.threads > 1 ? hubs_ : 0;
    for (std::int64_t i = 0; hubs > 0 && i < frontier_; ++i) {
      const Vertex vertex = queue_[static_cast<std::size_t>(i)];
      if (vertex >= hubs) continue;
      const std::span<const Vertex> list = thread.node.forward.of(vertex);
      const topo::Range piece = topo::Split(Signed(list.size()), thread.threads, thread.ordinal);
      Expand(thread, vertex,
             list.subspan(static_cast<std::size_t>(piece.begin),
                          static_cast<std::size_t>(piece.size())),
             found);
    }
    const std::int64_t taken =
        std::clamp<std::int64_t>(frontier_ / (8 * thread.threads), 1, kMostTaken);
    while (true) {
      const topo::Range range = Take(thread.node, frontier_, taken);
      if (range.empty()) break;
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const Vertex vertex = queue_[static_cast<std::size_t>(i)];
        if (vertex >= hubs) Expand(thread, vertex, thread.node.forward.of(vertex), found);
      }
    }
    HandOver(found.vertices);
    next_edges_.fetch_add(found.edges, std::memory_order_relaxed);
  }

  void Expand(const Thread& thread, Vertex vertex, std::span<const Vertex> neighbors,
              Found& found) {
    for (const Vertex neighbor : neighbors) {
      const std::uint64_t place = graph_.local(neighbor);
      if (!Claim(thread, place)) continue;
      SetParent(neighbor, vertex);
      found.edges += Signed(thread.node.backward.size(place));
      found.vertices.push_back(neighbor);
      if (found.vertices.size() == kFoundAtOnce) HandOver(found.vertices);
    }
  }

  // Whether this thread is the one that has reached it.
  static bool Claim(const Thread& thread, std::uint64_t place) {
    std::uint64_t& word = thread.node.unreached[place / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << place % kWordBits;
    if (thread.threads == 1) {
      if ((word & bit) == 0) return false;
      word &= ~bit;
      return true;
    }
    const std::atomic_ref shared(word);
    return (shared.load(std::memory_order_relaxed) & bit) != 0 &&
           (shared.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
  }

  void HandOver(std::vector<Vertex>& found) {
    const std::int64_t place =
        next_frontier_.fetch_add(Signed(found.size()), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), next_queue_.begin() + place);
    found.clear();
  }

  void BottomUp(const Thread& thread) {
    std::int64_t found = 0;
    while (true) {
      const topo::Range range = Take(thread.node, thread.node.words, kWordsTaken);
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
    ForEachBit(hits, [&](unsigned i) { SetParent(rank + i, first[i]); });
    std::uint64_t reached = hits;
    ForEachBit(node.unreached[word] & ~hits, [&](unsigned i) {
      const Vertex* neighbor = node.backward.neighbors + node.backward.begin(place + i);
      const Vertex* const end = node.backward.neighbors + node.backward.begin(place + i + 1);
      // The first one has been looked at.
      while (++neighbor < end) {
        if (!Has(node.frontier, *neighbor)) continue;
        SetParent(rank + i, *neighbor);
        reached |= std::uint64_t{1} << i;
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
    unreached_edges_ -= next_edges_;
    before_ = direction_;
    direction_ = NextDirection({.direction = direction_,
                                .frontier = frontier_,
                                .next_frontier = next_frontier_,
                                .next_edges = next_edges_,
                                .unreached = unreached_,
                                .unreached_edges = unreached_edges_},
                               options_.direction);
    frontier_ = next_frontier_;
    if (before_ == Direction::kTopDown) std::swap(queue_, next_queue_);
    if (before_ == Direction::kBottomUp && direction_ == Direction::kTopDown) unreached_edges_ = 0;
    next_frontier_ = next_edges_ = queued_ = 0;
    for (auto& node : nodes_) node->taken = 0;
  }

  // What was found, in the form that the next level reads.
  void HandOn(const Thread& thread) {
    if (frontier_ == 0) return;
    if (direction_ == Direction::kTopDown) {
      if (before_ == Direction::kBottomUp) WordsToQueue(thread);
    } else if (before_ == Direction::kTopDown) {
      QueueToFrontier(thread);
    } else {
      GatherFrontier(thread);
    }
  }

  // Each thread writes its own words of its node's replica, from all of the queue.
  void QueueToFrontier(const Thread& thread) {
    const auto [begin, end] = thread.all_words;
    std::fill(thread.node.frontier + begin, thread.node.frontier + end, 0);
    for (std::int64_t i = 0; i < frontier_; ++i) {
      const Vertex vertex = queue_[static_cast<std::size_t>(i)];
      const std::int64_t word = vertex / kWordBits;
      if (word < begin || word >= end) continue;
      thread.node.frontier[word] |= std::uint64_t{1} << vertex % kWordBits;
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

  void WordsToQueue(const Thread& thread) {
    std::vector<Vertex> found;
    std::int64_t edges = 0;
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const std::uint64_t place = static_cast<std::uint64_t>(word) * kWordBits;
      const Vertex rank = graph_.rank_at(thread.index, place);
      ForEachBit(thread.node.next[word], [&](unsigned i) { found.push_back(rank + i); });
      ForEachBit(thread.node.unreached[word],
                 [&](unsigned i) { edges += Signed(thread.node.backward.size(place + i)); });
    }
    unreached_edges_.fetch_add(edges, std::memory_order_relaxed);
    const std::int64_t place = queued_.fetch_add(Signed(found.size()), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), queue_.begin() + place);
  }

  // Leaves get their parents, and what was not reached gets none.
  void Finish(const Thread& thread, const topo::Slot& slot) {
    for (std::int64_t word = thread.own_words.begin; word < thread.own_words.end; ++word) {
      const Vertex rank =
          graph_.rank_at(thread.index, static_cast<std::uint64_t>(word) * kWordBits);
      ForEachBit(thread.node.unreached[word], [&](unsigned i) { SetUnreached(rank + i); });
    }
    const topo::Range leaves =
        topo::Split(Signed(graph_.active() - graph_.core()), mapping_.size(), slot.thread);
    for (std::int64_t i = leaves.begin; i < leaves.end; ++i) {
      const auto leaf = static_cast<Vertex>(graph_.core() + static_cast<std::uint64_t>(i));
      const Vertex parent = graph_.leaf_neighbors()[i];
      if (Reached(parent)) {
        SetParent(leaf, parent);
      } else {
        SetUnreached(leaf);
      }
    }
  }

  // Of a leaf's neighbor: another leaf has been reached where it is the root.
  bool Reached(Vertex rank) const {
    if (rank >= graph_.core()) return rank == root_;
    return !Has(nodes_[static_cast<std::size_t>(graph_.node_of(rank))]->unreached,
                graph_.local(rank));
  }

  // The parents in original ids, when time is no longer taken.
  std::span<const Vertex> Translated() {
    if constexpr (labels == Labels::kOriginal) return {parents_.data(), graph_.vertices()};
    for (std::uint64_t rank = 0; rank < graph_.active(); ++rank) {
      const Vertex parent = parents_[rank];
      answered_[originals_[rank]] = parent == kNoParent ? kNoParent : originals_[parent];
    }
    return answered_;
  }

  const topo::Mapping& mapping_;
  const HubGraph& graph_;
  const SearchOptions options_;
  const FirstHits first_hits_;
  const Vertex* const originals_;
  topo::Barrier barrier_;
  std::uint64_t hubs_ = 0;  // ranks below have long lists

  topo::NodeArrays<std::uint64_t> unreached_words_, next_, frontiers_;
  topo::Array<Vertex> parents_;
  std::vector<Vertex> answered_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Vertex> queue_, next_queue_;

  // Written by one thread between barriers.
  Answer answer_;
  Vertex root_ = 0;  // its rank
  bool isolated_ = false;
  Clock::time_point start_, step_start_;
  Direction direction_ = Direction::kTopDown, before_ = Direction::kTopDown;
  std::int64_t frontier_ = 0, unreached_ = 0;

  // Added to by all.
  std::atomic<std::int64_t> next_frontier_{0}, next_edges_{0}, queued_{0}, unreached_edges_{0};
};

template <Labels labels>
absl::Status SearchAllBy(const topo::Topology& topology, const topo::Mapping& mapping,
                         const HubGraph& graph, std::span<const Vertex> keys,
                         const SearchOptions& options,
                         const std::function<void(const Answer&)>& done) {
  Search<labels> search(mapping, graph, options);
  if (absl::Status status = search.Allocate(topology); !status.ok()) return status;
  return topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    for (const Vertex key : keys) search.Run(slot, key, done);
  });
}

}  // namespace

absl::Status SearchAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const HubGraph& graph, std::span<const Vertex> keys,
                       const SearchOptions& options,
                       const std::function<void(const Answer&)>& done) {
  return options.labels == Labels::kOriginal
             ? SearchAllBy<Labels::kOriginal>(topology, mapping, graph, keys, options, done)
             : SearchAllBy<Labels::kInternal>(topology, mapping, graph, keys, options, done);
}

}  // namespace bfs
