#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "apps/graph/formats/edge_lines.h"
#include "apps/graph/formats/numbering.h"
#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

constexpr std::string_view kComments = "#%";

// A value: the facts that comments before the first edge say (SNAP's and KONECT's).
struct Remarks {
  std::optional<Direction> direction;
  bool has_sides = false;
  std::optional<Sides> sides;
};

// "# Directed graph ...", "% bip weighted", and after the latter "% edges left right".
Remarks RemarksOf(const Body& body) {
  Remarks remarks;
  Scanner scanner(body);
  bool is_after_konect = false;
  while (scanner.NextLine() &&
         (scanner.AtLineEnd() || scanner.StartsWith('#') || scanner.StartsWith('%'))) {
    const std::string_view mark = scanner.NextField();
    const std::string_view word = scanner.NextField();
    if (mark == "#" && scanner.NextField() == "graph") {
      if (word == "Directed") remarks.direction = Direction::kDirected;
      if (word == "Undirected") remarks.direction = Direction::kUndirected;
    } else if (mark == "%" && (word == "sym" || word == "asym" || word == "bip")) {
      remarks.direction = word == "asym" ? Direction::kDirected : Direction::kUndirected;
      remarks.has_sides = word == "bip";
      is_after_konect = true;
      continue;
    } else if (mark == "%" && is_after_konect && remarks.has_sides) {
      const auto left = scanner.Integer({"", 0, kMaxVertices});
      const auto right = scanner.Integer({"", 0, kMaxVertices});
      if (left.ok() && right.ok()) remarks.sides = {*left, *right};
    }
    is_after_konect = false;
  }
  return remarks;
}

// A value: the bounds of ids and of the number of edges.
struct Bounds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t edges = std::numeric_limits<std::uint64_t>::max();
  std::string edges_announced;
};

template <typename Id>
absl::StatusOr<Edges<Id>> ParseLines(const Body& body, const Bounds& bounds,
                                     const ParseOptions& options) {
  const Expected vertex = {"a vertex", bounds.first, bounds.last};
  return ParseEdgeLines<Id>(
      body, kComments, options.threads, bounds.edges,
      [&](Scanner& scanner, Edges<Id>& found) -> absl::Status {
        if (found.edges.size() == bounds.edges) {
          return scanner.Fault("edge " + std::to_string(bounds.edges + 1), bounds.edges_announced);
        }
        const auto from = scanner.Integer(vertex);
        if (!from.ok()) return from.status();
        const auto to = scanner.Integer(vertex);
        if (!to.ok()) return to.status();
        // Only a list that has weights has one of each edge: no edge's is a guess.
        if (options.keep_weights && !found.edges.empty() &&
            scanner.AtLineEnd() == (found.weights.size() == found.edges.size())) {
          return scanner.AtLineEnd()
                     ? scanner.FieldFault("", "a weight, as the edges before have")
                     : scanner.FieldFault(scanner.NextField(), "no weight, as of the edges before");
        }
        if (!scanner.AtLineEnd()) {
          auto* const weights = WeightsOf(options, found);
          if (auto status = scanner.ReadReal("a weight", weights); !status.ok()) return status;
        }
        if (!scanner.AtLineEnd()) {
          if (auto status = scanner.ReadReal("a time"); !status.ok()) return status;
        }
        if (auto status = scanner.EndLine(); !status.ok()) return status;
        found.edges.push_back({static_cast<Id>(*from), static_cast<Id>(*to)});
        return absl::OkStatus();
      });
}

absl::Status NoEdges(const Body& body) {
  Scanner scanner(body);
  while (scanner.NextLine()) {
  }
  return scanner.EndFault("an edge, as '0 1'");
}

template <typename Id>
absl::StatusOr<EdgeList> ParseAs(const Body& body, const Remarks& remarks, const Bounds& bounds,
                                 const ParseOptions& options) {
  auto edges = ParseLines<Id>(body, bounds, options);
  if (!edges.ok()) return edges.status();
  if (edges->edges.empty()) return NoEdges(body);
  if constexpr (std::is_same_v<Id, std::uint64_t>) {
    if (remarks.has_sides) {
      return NumberedInSides(body.file, *std::move(edges), remarks.sides, options);
    }
  }
  absl::StatusOr<EdgeList> list = Numbered<Id>(body.file, *std::move(edges), options);
  if (list.ok() && remarks.direction) list->direction = *remarks.direction;
  return list;
}

// Most files have ids of 32 bits, which take half the memory; the others are parsed again.
absl::StatusOr<EdgeList> ParseList(const Body& body, const Remarks& remarks,
                                   const ParseOptions& options) {
  const bool is_exact = options.ids == IdRule::kFromZero || options.ids == IdRule::kFromOne;
  Bounds bounds = {.first = options.ids == IdRule::kFromOne ? 1u : 0u};
  bounds.last = kMaxVertices - 1 + bounds.first;
  if (bounds.first == 0 && !remarks.has_sides) {
    absl::StatusOr<EdgeList> list = ParseAs<Vertex>(body, remarks, bounds, options);
    if (list.ok() || is_exact) return list;
  }
  if (!is_exact) bounds.last = kMaxId;
  return ParseAs<std::uint64_t>(body, remarks, bounds, options);
}

// The byte between two fields of a table with commas or semicolons.
char SeparatorOf(std::string_view text) {
  Scanner scanner("", text);
  if (!scanner.NextLineWithout(kComments)) return ',';
  const std::size_t found = scanner.fields().find_first_of(",;");
  return found == std::string_view::npos ? ',' : scanner.fields()[found];
}

// Without the line of names, where there is one. An index that a program has written before the
// ends of an edge, under no name or as "id", is a fault.
absl::StatusOr<Body> WithoutNames(const Body& body) {
  Scanner scanner(body);
  if (!scanner.NextLineWithout(kComments)) return body;
  const std::string_view name = scanner.NextField();
  if (!IsName(name)) return body;
  const std::string_view next = scanner.NextField();
  const bool is_index = name.front() == body.separator || name == "id" || name == "ID" ||
                        name == "index" || name == "\"\"";
  if (is_index || !IsName(next)) {
    return scanner.Fault("the columns " + Quoted(name) + " and " + Quoted(next),
                         "those of both ends of an edge first");
  }
  return scanner.rest();
}

}  // namespace

bool HasRemarks(std::string_view text) {
  const Remarks remarks = RemarksOf(Body{"", text});
  return remarks.direction.has_value() || remarks.has_sides;
}

bool IsName(std::string_view field) {
  return !field.empty() &&
         std::string_view("0123456789+-.").find(field.front()) == std::string_view::npos;
}

absl::StatusOr<EdgeList> ParseEdgeList(std::string_view file, std::string_view text,
                                       const ParseOptions& options) {
  const Body body = {file, text};
  return ParseList(body, RemarksOf(body), options);
}

absl::StatusOr<EdgeList> ParseCsv(std::string_view file, std::string_view text,
                                  const ParseOptions& options) {
  const Body body = {file, text, 0, SeparatorOf(text)};
  const auto rows = WithoutNames(body);
  if (!rows.ok()) return rows.status();
  return ParseList(*rows, RemarksOf(body), options);
}

absl::StatusOr<EdgeList> ParseEdgeListNm(std::string_view file, std::string_view text,
                                         const ParseOptions& options) {
  Scanner scanner(file, text);
  const Remarks remarks = RemarksOf(scanner.rest());
  const auto counts = ReadCounts(scanner, kComments);
  if (!counts.ok()) return counts.status();
  if (remarks.has_sides) return scanner.Fault("a graph of two sides", "the format edge-list");
  const Body body = scanner.rest();
  Bounds bounds = {.first = options.ids == IdRule::kFromOne ? 1u : 0u,
                   .last = counts->vertices - (options.ids == IdRule::kFromZero ? 1u : 0u),
                   .edges = counts->edges,
                   .edges_announced = counts->Announced()};
  if (counts->vertices == 0) bounds = {.first = 1, .last = 0, .edges = counts->edges};
  auto edges = ParseLines<Vertex>(body, bounds, options);
  if (!edges.ok()) return edges.status();
  if (edges->edges.size() != counts->edges) {
    return TooFew(body, "edge", edges->edges.size(), counts->Announced());
  }
  const auto has = [&](std::uint64_t id) {
    return std::any_of(edges->edges.begin(), edges->edges.end(),
                       [&](const Edge& edge) { return edge.from == id || edge.to == id; });
  };
  std::uint64_t first = bounds.first;
  if (options.ids != IdRule::kFromZero && first == 0) {
    first = has(0) || edges->edges.empty() ? 0 : 1;
    if (first == 0 && has(counts->vertices) && !edges->edges.empty()) {
      --bounds.last;  // Ids are from 0 on, so that the largest is a fault.
      return ParseLines<Vertex>(body, bounds, options).status();
    }
  }
  EdgeList list;
  list.vertices = counts->vertices;
  if (remarks.direction) list.direction = *remarks.direction;
  Take(*std::move(edges), list);
  list.ids = Ids(first);
  for (Edge& edge : list.edges) {
    edge.from -= static_cast<Vertex>(first);
    edge.to -= static_cast<Vertex>(first);
  }
  return list;
}

}  // namespace graph
