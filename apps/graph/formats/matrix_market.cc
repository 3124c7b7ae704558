#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/formats/edge_lines.h"
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

// A value: the line after the banner.
struct Size {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;
};

absl::StatusOr<Size> ParseSize(const Banner& banner, Scanner& scanner) {
  if (!scanner.NextLineWithout("%")) return scanner.EndFault("rows, columns and entries");
  const auto rows = scanner.Integer({"a number of rows", 0, kMaxVertices});
  if (!rows.ok()) return rows.status();
  const auto columns = scanner.Integer({"a number of columns", 0, kMaxVertices});
  if (!columns.ok()) return columns.status();
  const auto entries = scanner.Integer({"a number of entries"});
  if (!entries.ok()) return entries.status();
  if (auto status = scanner.EndLine(); !status.ok()) return status;
  const std::string found =
      std::to_string(*rows) + " rows and " + std::to_string(*columns) + " columns";
  if (*rows != *columns && banner.symmetry != Symmetry::kGeneral) {
    return scanner.Fault(found, "a square matrix, as it is symmetric");
  }
  if (*rows != *columns && *rows + *columns > kMaxVertices) {
    return scanner.Fault(found, "at most " + std::to_string(kMaxVertices) + " together");
  }
  return Size{*rows, *columns, *entries};
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
                                           const ParseOptions& options) {
  Scanner scanner(file, text);
  const auto banner = ParseBanner(scanner, options);
  if (!banner.ok()) return banner.status();
  const auto size = ParseSize(*banner, scanner);
  if (!size.ok()) return size.status();
  const std::string count =
      std::to_string(size->entries) + ", as line " + std::to_string(scanner.line()) + " announces";
  const bool is_square = size->rows == size->columns;
  const Vertex before_columns = is_square ? 0 : static_cast<Vertex>(size->rows);

  const Body body = scanner.rest();
  auto edges = ParseEdgeLines<Vertex>(
      body, "%", options.threads, size->entries,
      [&](Scanner& line, Edges<Vertex>& found) -> absl::Status {
        if (found.edges.size() == size->entries) {
          return line.Fault("entry " + std::to_string(size->entries + 1), count);
        }
        const auto row = line.VertexId(1, size->rows);
        if (!row.ok()) return row.status();
        const auto column = line.VertexId(1, size->columns);
        if (!column.ok()) return column.status();
        auto* const weights = banner->numbers > 0 ? WeightsOf(options, found) : nullptr;
        auto status = ReadNumbers(*banner, line, weights);
        if (!status.ok()) return status;
        if (banner->symmetry == Symmetry::kSkewSymmetric && *row == *column) {
          return line.Fault("an entry on the diagonal", "only others in this symmetry");
        }
        found.edges.push_back({*row, *column + before_columns});
        return absl::OkStatus();
      });
  if (!edges.ok()) return edges.status();
  if (edges->edges.size() != size->entries) {
    return TooFew(body, "entry", edges->edges.size(), count);
  }
  EdgeList list;
  list.vertices = is_square ? size->rows : size->rows + size->columns;
  list.left_vertices = is_square ? 0 : size->rows;
  const bool is_directed = is_square && banner->symmetry == Symmetry::kGeneral;
  list.direction = is_directed ? Direction::kDirected : Direction::kUndirected;
  Take(*std::move(edges), list);
  list.ids = Ids(1);
  return list;
}

}  // namespace graph
