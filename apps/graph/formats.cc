#include "apps/graph/formats.h"

#include <string>

#include "apps/graph/formats/parsers.h"

namespace graph {

std::string_view FormatName(Format format) {
  switch (format) {
    case Format::kEdgeList:
      return "edge-list";
    case Format::kMatrixMarket:
      return "matrix-market";
    case Format::kDimacsGr:
      return "dimacs-gr";
    case Format::kDimacsCol:
      return "dimacs-col";
    case Format::kMetis:
      return "metis";
    case Format::kIcgca:
      return "icgca";
    case Format::kRudy:
      return "rudy";
    case Format::kGraph500:
      return "graph500";
    case Format::kGraph500Packed:
      return "graph500-packed";
  }
  return "";
}

absl::StatusOr<Format> ParseFormat(std::string_view name) {
  std::string names;
  for (const Format format : kFormats) {
    if (FormatName(format) == name) return format;
    names += names.empty() ? "" : ", ";
    names += FormatName(format);
  }
  return absl::InvalidArgumentError("'" + std::string(name) +
                                    "' is no format of graphs: expected one of " + names);
}

absl::StatusOr<EdgeList> Parse(Format format, std::string_view file, std::string_view bytes,
                               ParseOptions options) {
  switch (format) {
    case Format::kEdgeList:
      return ParseEdgeList(file, bytes, options);
    case Format::kMatrixMarket:
      return ParseMatrixMarket(file, bytes, options);
    case Format::kDimacsGr:
    case Format::kDimacsCol:
    case Format::kIcgca:
      return ParseDimacs(format, file, bytes, options);
    case Format::kMetis:
      return ParseMetis(file, bytes, options);
    case Format::kRudy:
      return ParseRudy(file, bytes, options);
    case Format::kGraph500:
    case Format::kGraph500Packed:
      return ParseGraph500(format, file, bytes);
  }
  return absl::InternalError("no such format");
}

}  // namespace graph
