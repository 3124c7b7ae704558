// One parser for each family of formats; formats.h describes and chooses. Pure.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "apps/graph/formats.h"

namespace graph {

absl::StatusOr<EdgeList> ParseEdgeList(std::string_view file, std::string_view text,
                                       ParseOptions options);

// Entries of a symmetric, skew-symmetric or hermitian matrix are edges without direction, those of
// a general one are arcs from row to column; zeros that are listed are edges too.
absl::StatusOr<EdgeList> ParseMatrixMarket(std::string_view file, std::string_view text,
                                           ParseOptions options);

// kDimacsGr, kDimacsCol or kIcgca.
absl::StatusOr<EdgeList> ParseDimacs(Format format, std::string_view file, std::string_view text,
                                     ParseOptions options);

// Both ends must list an edge. Edges come in the order of their smaller ends.
absl::StatusOr<EdgeList> ParseMetis(std::string_view file, std::string_view text,
                                    ParseOptions options);

absl::StatusOr<EdgeList> ParseRudy(std::string_view file, std::string_view text,
                                   ParseOptions options);

// kGraph500 or kGraph500Packed.
absl::StatusOr<EdgeList> ParseGraph500(Format format, std::string_view file,
                                       std::string_view bytes);

// Do all of the first edges have ids below 2^32 in this binary format?
bool LooksLikeGraph500(Format format, std::string_view bytes);

}  // namespace graph
