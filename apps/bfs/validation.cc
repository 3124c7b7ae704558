#include "apps/bfs/validation.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bfs {
namespace {

using graph::Vertex;

constexpr std::int32_t kUnknown = -1;
constexpr std::int32_t kOnPath =
    -2;  // of a vertex between the one that is climbed from and the root

template <typename... Words>
absl::Status Fault(Vertex root, const Words&... words) {
  return absl::InvalidArgumentError(
      absl::StrCat("the search from ", root, " is wrong: ", words...));
}

}  // namespace

absl::StatusOr<Validation> Validation::Begin(Vertex root, std::span<const Vertex> parents) {
  if (root >= parents.size()) return Fault(root, "there are ", parents.size(), " vertices");
  if (parents[root] != root) return Fault(root, "the root is not its own parent");
  Validation validation(root, parents);
  if (absl::Status status = validation.FindLevels(); !status.ok()) return status;
  return validation;
}

absl::Status Validation::FindLevels() {
  levels_[root_] = 0;
  std::vector<Vertex> path;
  for (std::size_t i = 0; i < parents_.size(); ++i) {
    if (parents_[i] == kNoParent) continue;
    const auto vertex = static_cast<Vertex>(i);
    if (absl::Status status = ClimbFrom(vertex, path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Climbs until a vertex whose level is known, and gives levels on the way back: each vertex is
// climbed over once, so all of it takes as many steps as there are vertices.
absl::Status Validation::ClimbFrom(Vertex vertex, std::vector<Vertex>& path) {
  path.clear();
  while (levels_[vertex] < 0) {
    if (levels_[vertex] == kOnPath) return Fault(root_, "vertex ", vertex, " is its own ancestor");
    const Vertex parent = parents_[vertex];
    if (parent >= parents_.size()) {
      return Fault(root_, "vertex ", vertex, " has the parent ", parent, ", which is no vertex");
    }
    if (parents_[parent] == kNoParent) {
      return Fault(root_, "vertex ", vertex, " has the parent ", parent, ", which was not reached");
    }
    levels_[vertex] = kOnPath;
    path.push_back(vertex);
    vertex = parent;
  }
  std::int32_t level = levels_[vertex];
  while (!path.empty()) {
    levels_[path.back()] = ++level;
    path.pop_back();
  }
  return absl::OkStatus();
}

absl::Status Validation::Look(std::span<const graph::Edge> tuples) {
  std::int64_t inside = 0;
  for (const auto& [from, to] : tuples) {
    if (from >= levels_.size() || to >= levels_.size()) {
      return Fault(root_, "the tuple ", from, " ", to, " has an end that is no vertex");
    }
    const std::int32_t level = levels_[from], other = levels_[to];
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
    if (parents_[from] == to) std::atomic_ref(joined_[from]).store(1, std::memory_order_relaxed);
    if (parents_[to] == from) std::atomic_ref(joined_[to]).store(1, std::memory_order_relaxed);
  }
  std::atomic_ref(tuples_).fetch_add(inside, std::memory_order_relaxed);
  return absl::OkStatus();
}

absl::StatusOr<Component> Validation::End() const {
  Component component = {.tuples = tuples_};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i] == kUnknown) continue;
    const auto vertex = static_cast<Vertex>(i);
    if (vertex != root_ && joined_[i] == 0) {
      return Fault(root_, "no tuple joins vertex ", vertex, " with its parent ", parents_[i]);
    }
    ++component.vertices;
    component.depth = std::max(component.depth, levels_[i]);
  }
  return component;
}

}  // namespace bfs
