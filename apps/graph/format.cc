#include "apps/graph/format.h"

#include <string>

namespace graph {

std::string_view FormatName(Format format) {
  switch (format) {
    case Format::kEdgeList:
      return "edge-list";
    case Format::kEdgeListNm:
      return "edge-list-nm";
    case Format::kCsv:
      return "csv";
    case Format::kMatrixMarket:
      return "matrix-market";
    case Format::kDimacsGr:
      return "dimacs-gr";
    case Format::kDimacsMax:
      return "dimacs-max";
    case Format::kDimacsCol:
      return "dimacs-col";
    case Format::kPace:
      return "pace";
    case Format::kIcgca:
      return "icgca";
    case Format::kMetis:
      return "metis";
    case Format::kRudy:
      return "rudy";
    case Format::kPajek:
      return "pajek";
    case Format::kLigra:
      return "ligra";
    case Format::kGapbs:
      return "gapbs";
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

bool HasNoDirections(Format format) {
  switch (format) {
    case Format::kEdgeList:
    case Format::kEdgeListNm:
    case Format::kCsv:
    case Format::kRudy:
    case Format::kGraph500:
    case Format::kGraph500Packed:
      return true;
    default:
      return false;
  }
}

}  // namespace graph
