#include "apps/graph/write.h"

#include <charconv>
#include <utility>
#include <vector>

namespace graph {
namespace {

void AddNumber(std::uint64_t number, std::string* text) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text->append(digits, end);
}

void AddPair(std::uint64_t first, std::uint64_t second, std::string_view end, std::string* text) {
  AddNumber(first, text);
  *text += ' ';
  AddNumber(second, text);
  *text += end;
}

// The ends count from `first`.
void AddEdges(const std::vector<Edge>& edges, std::string_view begin, std::uint64_t first,
              std::string_view end, std::string* text) {
  for (const Edge& edge : edges) {
    *text += begin;
    AddPair(edge.from + first, edge.to + first, end, text);
  }
}

std::string MatrixMarket(const EdgeList& list) {
  const bool is_general = list.direction == Direction::kDirected;
  std::string text = "%%MatrixMarket matrix coordinate pattern ";
  text += is_general ? "general\n" : "symmetric\n";
  AddNumber(list.vertices, &text);
  text += ' ';
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  for (auto [row, column] : list.edges) {
    // Of a symmetric matrix, only what is below the diagonal is listed.
    if (!is_general && row < column) std::swap(row, column);
    AddPair(row + 1ull, column + 1ull, "\n", &text);
  }
  return text;
}

std::string Dimacs(Format format, const EdgeList& list) {
  const bool has_weights = format == Format::kDimacsGr;
  std::string text = has_weights ? "p sp " : "p edge ";
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  AddEdges(list.edges, has_weights ? "a " : "e ", 1, has_weights ? " 1\n" : "\n", &text);
  if (list.max_length) {
    text += "l ";
    AddNumber(*list.max_length, &text);
    text += '\n';
  }
  AddEdges(list.terminals, "t ", 1, "\n", &text);
  return text;
}

std::string Metis(const EdgeList& list) {
  std::vector<std::vector<Vertex>> neighbors(list.vertices);
  for (const auto [from, to] : list.edges) {
    neighbors[from].push_back(to);
    neighbors[to].push_back(from);
  }
  std::string text;
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  for (const std::vector<Vertex>& row : neighbors) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ' ';
      AddNumber(row[i] + 1ull, &text);
    }
    text += '\n';
  }
  return text;
}

// Little-endian.
void AddWord(std::uint64_t word, int bytes, std::string* text) {
  for (int i = 0; i < bytes; ++i) *text += static_cast<char>(word >> 8 * i & 0xff);
}

std::string Graph500(Format format, const EdgeList& list) {
  const bool is_packed = format == Format::kGraph500Packed;
  std::string text;
  for (const auto [from, to] : list.edges) {
    AddWord(from, is_packed ? 4 : 8, &text);
    AddWord(to, is_packed ? 4 : 8, &text);
    if (is_packed) AddWord(0, 4, &text);  // the high halves
  }
  return text;
}

// Empty where it can.
std::string WhyItCannotHold(Format format, const EdgeList& list) {
  const bool is_undirected = list.direction == Direction::kUndirected;
  switch (format) {
    case Format::kMatrixMarket:
      break;
    case Format::kDimacsGr:
      if (is_undirected) return "edges without a direction";
      break;
    default:
      if (!is_undirected) return "edges with a direction";
  }
  if (format != Format::kIcgca && (list.max_length || !list.terminals.empty())) {
    return "terminals or a length bound";
  }
  if (format == Format::kMetis) {
    for (const auto [from, to] : list.edges) {
      if (from == to) return "an edge from a vertex to itself";
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> Write(Format format, const EdgeList& list) {
  if (const std::string why = WhyItCannotHold(format, list); !why.empty()) {
    return absl::InvalidArgumentError(std::string(FormatName(format)) + " cannot hold " + why);
  }
  switch (format) {
    case Format::kEdgeList: {
      std::string text;
      AddEdges(list.edges, "", 0, "\n", &text);
      return text;
    }
    case Format::kMatrixMarket:
      return MatrixMarket(list);
    case Format::kDimacsGr:
    case Format::kDimacsCol:
    case Format::kIcgca:
      return Dimacs(format, list);
    case Format::kMetis:
      return Metis(list);
    case Format::kGraph500:
    case Format::kGraph500Packed:
      return Graph500(format, list);
  }
  return absl::InternalError("no such format");
}

}  // namespace graph
