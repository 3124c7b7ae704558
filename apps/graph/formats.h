// Files of graphs (format.h): bytes become a list of edges, or an error that names file and line.
//
// Lines end in LF or CRLF, the last one perhaps in nothing; a byte order mark of UTF-8 is skipped.
// The formats without a number of vertices (edge-list, csv and the two of Graph500) have ids from 0
// or 1 up to the largest one, or ids with gaps, which get other numbers (ParseOptions::ids).
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"

namespace graph {

// The first lines decide (%%MatrixMarket, p sp, *Vertices), then the extension of the file's name,
// then the numbers of the first lines. A binary file is the format of Graph500 that gives small ids
// to its first edges. An edge list whose first line counts vertices and all lines after it is an
// edge-list-nm. InvalidArgument names the first line if nothing fits.
absl::StatusOr<Format> GuessFormat(std::string_view file, std::string_view bytes);

// InvalidArgument is one sentence, "file:line: found this as field n, expected that"; of binary
// formats, "file: byte offset: ...".
absl::StatusOr<EdgeList> Parse(Format format, std::string_view file, std::string_view bytes,
                               ParseOptions options = {});

}  // namespace graph
