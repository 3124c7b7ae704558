// File formats of graphs, and how a file of one is read. Pure.
//
//   edge-list        u v, then perhaps a weight and a time; # and % begin comments (SNAP, KONECT)
//   edge-list-nm     the same after a line with the numbers of vertices and edges
//   csv              the same with commas, semicolons or tabs, perhaps after a line of names
//   matrix-market    coordinate: row column [value]
//   dimacs-gr        p sp n m; a u v weight
//   dimacs-max       p max n m; n v s, n v t; a u v capacity
//   dimacs-col       p edge n m; e u v
//   pace             p NAME n m; u v (tw, td, ds, ...)
//   icgca            dimacs-col, with l (length bound) and t (terminals)
//   metis            n m [fmt [ncon]]; then a line of neighbors for each vertex
//   rudy             n m; then m lines u v weight (Rinaldi's generator, Gset, Biq Mac)
//   pajek            *Vertices n; then *Edges, *Arcs, *Edgeslist or *Arcslist
//   ligra            AdjacencyGraph or WeightedAdjacencyGraph; n, m, offsets, neighbors, weights
//   gapbs            .sg and .wsg: rows of 32-bit ids, binary (serialized.h)
//   graph500         two 64-bit ids, little-endian: 16 bytes an edge
//   graph500-packed  low 32 bits of each id, then 16 high bits of each: 12 bytes an edge
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"

namespace graph {

enum class Format {
  kEdgeList,
  kEdgeListNm,
  kCsv,
  kMatrixMarket,
  kDimacsGr,
  kDimacsMax,
  kDimacsCol,
  kPace,
  kIcgca,
  kMetis,
  kRudy,
  kPajek,
  kLigra,
  kGapbs,
  kGraph500,
  kGraph500Packed,
};

inline constexpr Format kFormats[] = {
    Format::kEdgeList, Format::kEdgeListNm, Format::kCsv,       Format::kMatrixMarket,
    Format::kDimacsGr, Format::kDimacsMax,  Format::kDimacsCol, Format::kPace,
    Format::kIcgca,    Format::kMetis,      Format::kRudy,      Format::kPajek,
    Format::kLigra,    Format::kGapbs,      Format::kGraph500,  Format::kGraph500Packed,
};

// "edge-list", as in the table above.
std::string_view FormatName(Format format);

// InvalidArgument lists the names.
absl::StatusOr<Format> ParseFormat(std::string_view name);

// How the ids of a format without a number of vertices become vertices.
enum class IdRule {
  kGuess,     // as kFromZero or kFromOne, by the smallest id; as kCompact where most ids are unused
  kFromZero,  // vertex v has the id v
  kFromOne,   // vertex v has the id v + 1
  kCompact,   // the ids that occur become 0, 1, ... in ascending order
};

// A value.
struct ParseOptions {
  IdRule ids = IdRule::kGuess;
  // Fills EdgeList::weights. A file without one number for each edge is then refused: complex and
  // skew-symmetric matrices, an edge list in which only some edges have a weight, and a METIS edge
  // whose ends give different weights.
  bool keep_weights = false;
  // Whatever the file says: edges as arcs from the first vertex to the second, which a format of
  // undirected graphs refuses, but for METIS, whose neighbors are arcs then; or arcs as edges.
  std::optional<Direction> direction;
  int threads = 1;
};

// Neither the format nor, but for a comment, its files say whether edges have a direction.
bool HasNoDirections(Format format);

}  // namespace graph
