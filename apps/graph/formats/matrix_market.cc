#include <algorithm>
#include <string>
#include <vector>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

enum class Symmetry { kGeneral, kSymmetric, kSkewSymmetric };

// A value: the first line.
struct Banner {
  int numbers = 0;  // after row and column
  bool are_integers = false;
  Symmetry symmetry = Symmetry::kGeneral;
};

// The banner's words are in any case.
std::string NextWord(Scanner& scanner) {
  std::string word(scanner.NextField());
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

absl::StatusOr<Banner> ParseBanner(Scanner& scanner, const ParseOptions& options) {
  constexpr char kBanner[] = "the banner %%MatrixMarket matrix coordinate";
  if (!scanner.NextLine()) return scanner.EndFault(kBanner);
  for (const char* word : {"%%matrixmarket", "matrix", "coordinate"}) {
    if (const std::string found = NextWord(scanner); found != word) {
      return scanner.FieldFault(found, kBanner);
    }
  }
  Banner banner;
  const std::string field = NextWord(scanner);
  if (field == "pattern") {
    banner.numbers = 0;
  } else if (field == "real" || field == "integer") {
    banner.numbers = 1;
    banner.are_integers = field == "integer";
  } else if (field == "complex") {
    banner.numbers = 2;
  } else {
    return scanner.FieldFault(field, "pattern, real, integer or complex");
  }
  if (options.keep_weights && banner.numbers == 2) {
    return scanner.FieldFault(field, "pattern, real or integer: other numbers are no weights");
  }
  const std::string symmetry = NextWord(scanner);
  if (symmetry == "symmetric" || symmetry == "hermitian") {
    banner.symmetry = Symmetry::kSymmetric;
  } else if (symmetry == "skew-symmetric") {
    banner.symmetry = Symmetry::kSkewSymmetric;
  } else if (symmetry != "general") {
    return scanner.FieldFault(symmetry, "general, symmetric, skew-symmetric or hermitian");
  }
  if (options.keep_weights && banner.symmetry == Symmetry::kSkewSymmetric) {
    return scanner.FieldFault(symmetry, "general or symmetric: an edge has one weight");
  }
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  return banner;
}

// Of one entry, after row and column.
absl::Status ReadNumbers(const Banner& banner, Scanner& scanner, std::vector<double>* weights) {
  for (int i = 0; i < banner.numbers; ++i) {
    const absl::Status status = banner.are_integers ? scanner.ReadInteger("an integer", weights)
                                                    : scanner.ReadReal("a number", weights);
    if (!status.ok()) return status;
  }
  return scanner.EndLine();
}

}  // namespace

absl::StatusOr<EdgeList> ParseMatrixMarket(std::string_view file, std::string_view text,
                                           ParseOptions options) {
  Scanner scanner(file, text);
  const auto banner = ParseBanner(scanner, options);
  if (!banner.ok()) return banner.status();

  if (!scanner.NextLineWithout("%")) return scanner.EndFault("rows, columns and entries");
  const auto rows = scanner.Integer({"a number of rows", 0, kMaxVertices});
  if (!rows.ok()) return rows.status();
  const auto columns = scanner.Integer({"a number of columns", 0, kMaxVertices});
  if (!columns.ok()) return columns.status();
  const auto entries = scanner.Integer({"a number of entries"});
  if (!entries.ok()) return entries.status();
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  if (*rows != *columns) {
    return scanner.Fault(
        std::to_string(*rows) + " rows and " + std::to_string(*columns) + " columns",
        "a square matrix");
  }
  const std::string count =
      std::to_string(*entries) + ", as line " + std::to_string(scanner.line()) + " announces";

  EdgeList list;
  list.vertices = *rows;
  list.direction =
      banner->symmetry == Symmetry::kGeneral ? Direction::kDirected : Direction::kUndirected;
  ReserveEdges(*entries, text, &list);
  while (scanner.NextLineWithout("%")) {
    if (list.edges.size() == *entries) {
      return scanner.Fault("entry " + std::to_string(*entries + 1), count);
    }
    const auto row = scanner.VertexId(1, *rows);
    if (!row.ok()) return row.status();
    const auto column = scanner.VertexId(1, *rows);
    if (!column.ok()) return column.status();
    const auto status = ReadNumbers(*banner, scanner, WeightsOf(options, &list));
    if (!status.ok()) return status;
    // The others follow from these.
    if (banner->symmetry != Symmetry::kGeneral && *row < *column) {
      return scanner.Fault("an entry above the diagonal", "only those below in this symmetry");
    }
    if (banner->symmetry == Symmetry::kSkewSymmetric && *row == *column) {
      return scanner.Fault("an entry on the diagonal", "only those below in this symmetry");
    }
    list.edges.push_back({*row, *column});
  }
  if (list.edges.size() != *entries) {
    return scanner.Fault("the end of the file after entry " + std::to_string(list.edges.size()),
                         count);
  }
  return list;
}

}  // namespace graph
