#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "apps/graph/formats/numbering.h"
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
  if (StartsWith(bytes, "AdjacencyGraph") || StartsWith(bytes, "WeightedAdjacencyGraph")) {
    return Format::kLigra;
  }
  Scanner first("", bytes);
  if (first.NextLineWithout("%") && first.StartsWith('*')) return Format::kPajek;
  Scanner scanner("", bytes);
  if (!scanner.NextLineWithout("c") || scanner.NextField() != "p") return std::nullopt;
  const std::string_view problem = scanner.NextField();
  if (problem == "sp") return Format::kDimacsGr;
  if (problem == "max") return Format::kDimacsMax;
  if (IsDimacsCol(problem)) {
    return HasLengthOrTerminals(bytes) ? Format::kIcgca : Format::kDimacsCol;
  }
  if (IsPace(problem)) return Format::kPace;
  return std::nullopt;
}

std::optional<Format> ByExtension(std::string_view file) {
  constexpr std::array<std::pair<std::string_view, Format>, 24> kExtensions = {{
      {"adj", Format::kLigra},
      {"col", Format::kDimacsCol},
      {"csv", Format::kCsv},
      {"edgelist", Format::kEdgeList},
      {"edges", Format::kEdgeList},
      {"el", Format::kEdgeList},
      {"gr", Format::kDimacsGr},
      {"graph", Format::kMetis},
      {"graph500", Format::kGraph500},
      {"icgca", Format::kIcgca},
      {"max", Format::kDimacsMax},
      {"mc", Format::kRudy},
      {"metis", Format::kMetis},
      {"mgraph", Format::kMetis},
      {"mtx", Format::kMatrixMarket},
      {"net", Format::kPajek},
      {"packed", Format::kGraph500Packed},
      {"rud", Format::kRudy},
      {"rudy", Format::kRudy},
      {"sg", Format::kGapbs},
      {"snap", Format::kEdgeList},
      {"tsv", Format::kEdgeList},
      {"wel", Format::kEdgeList},
      {"wsg", Format::kGapbs},
  }};
  // The extension of compressed bytes stands behind that of their format.
  for (const std::string_view packed : {".gz", ".bz2", ".xz", ".zst"}) {
    if (file.size() > packed.size() && file.substr(file.size() - packed.size()) == packed) {
      file.remove_suffix(packed.size());
      break;
    }
  }
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

// The next two fields of the line, where they are ids.
std::optional<std::pair<std::uint64_t, std::uint64_t>> NextPair(Scanner& scanner) {
  const auto from = scanner.Integer({"a vertex", 0, kMaxId});
  if (!from.ok()) return std::nullopt;
  const auto to = scanner.Integer({"a vertex", 0, kMaxId});
  if (!to.ok()) return std::nullopt;
  return std::pair(*from, *to);
}

// Is the first line the numbers of vertices and of all lines after it? Each line after it must have
// two ids, none above the number of vertices, and nothing or a weight more.
bool BeginsWithCounts(std::string_view text) {
  Scanner scanner("", text);
  // Lists of SNAP and KONECT have no such line.
  if (HasRemarks(text) || !scanner.NextLineWithout("#%")) return false;
  const auto counts = NextPair(scanner);
  if (!counts || !scanner.AtLineEnd()) return false;
  const auto [vertices, edges] = *counts;
  bool has_zero = false, has_last = false;
  std::uint64_t lines = 0;
  for (; scanner.NextLineWithout("#%"); ++lines) {
    if (lines == edges) return false;
    const auto ids = NextPair(scanner);
    if (!ids || ids->first > vertices || ids->second > vertices) return false;
    has_zero = has_zero || ids->first == 0 || ids->second == 0;
    has_last = has_last || ids->first == vertices || ids->second == vertices;
  }
  return lines == edges && lines > 0 && !(has_zero && has_last);
}

// Has the first line commas or semicolons?
bool IsTable(std::string_view text) {
  Scanner scanner("", text);
  return scanner.NextLineWithout("#%") &&
         scanner.fields().find_first_of(",;") != std::string_view::npos;
}

// Is the first line one of names?
bool BeginsWithNames(std::string_view text) {
  Scanner scanner("", text);
  return scanner.NextLineWithout("#%") && IsName(scanner.NextField()) &&
         IsName(scanner.NextField());
}

std::optional<Format> ByContents(std::string_view bytes) {
  if (IsBinary(bytes)) {
    const bool pairs = LooksLikeGraph500(Format::kGraph500, bytes);
    const bool packed = LooksLikeGraph500(Format::kGraph500Packed, bytes);
    if (pairs == packed) return std::nullopt;
    return pairs ? Format::kGraph500 : Format::kGraph500Packed;
  }
  if (IsTable(bytes)) return Format::kCsv;
  Scanner scanner("", bytes);
  if (!scanner.NextLineWithout("#%")) return std::nullopt;
  // A fault in the rest of the line is one of an edge list.
  if (!scanner.Integer({"a vertex", 0, kMaxId}).ok()) return std::nullopt;
  if (!scanner.Integer({"a vertex", 0, kMaxId}).ok()) return Format::kEdgeList;
  const bool may_be_rudy = scanner.AtLineEnd() && scanner.NextLineWithout("#%") &&
                           NextPair(scanner) && scanner.ReadReal("a weight").ok() &&
                           scanner.AtLineEnd();
  return may_be_rudy ? Format::kRudy : Format::kEdgeList;
}

absl::Status NoGuess(std::string_view file, std::string_view bytes) {
  constexpr char kExpected[] = "the first line of a graph in one of the formats of --format";
  if (IsBinary(bytes)) {
    return absl::InvalidArgumentError(std::string(file) +
                                      ": byte 0: found bytes that are no text, expected one of the "
                                      "binary formats of --format");
  }
  Scanner scanner(file, bytes);
  if (!scanner.NextLineWithout("#%")) return scanner.EndFault(kExpected);
  return scanner.FieldFault(scanner.NextField(), kExpected);
}

}  // namespace

absl::StatusOr<Format> GuessFormat(std::string_view file, std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (StartsWith(bytes, kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (StartsWith(bytes, "\xff\xfe") || StartsWith(bytes, "\xfe\xff")) {
    return Scanner(file, bytes).Fault("text of 16 bits a character", "UTF-8");
  }
  std::optional<Format> format = ByFirstLines(bytes);
  if (!format) format = ByExtension(file);
  if (!format) format = ByContents(bytes);
  if (!format) return NoGuess(file, bytes);
  if (*format == Format::kDimacsCol && ByExtension(file) == Format::kIcgca) return Format::kIcgca;
  if (*format != Format::kEdgeList) return *format;
  if (IsTable(bytes) || BeginsWithNames(bytes)) return Format::kCsv;
  return BeginsWithCounts(bytes) ? Format::kEdgeListNm : Format::kEdgeList;
}

}  // namespace graph
