#include "apps/bfs/validation.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bfs {
namespace {

using graph::Vertex;

constexpr std::size_t kAhead = 16;  // tuples
constexpr std::int32_t kUnknown = -1;
constexpr std::int32_t kOnPath =
    -2;  // of a vertex between the one that is climbed from and the root

template <typename... Words>
absl::Status Fault(Vertex root, const Words&... words) {
  return absl::InvalidArgumentError(
      absl::StrCat("the search from ", root, " is wrong: ", words...));
}

}  // namespace

Validation::Validation(Vertex root, std::span<const Vertex> parents)
    : root_(root), visits_(parents.size()), joined_(parents.size(), 0) {
  for (std::size_t i = 0; i < parents.size(); ++i) visits_[i].parent = parents[i];
}

std::vector<std::int32_t> Validation::levels() const {
  std::vector<std::int32_t> levels;
  levels.reserve(visits_.size());
  for (const Visit& visit : visits_) levels.push_back(visit.level);
  return levels;
}

absl::StatusOr<Validation> Validation::Begin(Vertex root, std::span<const Vertex> parents) {
  if (root >= parents.size()) return Fault(root, "there are ", parents.size(), " vertices");
  if (parents[root] != root) return Fault(root, "the root is not its own parent");
  Validation validation(root, parents);
  if (absl::Status status = validation.FindLevels(); !status.ok()) return status;
  return validation;
}

absl::Status Validation::FindLevels() {
  visits_[root_].level = 0;
  std::vector<Vertex> path;
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    if (visits_[i].parent == kNoParent) continue;
    const auto vertex = static_cast<Vertex>(i);
    if (absl::Status status = ClimbFrom(vertex, path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Climbs until a vertex whose level is known, and gives levels on the way back: each vertex is
// climbed over once, so all of it takes as many steps as there are vertices.
absl::Status Validation::ClimbFrom(Vertex vertex, std::vector<Vertex>& path) {
  path.clear();
  while (visits_[vertex].level < 0) {
    if (visits_[vertex].level == kOnPath)
      return Fault(root_, "vertex ", vertex, " is its own ancestor");
    const Vertex parent = visits_[vertex].parent;
    if (parent >= visits_.size()) {
      return Fault(root_, "vertex ", vertex, " has the parent ", parent, ", which is no vertex");
    }
    if (visits_[parent].parent == kNoParent) {
      return Fault(root_, "vertex ", vertex, " has the parent ", parent, ", which was not reached");
    }
    visits_[vertex].level = kOnPath;
    path.push_back(vertex);
    vertex = parent;
  }
  std::int32_t level = visits_[vertex].level;
  while (!path.empty()) {
    visits_[path.back()].level = ++level;
    path.pop_back();
  }
  return absl::OkStatus();
}

absl::Status Validation::Look(std::span<const graph::Edge> tuples) {
  std::int64_t inside = 0;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    if (i + kAhead < tuples.size()) {
      // Ends lie anywhere in memory: several are fetched at a time. Where no vertex is, nothing
      // happens.
      __builtin_prefetch(visits_.data() + tuples[i + kAhead].from);
      __builtin_prefetch(visits_.data() + tuples[i + kAhead].to);
    }
    const auto [from, to] = tuples[i];
    if (from >= visits_.size() || to >= visits_.size()) {
      return Fault(root_, "the tuple ", from, " ", to, " has an end that is no vertex");
    }
    const std::int32_t level = visits_[from].level, other = visits_[to].level;
    if (level == kUnknown && other == kUnknown) continue;
    if (level == kUnknown || other == kUnknown) {
      return Fault(root_, "the tuple ", from, " ", to, " leaves the tree: vertex ",
                   level == kUnknown ? from : to, " was not reached");
    }
    if (std::max(level, other) - std::min(level, other) > 1) {
      return Fault(root_, "the tuple ", from, " ", to, " joins the levels ", level, " and ", other);
    }
    ++inside;
    // Several threads may find the same pair; all write 1.
    if (visits_[from].parent == to)
      std::atomic_ref(joined_[from]).store(1, std::memory_order_relaxed);
    if (visits_[to].parent == from)
      std::atomic_ref(joined_[to]).store(1, std::memory_order_relaxed);
  }
  std::atomic_ref(tuples_).fetch_add(inside, std::memory_order_relaxed);
  return absl::OkStatus();
}

absl::StatusOr<Component> Validation::End() const {
  Component component = {.tuples = tuples_};
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    if (visits_[i].level == kUnknown) continue;
    const auto vertex = static_cast<Vertex>(i);
    if (vertex != root_ && joined_[i] == 0) {
      return Fault(root_, "no tuple joins vertex ", vertex, " with its parent ", visits_[i].parent);
    }
    ++component.vertices;
    component.depth = std::max(component.depth, visits_[i].level);
  }
  return component;
}

}  // namespace bfs
