#include "apps/bfs/plain/plain_search.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <utility>

#include "apps/graph/csr.h"

namespace bfs {
namespace {

using graph::Vertex;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kBlock = 64;        // vertices of the queue that a thread takes at a time
constexpr std::size_t kLocalQueue = 1024;  // vertices that a thread finds before it hands them over

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What all threads of one search share. Between two barriers either one thread or each its own part
// writes; what several write is atomic.
class Search {
 public:
  Search(const topo::Mapping& mapping, const Neighbors& neighbors, const HybridOptions& options)
      : out_(neighbors.out()),
        in_(neighbors.in()),
        options_(options),
        vertices_(static_cast<std::int64_t>(out_.vertices())),
        barrier_(mapping),
        parents_(out_.vertices()),
        queue_(out_.vertices()),
        next_queue_(out_.vertices()),
        bitmap_((out_.vertices() + kWordBits - 1) / kWordBits),
        next_bitmap_(bitmap_.size()) {
    // Threads are numbered node by node, so that a node's ranges lie beside each other.
    for (const topo::Slot& slot : mapping.slots()) {
      int number = slot.ordinal;
      for (int node = 0; node < mapping.node_index(slot); ++node)
        number += mapping.threads_on(node);
      ranges_.push_back(topo::SplitByWeight(Weights(), mapping.size(), number, kWordBits));
    }
  }

  // By all threads.
  void Run(const topo::Slot& slot, Vertex root, const std::function<void(const Answer&)>& done) {
    const topo::Range range = ranges_[static_cast<std::size_t>(slot.thread)];
    if (slot.thread == 0) Begin(root);
    barrier_.All();
    std::fill(parents_.begin() + range.begin, parents_.begin() + range.end, kNoParent);
    barrier_.All();
    if (slot.thread == 0) parents_[root] = root;
    barrier_.All();
    while (frontier_ > 0) {
      if (direction_ == Direction::kTopDown) {
        TopDown();
      } else {
        BottomUp(range);
      }
      barrier_.All();
      if (slot.thread == 0) Decide();
      barrier_.All();
      if (converts_) Convert(range);
      barrier_.All();
    }
    if (slot.thread == 0) {
      answer_.seconds = SecondsSince(start_);
      answer_.parents = parents_;
      done(answer_);
    }
    barrier_.All();
  }

 private:
  std::span<const std::int64_t> Weights() const {
    return {reinterpret_cast<const std::int64_t*>(in_.offsets.data()), in_.offsets.size()};
  }

  void Begin(Vertex root) {
    start_ = step_start_ = Clock::now();
    answer_ = {.root = root};
    queue_[0] = root;
    frontier_ = 1;
    unexplored_edges_ = static_cast<std::int64_t>(out_.neighbors.size());
    direction_ = Direction::kTopDown;
    taken_ = next_frontier_ = next_edges_ = 0;
  }

  void TopDown() {
    std::vector<Vertex> found;
    found.reserve(kLocalQueue);
    std::int64_t edges = 0;
    while (true) {
      const std::int64_t begin = taken_.fetch_add(kBlock, std::memory_order_relaxed);
      if (begin >= frontier_) break;
      for (std::int64_t i = begin; i < std::min(begin + kBlock, frontier_); ++i) {
        const Vertex vertex = queue_[static_cast<std::size_t>(i)];
        for (const Vertex neighbor : out_.of(vertex)) {
          std::atomic_ref parent(parents_[neighbor]);
          Vertex none = kNoParent;
          if (parent.load(std::memory_order_relaxed) != kNoParent ||
              !parent.compare_exchange_strong(none, vertex, std::memory_order_relaxed)) {
            continue;
          }
          edges += static_cast<std::int64_t>(out_.degree(neighbor));
          found.push_back(neighbor);
          if (found.size() == kLocalQueue) HandOver(found);
        }
      }
    }
    HandOver(found);
    next_edges_.fetch_add(edges, std::memory_order_relaxed);
  }

  void HandOver(std::vector<Vertex>& found) {
    const std::int64_t place = next_frontier_.fetch_add(static_cast<std::int64_t>(found.size()),
                                                        std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), next_queue_.begin() + place);
    found.clear();
  }

  void BottomUp(topo::Range range) {
    std::int64_t found = 0, edges = 0;
    for (std::int64_t first = range.begin; first < range.end; first += kWordBits) {
      std::uint64_t word = 0;
      for (std::int64_t i = first; i < std::min(first + kWordBits, range.end); ++i) {
        const auto vertex = static_cast<Vertex>(i);
        if (parents_[vertex] != kNoParent) continue;
        for (const Vertex neighbor : in_.of(vertex)) {
          if ((bitmap_[neighbor / kWordBits] >> neighbor % kWordBits & 1) == 0) continue;
          parents_[vertex] = neighbor;
          word |= std::uint64_t{1} << (i - first);
          ++found;
          edges += static_cast<std::int64_t>(out_.degree(vertex));
          break;
        }
      }
      next_bitmap_[static_cast<std::size_t>(first / kWordBits)] = word;
    }
    next_frontier_.fetch_add(found, std::memory_order_relaxed);
    next_edges_.fetch_add(edges, std::memory_order_relaxed);
  }

  // What the next level's direction is, by one thread.
  void Decide() {
    answer_.steps.push_back({direction_, frontier_, SecondsSince(step_start_)});
    step_start_ = Clock::now();
    unexplored_edges_ -= next_edges_;
    const Direction before = direction_;
    if (direction_ == Direction::kTopDown) {
      // Only while it grows: the last small levels of a road network stay top-down.
      if (next_frontier_ > frontier_ && next_edges_ > unexplored_edges_ / options_.alpha) {
        direction_ = Direction::kBottomUp;
      }
    } else if (next_frontier_ < frontier_ && next_frontier_ < vertices_ / options_.beta) {
      direction_ = Direction::kTopDown;
    }
    frontier_ = next_frontier_;
    std::swap(queue_, next_queue_);
    std::swap(bitmap_, next_bitmap_);
    converts_ = direction_ != before;
    taken_ = next_edges_ = next_frontier_ = converted_ = 0;
  }

  // The frontier in the other form.
  void Convert(topo::Range range) {
    if (range.empty()) return;  // It may begin at the end of the vertices, within another's word.
    if (direction_ == Direction::kBottomUp) {
      // Each thread's own words, from all of the queue: no thread waits for another's clearing.
      const auto words = bitmap_.begin() + range.begin / kWordBits;
      std::fill(words, bitmap_.begin() + (range.end + kWordBits - 1) / kWordBits, 0);
      for (std::int64_t i = 0; i < frontier_; ++i) {
        const std::int64_t vertex = queue_[static_cast<std::size_t>(i)];
        if (vertex < range.begin || vertex >= range.end) continue;
        bitmap_[static_cast<std::size_t>(vertex / kWordBits)] |= std::uint64_t{1}
                                                                 << vertex % kWordBits;
      }
      return;
    }
    std::vector<Vertex> found;
    for (std::int64_t first = range.begin; first < range.end; first += kWordBits) {
      for (std::uint64_t word = bitmap_[static_cast<std::size_t>(first / kWordBits)]; word != 0;
           word &= word - 1) {
        found.push_back(static_cast<Vertex>(first + std::countr_zero(word)));
      }
    }
    const std::int64_t place =
        converted_.fetch_add(static_cast<std::int64_t>(found.size()), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), queue_.begin() + place);
  }

  const graph::Csr &out_, &in_;
  const HybridOptions options_;
  const std::int64_t vertices_;
  topo::TeamBarrier barrier_;
  std::vector<topo::Range> ranges_;  // by thread; each begins at a word of the bitmaps

  std::vector<Vertex> parents_;
  std::vector<Vertex> queue_, next_queue_;
  std::vector<std::uint64_t> bitmap_, next_bitmap_;

  // Written by thread 0 between barriers.
  Answer answer_;
  Clock::time_point start_, step_start_;
  Direction direction_ = Direction::kTopDown;
  std::int64_t frontier_ = 0;
  std::int64_t unexplored_edges_ = 0;
  bool converts_ = false;

  // Added to by all.
  std::atomic<std::int64_t> taken_{0}, next_frontier_{0}, next_edges_{0}, converted_{0};
};

}  // namespace

absl::Status SearchAll(const topo::Topology& topology, const topo::Mapping& mapping,
                       const Neighbors& neighbors, std::span<const Vertex> keys,
                       const HybridOptions& options,
                       const std::function<void(const Answer&)>& done) {
  Search search(mapping, neighbors, options);
  return topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    for (const Vertex key : keys) search.Run(slot, key, done);
  });
}

}  // namespace bfs
