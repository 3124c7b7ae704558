#include "apps/bfs/validation/validation.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "absl/strings/str_cat.h"

namespace bfs {
namespace {

using graph::Vertex;

// A vertex has a mark for each key: its level and 2, or 0 where the search has not reached it. The
// marks of a tuple's ends may differ by one, which is checks 3 and 4 in one comparison: a vertex
// that was not reached differs by two from the root, and by more from all others. Along an arc the
// mark may rise by one, and fall as far as 2.
using Marks = std::uint32_t __attribute__((vector_size(4 * Validation::kKeys)));
using Words = std::array<std::uint64_t, Validation::kKeys / 2>;
constexpr std::uint32_t kNotReached = 0;
constexpr std::uint32_t kNoLevelYet = 1;
constexpr std::uint32_t kRoot = 2;  // 3 of its children, and so on
// This bit of a mark that has a level says that a tuple joins the vertex with its parent.
constexpr std::uint32_t kJoined = std::uint32_t{1} << 31;

constexpr std::size_t kAhead = 16;  // vertices or tuples whose memory is fetched early

// A mark is the lane of Marks that its key numbers.
static_assert(std::endian::native == std::endian::little);
constexpr int ShiftOf(std::size_t key) { return 32 * static_cast<int>(key % 2); }

template <typename Vector>
bool Any(Vector lanes) {
  const auto words = std::bit_cast<Words>(lanes);
  return (words[0] | words[1]) != 0;
}

std::int32_t LevelOf(std::uint32_t mark) {
  return static_cast<std::int32_t>(mark & ~kJoined) - static_cast<std::int32_t>(kRoot);
}

template <typename... Texts>
absl::Status Fault(Vertex root, const Texts&... texts) {
  return absl::InvalidArgumentError(
      absl::StrCat("the search from ", root, " is wrong: ", texts...));
}

}  // namespace

absl::StatusOr<Validation> Validation::Allocate(const topo::Topology& topology,
                                                const topo::Mapping& mapping,
                                                std::uint64_t vertices,
                                                graph::Direction direction) {
  auto visits = topo::Array<Visits>::AllocateSliced(topology, mapping, vertices,
                                                    {.pages = topo::MemoryOptions::Pages::kHuge});
  if (!visits.ok()) return visits.status();
  return Validation(*std::move(visits), direction);
}

absl::Status Validation::Add(Vertex root, std::span<const Vertex> parents) {
  if (root >= parents.size()) return Fault(root, "there are ", parents.size(), " vertices");
  if (parents[root] != root) return Fault(root, "the root is not its own parent");
  const std::size_t key = keys();
  for (std::size_t vertex = 0; vertex < parents.size(); ++vertex) {
    Visits& visits = visits_[vertex];
    visits.parents[key] = parents[vertex];
    if (parents[vertex] != kNoParent) {
      visits.marks[key / 2] |= std::uint64_t{kNoLevelYet} << ShiftOf(key);
    }
  }
  roots_.push_back(root);
  SetLevel(key, root, kRoot);
  return absl::OkStatus();
}

std::uint32_t Validation::MarkOf(std::size_t key, Vertex vertex) {
  const auto word = std::atomic_ref(visits_[vertex].marks[key / 2]);
  return static_cast<std::uint32_t>(word.load(std::memory_order_relaxed) >> ShiftOf(key));
}

// Another thread may find the same level, or those of other keys.
void Validation::SetLevel(std::size_t key, Vertex vertex, std::uint32_t mark) {
  const auto word = std::atomic_ref(visits_[vertex].marks[key / 2]);
  const std::uint64_t others = ~(std::uint64_t{0xffffffff} << ShiftOf(key));
  const std::uint64_t mine = std::uint64_t{mark} << ShiftOf(key);
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(seen, (seen & others) | mine, std::memory_order_relaxed)) {
  }
}

std::int32_t Validation::level(std::size_t key, Vertex vertex) const {
  return LevelOf(static_cast<std::uint32_t>(visits_[vertex].marks[key / 2] >> ShiftOf(key)));
}

absl::Status Validation::FindLevels(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    if (i + kAhead < last) {
      // Where no vertex is, nothing happens.
      for (const Vertex parent : visits_[i + kAhead].parents) {
        __builtin_prefetch(visits_.data() + parent);
      }
    }
    const auto vertex = static_cast<Vertex>(i);
    for (std::size_t key = 0; key < keys(); ++key) {
      if (MarkOf(key, vertex) != kNoLevelYet) continue;
      if (absl::Status status = ClimbFrom(key, vertex); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// Climbs until a vertex whose level is known, and then once more to give levels on the way. Nothing
// is kept of that way, which may have all vertices: each thread climbs one of its own.
absl::Status Validation::ClimbFrom(std::size_t key, Vertex start) {
  const Vertex root = roots_[key];
  // A vertex of the way that is met again has itself as an ancestor. Which vertex that is changes
  // whenever the way has become twice as long (Brent).
  Vertex vertex = start, watched = start;
  std::uint64_t steps = 0, longest = 1;
  std::uint32_t known = 0;
  while ((known = MarkOf(key, vertex)) == kNoLevelYet) {
    const Vertex parent = visits_[vertex].parents[key];
    if (parent >= vertices()) {
      return Fault(root, "vertex ", vertex, " has the parent ", parent, ", which is no vertex");
    }
    if (visits_[parent].parents[key] == kNoParent) {
      return Fault(root, "vertex ", vertex, " has the parent ", parent, ", which was not reached");
    }
    if (parent == watched) return Fault(root, "vertex ", watched, " is its own ancestor");
    if (++steps == longest) {
      watched = parent;
      longest *= 2;
    }
    vertex = parent;
  }
  if (known + steps >= kJoined) {
    return Fault(root, "vertex ", start, " is ", known + steps - kRoot, " levels below the root");
  }
  for (vertex = start; steps > 0; --steps) {
    SetLevel(key, vertex, static_cast<std::uint32_t>(known + steps));
    vertex = visits_[vertex].parents[key];
  }
  return absl::OkStatus();
}

absl::Status Validation::Look(std::span<const graph::Edge> tuples) {
  return direction_ == graph::Direction::kDirected ? LookAt<graph::Direction::kDirected>(tuples)
                                                   : LookAt<graph::Direction::kUndirected>(tuples);
}

template <graph::Direction direction>
absl::Status Validation::LookAt(std::span<const graph::Edge> tuples) {
  constexpr bool kDirected = direction == graph::Direction::kDirected;
  const auto marks_of = [](Visits& visits) {
    Words words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = std::atomic_ref(visits.marks[i]).load(std::memory_order_relaxed);
    }
    return std::bit_cast<Marks>(words) & ~kJoined;
  };
  // Several threads may find the same pair.
  const auto join = [](Visits& visits, Marks keys) {
    const auto bits = std::bit_cast<Words>(keys & kJoined);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const auto word = std::atomic_ref(visits.marks[i]);
      if ((word.load(std::memory_order_relaxed) & bits[i]) != bits[i]) {
        word.fetch_or(bits[i], std::memory_order_relaxed);
      }
    }
  };
  Marks inside = {};
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    if (i + kAhead < tuples.size()) {
      __builtin_prefetch(visits_.data() + tuples[i + kAhead].from);
      __builtin_prefetch(visits_.data() + tuples[i + kAhead].to);
    }
    const auto [from, to] = tuples[i];
    if (from >= vertices() || to >= vertices()) return FaultOf(tuples[i]);
    Visits &of_from = visits_[from], &of_to = visits_[to];
    const Marks mark = marks_of(of_from), other = marks_of(of_to);
    const auto is_parent = std::bit_cast<Marks>(of_to.parents) == from;
    if constexpr (kDirected) {
      // A second vertex that was not reached has the largest number here.
      if (Any((mark != kNotReached) & (other - 1 > mark))) return FaultOf(tuples[i]);
      inside += (mark != kNotReached) & 1;
      if (Any(is_parent)) join(of_to, std::bit_cast<Marks>(is_parent));
    } else {
      if (Any(mark - other + 1 > 2)) return FaultOf(tuples[i]);
      inside += (mark != kNotReached) & 1;
      const auto is_child = std::bit_cast<Marks>(of_from.parents) == to;
      if (Any(is_child | is_parent)) {
        join(of_from, std::bit_cast<Marks>(is_child));
        join(of_to, std::bit_cast<Marks>(is_parent));
      }
    }
  }
  for (std::size_t key = 0; key < keys(); ++key) {
    std::atomic_ref(components_[key].tuples).fetch_add(inside[key], std::memory_order_relaxed);
  }
  return absl::OkStatus();
}

// Other threads still look at tuples, and write marks.
absl::Status Validation::FaultOf(graph::Edge tuple) {
  const auto [from, to] = tuple;
  if (from >= vertices() || to >= vertices()) {
    return Fault(roots_[0], "the tuple ", from, " ", to, " has an end that is no vertex");
  }
  for (std::size_t key = 0; key < keys(); ++key) {
    const std::int32_t one = LevelOf(MarkOf(key, from)), other = LevelOf(MarkOf(key, to));
    if (direction_ == graph::Direction::kDirected) {
      if (one < 0) continue;
      if (other < 0) {
        return Fault(roots_[key], "the arc ", from, " ", to, " leaves the tree: vertex ", to,
                     " was not reached");
      }
      if (other > one + 1) {
        return Fault(roots_[key], "the arc ", from, " ", to, " leads from level ", one,
                     " to level ", other);
      }
      continue;
    }
    if ((one < 0) != (other < 0)) {
      return Fault(roots_[key], "the tuple ", from, " ", to, " leaves the tree: vertex ",
                   one < 0 ? from : to, " was not reached");
    }
    if (std::max(one, other) - std::min(one, other) > 1) {
      return Fault(roots_[key], "the tuple ", from, " ", to, " joins the levels ", one, " and ",
                   other);
    }
  }
  return absl::InternalError("a tuple that no key finds wrong");
}

absl::Status Validation::Finish(std::uint64_t first, std::uint64_t last) {
  for (std::size_t key = 0; key < keys(); ++key) {
    Component seen;
    for (std::uint64_t i = first; i < last; ++i) {
      const auto mark = static_cast<std::uint32_t>(visits_[i].marks[key / 2] >> ShiftOf(key));
      if ((mark & ~kJoined) == kNotReached) continue;
      if ((mark & kJoined) == 0 && i != roots_[key]) {
        const Vertex parent = visits_[i].parents[key];
        return direction_ == graph::Direction::kDirected
                   ? Fault(roots_[key], "no arc leads to vertex ", i, " from its parent ", parent)
                   : Fault(roots_[key], "no tuple joins vertex ", i, " with its parent ", parent);
      }
      ++seen.vertices;
      seen.depth = std::max(seen.depth, LevelOf(mark));
    }
    std::atomic_ref(components_[key].vertices).fetch_add(seen.vertices, std::memory_order_relaxed);
    const auto depth = std::atomic_ref(components_[key].depth);
    std::int32_t deepest = depth.load(std::memory_order_relaxed);
    while (deepest < seen.depth &&
           !depth.compare_exchange_weak(deepest, seen.depth, std::memory_order_relaxed)) {
    }
  }
  return absl::OkStatus();
}

}  // namespace bfs
