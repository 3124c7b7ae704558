#include "apps/bfs/hubs/transpose.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "apps/bfs/hubs/bitmap.h"
#include "lwt/lwt.h"

namespace bfs {
namespace {

using graph::Vertex;

constexpr std::int64_t kPlacesAPiece = 1 << 14;
constexpr std::int64_t kListsAPiece = 64;  // those of hubs are long

// Calls body(index) for each index below `end`.
template <typename Body>
void ForEach(std::uint64_t end, std::int64_t grain, const Body& body) {
  lwt::ParallelFor(0, static_cast<std::int64_t>(end), grain,
                   [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t i = first; i < last; ++i) {
                       body(static_cast<std::uint64_t>(i));
                     }
                   });
}

std::uint64_t AddOne(std::uint64_t& count) {
  return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

bool Transpose(const Lists& backward, std::uint64_t backward_lists,
               const std::function<Vertex(std::uint64_t list)>& rank_at, const Lists& forward,
               std::span<std::uint64_t> ends) {
  const std::uint64_t own = backward_lists, all = ends.size();
  ForEach(all, kPlacesAPiece, [&](std::uint64_t rank) { ends[rank] = 0; });
  ForEach(own, kListsAPiece, [&](std::uint64_t place) {
    for (const Vertex neighbor : backward.of(place)) AddOne(ends[neighbor]);
  });
  const std::uint64_t neighbors =
      lwt::ParallelScan(ends, kPlacesAPiece, std::uint64_t{0}, std::plus<>());
  std::atomic<bool> fits{true};
  ForEach(all / kWordBits, kListsAPiece, [&](std::uint64_t word) {
    for (std::uint64_t rank = word * kWordBits; rank < (word + 1) * kWordBits; ++rank) {
      if (!forward.Begin(rank, ends[rank])) fits = false;
    }
  });
  if (!forward.Begin(all, neighbors) || !fits) return false;
  // An end moves from its list's begin to behind the last neighbor.
  ForEach(own, kListsAPiece, [&](std::uint64_t place) {
    const Vertex vertex = rank_at(place);
    for (const Vertex neighbor : backward.of(place)) {
      forward.neighbors[AddOne(ends[neighbor])] = vertex;
    }
  });
  ForEach(all, kListsAPiece, [&](std::uint64_t rank) {
    std::sort(forward.neighbors + forward.begin(rank), forward.neighbors + ends[rank]);
  });
  return true;
}

}  // namespace bfs
