#include "apps/graph/write.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/graph/serialized.h"

namespace graph {
namespace {

enum class Weights { kNone, kIntegers, kReals };

Weights WeightsIn(Format format) {
  switch (format) {
    case Format::kEdgeList:
    case Format::kEdgeListNm:
    case Format::kCsv:
    case Format::kMatrixMarket:
    case Format::kPajek:
    case Format::kRudy:
      return Weights::kReals;
    case Format::kDimacsGr:
    case Format::kDimacsMax:
    case Format::kMetis:
    case Format::kLigra:
    case Format::kGapbs:
      return Weights::kIntegers;
    default:
      return Weights::kNone;
  }
}

// Those that fit into 64 bits.
bool IsInteger(double weight) { return std::abs(weight) < 0x1p62 && weight == std::floor(weight); }

void AddNumber(std::uint64_t number, std::string* text) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text->append(digits, end);
}

void AddPair(std::uint64_t first, std::uint64_t second, std::string_view end, std::string* text,
             char between = ' ') {
  AddNumber(first, text);
  *text += between;
  AddNumber(second, text);
  *text += end;
}

// As few digits as give the same weight back; of an integer, all, as formats of integers have them.
void AddWeight(double weight, std::string* text, char before = ' ') {
  *text += before;
  char digits[32];
  const auto end =
      IsInteger(weight)
          ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(weight)).ptr
          : std::to_chars(digits, digits + sizeof digits, weight).ptr;
  text->append(digits, end);
}

// The end of the line of an edge: its weight, or what stands there in a list without weights.
void AddEnd(const EdgeList& list, std::size_t edge, std::string_view otherwise, std::string* text) {
  if (list.weights.empty()) {
    *text += otherwise;
  } else {
    AddWeight(list.weights[edge], text);
  }
  *text += '\n';
}

// The ends count from `first`.
void AddEdges(const EdgeList& list, std::string_view begin, std::uint64_t first,
              std::string_view otherwise, std::string* text) {
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    *text += begin;
    AddPair(list.edges[i].from + first, list.edges[i].to + first, "", text);
    AddEnd(list, i, otherwise, text);
  }
}

// In the file's own ids.
std::string EdgesByIds(const EdgeList& list, char between) {
  std::string text;
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    AddPair(list.ids.of(list.edges[i].from), list.ids.of(list.edges[i].to), "", &text, between);
    if (!list.weights.empty()) AddWeight(list.weights[i], &text, between);
    text += '\n';
  }
  return text;
}

std::string EdgeListNm(const EdgeList& list) {
  std::string text;
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  AddEdges(list, "", 1, "", &text);
  return text;
}

std::string Csv(const EdgeList& list) {
  return (list.weights.empty() ? "source,target\n" : "source,target,weight\n") +
         EdgesByIds(list, ',');
}

std::string Pajek(const EdgeList& list) {
  std::string text = "*Vertices ";
  AddNumber(list.vertices, &text);
  if (list.left_vertices > 0) {
    text += ' ';
    AddNumber(list.left_vertices, &text);
  }
  text += list.direction == Direction::kDirected ? "\n*Arcs\n" : "\n*Edges\n";
  AddEdges(list, "", 1, "", &text);
  return text;
}

std::string Ligra(const EdgeList& list) {
  std::vector<std::vector<std::size_t>> rows(list.vertices);
  for (std::size_t i = 0; i < list.edges.size(); ++i) rows[list.edges[i].from].push_back(i);
  std::string text = list.weights.empty() ? "AdjacencyGraph\n" : "WeightedAdjacencyGraph\n";
  const auto add_line = [&](std::uint64_t number) {
    AddNumber(number, &text);
    text += '\n';
  };
  add_line(list.vertices);
  add_line(list.edges.size());
  std::uint64_t offset = 0;
  for (const auto& row : rows) {
    add_line(offset);
    offset += row.size();
  }
  for (const auto& row : rows) {
    for (const std::size_t edge : row) add_line(list.edges[edge].to);
  }
  if (list.weights.empty()) return text;
  for (const auto& row : rows) {
    for (const std::size_t edge : row) add_line(static_cast<std::uint64_t>(list.weights[edge]));
  }
  return text;
}

std::string Rudy(const EdgeList& list) {
  std::string text;
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  AddEdges(list, "", 1, " 1", &text);
  return text;
}

std::string MatrixMarket(const EdgeList& list) {
  const bool is_general = list.direction == Direction::kDirected;
  std::string text = "%%MatrixMarket matrix coordinate ";
  text += list.weights.empty() ? "pattern " : "real ";
  text += is_general ? "general\n" : "symmetric\n";
  AddNumber(list.vertices, &text);
  text += ' ';
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    auto [row, column] = list.edges[i];
    // Of a symmetric matrix, only what is below the diagonal is listed.
    if (!is_general && row < column) std::swap(row, column);
    AddPair(row + 1ull, column + 1ull, "", &text);
    AddEnd(list, i, "", &text);
  }
  return text;
}

std::string Dimacs(Format format, const EdgeList& list) {
  const bool has_weights = format == Format::kDimacsGr || format == Format::kDimacsMax;
  std::string text = format == Format::kDimacsGr    ? "p sp "
                     : format == Format::kDimacsMax ? "p max "
                     : format == Format::kPace      ? "p tw "
                                                    : "p edge ";
  AddPair(list.vertices, list.edges.size(), "\n", &text);
  if (format == Format::kDimacsMax && !list.terminals.empty()) {
    text += "n ";
    AddNumber(list.terminals[0].from + 1ull, &text);
    text += " s\nn ";
    AddNumber(list.terminals[0].to + 1ull, &text);
    text += " t\n";
  }
  AddEdges(list,
           has_weights               ? "a "
           : format == Format::kPace ? ""
                                     : "e ",
           1, has_weights ? " 1" : "", &text);
  if (list.max_length) {
    text += "l ";
    AddNumber(*list.max_length, &text);
    text += '\n';
  }
  if (format != Format::kIcgca) return text;
  for (const auto [from, to] : list.terminals) {
    text += "t ";
    AddPair(from + 1ull, to + 1ull, "\n", &text);
  }
  return text;
}

std::string Metis(const EdgeList& list) {
  std::vector<std::string> neighbors(list.vertices);
  const auto add = [&](Vertex vertex, Vertex neighbor, std::size_t edge) {
    std::string& row = neighbors[vertex];
    if (!row.empty()) row += ' ';
    AddNumber(neighbor + 1ull, &row);
    if (!list.weights.empty()) AddWeight(list.weights[edge], &row);
  };
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    add(list.edges[i].from, list.edges[i].to, i);
    add(list.edges[i].to, list.edges[i].from, i);
  }
  std::string text;
  AddPair(list.vertices, list.edges.size(), list.weights.empty() ? "\n" : " 1\n", &text);
  for (const std::string& row : neighbors) text += row + '\n';
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
    AddWord(is_packed ? from : list.ids.of(from), is_packed ? 4 : 8, &text);
    AddWord(is_packed ? to : list.ids.of(to), is_packed ? 4 : 8, &text);
    if (is_packed) AddWord(0, 4, &text);  // the high halves
  }
  return text;
}

// Does a file have the list's own ids?
bool HasIds(Format format) {
  switch (format) {
    case Format::kEdgeList:
    case Format::kCsv:
    case Format::kGapbs:
    case Format::kGraph500:
      return true;
    default:
      return false;
  }
}

// Empty where it can.
std::string DirectionThatItCannotHold(Format format, const EdgeList& list) {
  const bool is_undirected = list.direction == Direction::kUndirected;
  switch (format) {
    case Format::kMatrixMarket:
    case Format::kPajek:
    case Format::kGapbs:
      return "";
    case Format::kDimacsGr:
    case Format::kDimacsMax:
    case Format::kLigra:
      return is_undirected ? "edges without a direction" : "";
    default:
      return is_undirected ? "" : "edges with a direction";
  }
}

// Empty where it can.
std::string WeightsThatItCannotHold(Format format, const EdgeList& list) {
  if (list.weights.empty()) return "";
  switch (WeightsIn(format)) {
    case Weights::kNone:
      return "weights";
    case Weights::kIntegers:
      if (!std::all_of(list.weights.begin(), list.weights.end(), IsInteger)) {
        return "weights that are no integers";
      }
      break;
    case Weights::kReals:
      return "";
  }
  const bool has_negative = std::any_of(list.weights.begin(), list.weights.end(),
                                        [](double weight) { return weight < 0; });
  return format == Format::kLigra && has_negative ? "weights below 0" : "";
}

// Empty where it can.
std::string WhyItCannotHold(Format format, const EdgeList& list) {
  std::string why = DirectionThatItCannotHold(format, list);
  if (why.empty()) why = WeightsThatItCannotHold(format, list);
  if (!why.empty()) return why;
  const bool has_flow = format == Format::kDimacsMax && list.terminals.size() == 1;
  if (format != Format::kIcgca && (list.max_length || (!list.terminals.empty() && !has_flow))) {
    return "terminals or a length bound";
  }
  const bool has_sides = format == Format::kPajek || format == Format::kGapbs;
  if (list.left_vertices > 0 && !has_sides) return "the sides of a bipartite graph";
  if (!HasIds(format) && list.ids != Ids() && list.ids != Ids(1)) return "ids with gaps";
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
    case Format::kEdgeList:
      return EdgesByIds(list, ' ');
    case Format::kEdgeListNm:
      return EdgeListNm(list);
    case Format::kCsv:
      return Csv(list);
    case Format::kRudy:
      return Rudy(list);
    case Format::kMatrixMarket:
      return MatrixMarket(list);
    case Format::kDimacsGr:
    case Format::kDimacsMax:
    case Format::kDimacsCol:
    case Format::kPace:
    case Format::kIcgca:
      return Dimacs(format, list);
    case Format::kMetis:
      return Metis(list);
    case Format::kPajek:
      return Pajek(list);
    case Format::kLigra:
      return Ligra(list);
    case Format::kGapbs:
      return Serialize(list);
    case Format::kGraph500:
    case Format::kGraph500Packed:
      return Graph500(format, list);
  }
  return absl::InternalError("no such format");
}

}  // namespace graph
