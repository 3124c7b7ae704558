// Graphs from files, as they are: any format, compressed or not, in a tar archive, or by a pipe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/formats.h"
#include "apps/graph/mapped_edges.h"
#include "apps/graph/report.h"

namespace graph {

// A value.
struct ReadOptions {
  std::optional<Format> format;  // none: guessed (GuessFormat)
  // 0 threads: as many as PUs are allowed; 256 at most.
  ParseOptions parse = {.direction = {}, .threads = 0};
  // That a compressed file may unpack to.
  std::uint64_t most_bytes = ~std::uint64_t{0};
};

// A value.
struct ReadGraph {
  EdgeList list;
  Report report;
};

// "-" is standard input. A pipe is read to its end, compressed bytes are unpacked (decompress.h),
// and a tar archive stands for its largest file. An error is one sentence that begins with the
// path. It comes from FileBytes::Open, Decompress, LargestFile, GuessFormat or Parse; a fault in
// the text also names the assumed format.
absl::StatusOr<ReadGraph> Read(const std::string& path, ReadOptions options = {});

// A value: edges that stay in a mapped file.
struct MappedGraph {
  std::shared_ptr<const MappedEdges> edges;
  Report report;
};

// The graph of a file of serialized rows (serialized.h): no edge is copied. The edges are null if
// the file has another format, is compressed or an archive, if its rows do not ascend, and if the
// options ask for weights or another direction: Read takes all of these.
absl::StatusOr<MappedGraph> Map(const std::string& path, const ReadOptions& options = {});

}  // namespace graph
