// Rows of a graph as gapbs serializes them (.sg, and .wsg with weights): built once, mapped into
// memory by each program after. Pure.
//
// bool directed, int64 entries, int64 vertices, int64 offsets[vertices + 1], then the neighbors:
// int32 each, in .wsg followed by an int32 weight; of a directed graph the same offsets and
// neighbors of the arcs against their direction. Nothing is aligned. A list of an undirected graph
// has each edge at both ends, a self-loop once. After that, where gapbs does not look, may stand
// the ids of a file that the rows came from: "vicinity-ids-01", a zero byte, the vertices of the
// left side, the first id, the number of ids in a table, and the table, of 64 bits each,
// little-endian as all numbers.
//
// Source: S. Beamer, K. Asanović and D. Patterson, The GAP Benchmark Suite (2015), reader.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/ids.h"

namespace graph {

// A view of the bytes, which must live as long. Threads: any may read.
class SerializedRows {
 public:
  // Checks sizes, offsets and neighbors, and that both ends of an undirected edge list it.
  // InvalidArgument, with file and byte.
  static absl::StatusOr<SerializedRows> Of(std::string_view file, std::string_view bytes);

  std::uint64_t vertices() const { return vertices_; }
  Direction direction() const { return direction_; }
  std::uint64_t entries() const { return entries_; }  // of all rows
  bool has_weights() const { return entry_bytes_ == 8; }
  const Ids& ids() const { return ids_; }
  std::uint64_t left_vertices() const { return left_vertices_; }  // as EdgeList has them
  // Do the neighbors of each row ascend?
  bool ascends() const { return ascends_; }

  std::uint64_t begin(std::uint64_t vertex) const {
    return Load<std::uint64_t>(offsets_ + 8 * vertex);
  }
  std::uint64_t end(std::uint64_t vertex) const { return begin(vertex + 1); }
  // The neighbor, or an arc's head, and the weight of entry i of all rows.
  Vertex neighbor(std::uint64_t i) const { return Load<Vertex>(neighbors_ + entry_bytes_ * i); }
  std::int32_t weight(std::uint64_t i) const {
    return Load<std::int32_t>(neighbors_ + entry_bytes_ * i + 4);
  }

 private:
  template <typename Number>
  static Number Load(const char* at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    return number;
  }

  Direction direction_ = Direction::kUndirected;
  std::uint64_t vertices_ = 0, entries_ = 0;
  std::uint64_t entry_bytes_ = 4;
  bool ascends_ = true;
  const char* offsets_ = nullptr;
  const char* neighbors_ = nullptr;
  Ids ids_;
  std::uint64_t left_vertices_ = 0;
};

// All edges: arcs by their tails, or edges by their smaller ends.
EdgeList EdgesOf(const SerializedRows& rows, bool keep_weights);

// The rows of a list as the bytes of a file. Neighbors ascend. InvalidArgument: more than 2^31 - 1
// vertices, or weights that are no integers of 32 bits.
absl::StatusOr<std::string> Serialize(const EdgeList& list);

}  // namespace graph
