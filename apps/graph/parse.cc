#include <string>

#include "apps/graph/formats.h"
#include "apps/graph/formats/parsers.h"
#include "apps/graph/serialized.h"

namespace graph {

namespace {

absl::StatusOr<EdgeList> ParseBy(Format format, std::string_view file, std::string_view bytes,
                                 const ParseOptions& options) {
  switch (format) {
    case Format::kEdgeList:
      return ParseEdgeList(file, bytes, options);
    case Format::kEdgeListNm:
      return ParseEdgeListNm(file, bytes, options);
    case Format::kCsv:
      return ParseCsv(file, bytes, options);
    case Format::kMatrixMarket:
      return ParseMatrixMarket(file, bytes, options);
    case Format::kDimacsGr:
    case Format::kDimacsMax:
    case Format::kDimacsCol:
    case Format::kPace:
    case Format::kIcgca:
      return ParseDimacs(format, file, bytes, options);
    case Format::kMetis:
      return ParseMetis(file, bytes, options);
    case Format::kRudy:
      return ParseRudy(file, bytes, options);
    case Format::kPajek:
      return ParsePajek(file, bytes, options);
    case Format::kLigra:
      return ParseLigra(file, bytes, options);
    case Format::kGapbs: {
      const auto rows = SerializedRows::Of(file, bytes);
      if (!rows.ok()) return rows.status();
      return EdgesOf(*rows, options.keep_weights);
    }
    case Format::kGraph500:
    case Format::kGraph500Packed:
      return ParseGraph500(format, file, bytes, options);
  }
  return absl::InternalError("no such format");
}

bool IsBinary(Format format) {
  return format == Format::kGapbs || format == Format::kGraph500 ||
         format == Format::kGraph500Packed;
}

}  // namespace

absl::StatusOr<EdgeList> Parse(Format format, std::string_view file, std::string_view bytes,
                               ParseOptions options) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (!IsBinary(format) && bytes.substr(0, 3) == kByteOrderMark) bytes.remove_prefix(3);
  absl::StatusOr<EdgeList> list = ParseBy(format, file, bytes, options);
  if (!list.ok() || !options.direction || list->direction == *options.direction) return list;
  if (*options.direction == Direction::kDirected &&
      (!HasNoDirections(format) || list->left_vertices > 0)) {
    return absl::InvalidArgumentError(std::string(file) +
                                      ": its edges have no direction, by its format " +
                                      std::string(FormatName(format)) + " or its comments");
  }
  list->direction = *options.direction;
  return list;
}

}  // namespace graph
