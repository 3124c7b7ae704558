// The ids that a file gives its vertices. Pure.
//
// Programs number vertices from 0 on without gaps; a person knows them by the file's ids.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace graph {

// The largest id of a file.
inline constexpr std::uint64_t kMaxId = std::uint64_t{1} << 63;

// A value: the file's id of each vertex. Either vertex v has the id `first` + v, or a table in
// ascending order lists all ids. Threads: any may read.
class Ids {
 public:
  Ids() = default;
  // Vertex v has the id first + v.
  explicit Ids(std::uint64_t first) : first_(first) {}
  // Vertex v has the id table[v]. Precondition: the ids ascend, and there is one.
  explicit Ids(std::vector<std::uint64_t> table) : table_(std::move(table)) {}

  std::uint64_t of(std::uint64_t vertex) const {
    return table_.empty() ? first_ + vertex : table_[vertex];
  }
  // The vertex of this id in a graph of so many vertices; none where no vertex has it.
  std::optional<std::uint64_t> Find(std::uint64_t id, std::uint64_t vertices) const;

  // Ids have gaps, so that a table lists them.
  bool has_table() const { return !table_.empty(); }
  const std::vector<std::uint64_t>& table() const { return table_; }
  std::uint64_t first() const { return of(0); }  // the id of vertex 0

  friend bool operator==(const Ids&, const Ids&) = default;

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> table_;
};

}  // namespace graph
