#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Only files of ICGCA have lines of these types.
bool HasLengthOrTerminals(std::string_view text) {
  constexpr std::string_view kBegins[] = {"\nl ", "\nl\t", "\nt ", "\nt\t"};
  return std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view begin) {
    return text.find(begin) != std::string_view::npos;
  });
}

// By a line that only one format has.
std::optional<Format> ByFirstLines(std::string_view bytes) {
  if (StartsWith(bytes, "%%MatrixMarket")) return Format::kMatrixMarket;
  Scanner scanner("", bytes);
  if (!scanner.NextLineWithout("c") || scanner.NextField() != "p") return std::nullopt;
  const std::string_view problem = scanner.NextField();
  if (problem == "sp") return Format::kDimacsGr;
  if (problem != "edge" && problem != "col") return std::nullopt;
  return HasLengthOrTerminals(bytes) ? Format::kIcgca : Format::kDimacsCol;
}

std::optional<Format> ByExtension(std::string_view file) {
  constexpr std::array<std::pair<std::string_view, Format>, 17> kExtensions = {{
      {"col", Format::kDimacsCol},
      {"edgelist", Format::kEdgeList},
      {"edges", Format::kEdgeList},
      {"el", Format::kEdgeList},
      {"gr", Format::kDimacsGr},
      {"graph", Format::kMetis},
      {"graph500", Format::kGraph500},
      {"icgca", Format::kIcgca},
      {"mc", Format::kRudy},
      {"metis", Format::kMetis},
      {"mtx", Format::kMatrixMarket},
      {"packed", Format::kGraph500Packed},
      {"rud", Format::kRudy},
      {"rudy", Format::kRudy},
      {"snap", Format::kEdgeList},
      {"tsv", Format::kEdgeList},
      {"wel", Format::kEdgeList},
  }};
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto found = std::find_if(kExtensions.begin(), kExtensions.end(), [&](const auto& known) {
    return known.first == file.substr(dot + 1);
  });
  return found == kExtensions.end() ? std::nullopt : std::optional(found->second);
}

// Binary ids below 2^24 have bytes of 0.
bool IsBinary(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 4096;
  return bytes.substr(0, kLookedAt).find('\0') != std::string_view::npos;
}

// Of the line; reads them.
bool BeginsWithPair(Scanner& scanner) {
  return scanner.VertexId(0, kMaxVertices).ok() && scanner.VertexId(0, kMaxVertices).ok();
}

std::optional<Format> ByContents(std::string_view bytes) {
  if (IsBinary(bytes)) {
    const bool pairs = LooksLikeGraph500(Format::kGraph500, bytes);
    const bool packed = LooksLikeGraph500(Format::kGraph500Packed, bytes);
    if (pairs == packed) return std::nullopt;
    return pairs ? Format::kGraph500 : Format::kGraph500Packed;
  }
  Scanner scanner("", bytes);
  if (!scanner.NextLineWithout("#%") || !BeginsWithPair(scanner)) return std::nullopt;
  const bool may_be_rudy = scanner.AtLineEnd() && scanner.NextLineWithout("#%") &&
                           BeginsWithPair(scanner) && scanner.ReadReal("a weight").ok() &&
                           scanner.AtLineEnd();
  return may_be_rudy ? Format::kRudy : Format::kEdgeList;
}

}  // namespace

absl::StatusOr<Format> GuessFormat(std::string_view file, std::string_view bytes) {
  std::string why = "neither its extension nor its first lines say the format";
  if (StartsWith(bytes, "\x1f\x8b") || StartsWith(bytes, "\x28\xb5\x2f\xfd") ||
      StartsWith(bytes, "BZh") ||
      StartsWith(bytes,
                 "\xfd"
                 "7zXZ")) {
    why = "a compressed file must be unpacked first";
  } else {
    if (const auto format = ByFirstLines(bytes)) return *format;
    if (const auto format = ByExtension(file)) return *format;
    if (const auto format = ByContents(bytes)) return *format;
  }
  return absl::InvalidArgumentError(std::string(file) + ": " + why);
}

}  // namespace graph
