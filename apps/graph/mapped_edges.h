// The edges of a file of serialized rows, which stay in the file that is mapped into memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/graph/file_bytes.h"
#include "apps/graph/serialized.h"

namespace graph {

// A resource: the mapped file, and 8 bytes a vertex. Threads: any may read.
class MappedEdges {
 public:
  // Precondition: `rows` are those of the bytes of `file`, and ascend.
  MappedEdges(FileBytes file, const SerializedRows& rows);

  const SerializedRows& rows() const { return rows_; }
  // Each arc, or each edge once.
  std::uint64_t count() const { return first_.back(); }
  // Edges first, first + 1, ... in the order of EdgesOf; precondition: first + out.size() <=
  // count().
  void Read(std::uint64_t first, std::span<Edge> out) const;
  // Loops and repeated edges. Reads all rows.
  EdgeCounts Count() const;

 private:
  // The first entry of the row that is an edge of this vertex and not of the other end.
  std::uint64_t FirstOwn(std::uint64_t vertex) const;

  FileBytes file_;
  SerializedRows rows_;
  std::vector<std::uint64_t> first_;  // by vertex: the number of its first own edge; then their sum
};

}  // namespace graph
