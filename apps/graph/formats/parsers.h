// One parser for each family of formats; formats.h describes and chooses. Pure but for threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/formats.h"
#include "apps/graph/formats/scanner.h"

namespace graph {

absl::StatusOr<EdgeList> ParseEdgeList(std::string_view file, std::string_view text,
                                       const ParseOptions& options);
absl::StatusOr<EdgeList> ParseEdgeListNm(std::string_view file, std::string_view text,
                                         const ParseOptions& options);
absl::StatusOr<EdgeList> ParseCsv(std::string_view file, std::string_view text,
                                  const ParseOptions& options);

// Entries of a symmetric, skew-symmetric or hermitian matrix, of either triangle, are edges without
// direction, those of a general one are arcs from row to column; zeros that are listed are edges
// too. Rows and columns of a matrix that is not square are the two sides of a bipartite graph.
absl::StatusOr<EdgeList> ParseMatrixMarket(std::string_view file, std::string_view text,
                                           const ParseOptions& options);

// kDimacsGr, kDimacsMax, kDimacsCol, kPace or kIcgca.
absl::StatusOr<EdgeList> ParseDimacs(Format format, std::string_view file, std::string_view text,
                                     const ParseOptions& options);

// Both ends must list an edge. Edges come in the order of their smaller ends.
absl::StatusOr<EdgeList> ParseMetis(std::string_view file, std::string_view text,
                                    const ParseOptions& options);

absl::StatusOr<EdgeList> ParseRudy(std::string_view file, std::string_view text,
                                   const ParseOptions& options);

// Edges of a file that has arcs too are arcs both ways.
absl::StatusOr<EdgeList> ParsePajek(std::string_view file, std::string_view text,
                                    const ParseOptions& options);

// A file does not say whether each edge stands at both ends: its neighbors are arcs.
absl::StatusOr<EdgeList> ParseLigra(std::string_view file, std::string_view text,
                                    const ParseOptions& options);

// kGraph500 or kGraph500Packed.
absl::StatusOr<EdgeList> ParseGraph500(Format format, std::string_view file, std::string_view bytes,
                                       const ParseOptions& options);

// Do comments before the first edge say directions or sides, as SNAP's and KONECT's do?
bool HasRemarks(std::string_view text);

// Is this a name of a table's column, and no number?
bool IsName(std::string_view field);

// Is this the word of the line "p WORD vertices edges" in dimacs-col, or in pace?
bool IsDimacsCol(std::string_view word);
bool IsPace(std::string_view word);

// Are all ids of the first edges, in this binary format, small enough?
bool LooksLikeGraph500(Format format, std::string_view bytes);

// A value: the numbers of a line "vertices edges".
struct Counts {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t line = 0;

  // "7, as line 1 announces"
  std::string Announced() const {
    return std::to_string(edges) + ", as line " + std::to_string(line) + " announces";
  }
};

// The next line without these comments, which has both numbers and no other field.
absl::StatusOr<Counts> ReadCounts(Scanner& scanner, std::string_view comments);

}  // namespace graph
