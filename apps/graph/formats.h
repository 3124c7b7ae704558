// File formats of graphs: bytes become a list of edges, or an error that names file and line. Pure.
//
//   edge-list        u v, then perhaps a weight and a time; # and % begin comments (SNAP, KONECT)
//   matrix-market    coordinate: row column [value]; a square matrix
//   dimacs-gr        p sp n m; a u v weight
//   dimacs-col       p edge n m; e u v
//   metis            n m [fmt [ncon]]; then a line of neighbors for each vertex
//   icgca            dimacs-col, with l (length bound) and t (terminals)
//   rudy             n m; then m lines u v weight (Rinaldi's generator, Gset, Biq Mac)
//   graph500         two 64-bit ids, little-endian: 16 bytes an edge
//   graph500-packed  low 32 bits of each id, then 16 high bits of each: 12 bytes an edge
//
// Ids are from 0 on in an edge-list (or from 1, if asked) and in Graph500's, from 1 on in the
// others. Lines end in LF or CRLF, the last one perhaps in nothing. An edge-list, as the two of
// Graph500, has no number of vertices: it is the largest id and one, and the edges count as
// undirected.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"

namespace graph {

enum class Format {
  kEdgeList,
  kMatrixMarket,
  kDimacsGr,
  kDimacsCol,
  kMetis,
  kIcgca,
  kRudy,
  kGraph500,
  kGraph500Packed,
};

inline constexpr Format kFormats[] = {
    Format::kEdgeList,  Format::kMatrixMarket, Format::kDimacsGr,
    Format::kDimacsCol, Format::kMetis,        Format::kIcgca,
    Format::kRudy,      Format::kGraph500,     Format::kGraph500Packed,
};

// "edge-list", as in the table above.
std::string_view FormatName(Format format);

// InvalidArgument lists the names.
absl::StatusOr<Format> ParseFormat(std::string_view name);

// By the first lines where they say it (%%MatrixMarket, p sp, p edge), then by the file name's
// extension, then by whether the first line is one of numbers: two integers before a line of three
// numbers are rudy's, other lines are an edge-list's. Of the two binary formats, the one
// in which all ids of the first edges are below 2^32. InvalidArgument where nothing fits.
absl::StatusOr<Format> GuessFormat(std::string_view file, std::string_view bytes);

// The first id of an edge-list.
enum class FirstId { kZero, kOne };

// A value.
struct ParseOptions {
  FirstId first_id = FirstId::kZero;
  // Fills EdgeList::weights. What has weights that are not one number for each edge is then
  // refused: complex and skew-symmetric matrices, an edge-list in which only some edges have one,
  // ends of a METIS edge that do not agree.
  bool keep_weights = false;
};

// InvalidArgument is one sentence, "file:line: found this, expected that"; of binary formats,
// "file: byte offset: ...". At least 100 MB a second.
absl::StatusOr<EdgeList> Parse(Format format, std::string_view file, std::string_view bytes,
                               ParseOptions options = {});

}  // namespace graph
