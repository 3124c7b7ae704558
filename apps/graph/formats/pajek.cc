#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/formats/edge_lines.h"
#include "apps/graph/formats/parsers.h"

namespace graph {
namespace {

constexpr std::string_view kComments = "%";

// Keywords are in any case.
std::string Lower(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

// A value: a line that begins with a star, and the lines up to the next such line.
struct Section {
  std::string keyword;
  Scanner heading;  // after the keyword
  Body lines;
};

// The section that begins at the scanner's line, which its end leaves the scanner at; none at the
// end of the file.
std::optional<Section> NextSection(Scanner& scanner, bool& is_at_heading) {
  if (!is_at_heading) return std::nullopt;
  Section section = {Lower(scanner.NextField()), scanner, scanner.rest()};
  const std::string_view all = section.lines.text;
  std::size_t end = 0;
  while (end < all.size()) {
    const std::size_t first = all.find_first_not_of(" \t", end);
    if (first == std::string_view::npos || all[first] == '*') break;
    const std::size_t next = all.find('\n', end);
    end = next == std::string_view::npos ? all.size() : next + 1;
  }
  section.lines.text = all.substr(0, end);
  const auto lines = static_cast<std::uint64_t>(
      std::count(section.lines.text.begin(), section.lines.text.end(), '\n'));
  scanner = Scanner(Body{section.lines.file, all.substr(end), section.lines.lines_before + lines});
  is_at_heading = scanner.NextLineWithout(kComments);
  return section;
}

// Lines "id label ..." of vertices, of which few may be there.
absl::Status CheckVertices(const Body& lines, std::uint64_t vertices) {
  Scanner line(lines);
  for (std::uint64_t i = 0; line.NextLineWithout(kComments); ++i) {
    const auto id = line.VertexId(1, vertices);
    if (!id.ok()) return id.status();
    if (i == vertices) return line.Fault("another vertex", "*Edges, *Arcs or the end of the file");
  }
  return absl::OkStatus();
}

// Lines "u v [weight]"; further fields are a picture's.
absl::Status ParsePair(Scanner& line, std::uint64_t vertices, const ParseOptions& options,
                       Edges<Vertex>& found) {
  const auto from = line.VertexId(1, vertices);
  if (!from.ok()) return from.status();
  const auto to = line.VertexId(1, vertices);
  if (!to.ok()) return to.status();
  if (line.AtLineEnd()) {
    if (options.keep_weights) found.weights.push_back(1);
  } else {
    const auto status = line.ReadReal("a weight", WeightsOf(options, found));
    if (!status.ok()) return status;
  }
  found.edges.push_back({*from, *to});
  return absl::OkStatus();
}

// Lines "u v1 v2 ...".
absl::Status ParseNeighbors(Scanner& line, std::uint64_t vertices, const ParseOptions& options,
                            Edges<Vertex>& found) {
  const auto from = line.VertexId(1, vertices);
  if (!from.ok()) return from.status();
  while (!line.AtLineEnd()) {
    const auto to = line.VertexId(1, vertices);
    if (!to.ok()) return to.status();
    found.edges.push_back({*from, *to});
    if (options.keep_weights) found.weights.push_back(1);
  }
  return absl::OkStatus();
}

void Append(const Edges<Vertex>& edges, EdgeList& list) {
  list.edges.insert(list.edges.end(), edges.edges.begin(), edges.edges.end());
  list.weights.insert(list.weights.end(), edges.weights.begin(), edges.weights.end());
}

}  // namespace

absl::StatusOr<EdgeList> ParsePajek(std::string_view file, std::string_view text,
                                    const ParseOptions& options) {
  constexpr char kFirst[] = "*Vertices NUMBER";
  Scanner scanner(file, text);
  EdgeList list;
  list.ids = Ids(1);
  Edges<Vertex> edges, arcs;
  bool has_vertices = false, has_arcs = false;
  bool is_at_heading = scanner.NextLineWithout(kComments);
  if (!is_at_heading) return scanner.EndFault(kFirst);
  while (auto section = NextSection(scanner, is_at_heading)) {
    Scanner& heading = section->heading;
    if (section->keyword == "*network") continue;
    if (!has_vertices) {
      if (section->keyword != "*vertices") return heading.FieldFault(section->keyword, kFirst);
      const auto vertices = heading.Integer({"a number of vertices", 0, kMaxVertices});
      if (!vertices.ok()) return vertices.status();
      list.vertices = *vertices;
      if (!heading.AtLineEnd()) {
        const auto left = heading.Integer({"a number of vertices of the first side", 0, *vertices});
        if (!left.ok()) return left.status();
        list.left_vertices = *left;
      }
      has_vertices = true;
      if (auto status = CheckVertices(section->lines, *vertices); !status.ok()) return status;
      continue;
    }
    const bool are_arcs = section->keyword == "*arcs" || section->keyword == "*arcslist";
    const bool are_lists = section->keyword == "*edgeslist" || section->keyword == "*arcslist";
    if (!are_arcs && !are_lists && section->keyword != "*edges") {
      return heading.FieldFault(section->keyword, "*Edges, *Arcs, *Edgeslist or *Arcslist");
    }
    has_arcs |= are_arcs;
    auto found = ParseEdgeLines<Vertex>(
        section->lines, kComments, options.threads, ~std::uint64_t{0},
        [&](Scanner& line, Edges<Vertex>& all) {
          return are_lists ? ParseNeighbors(line, list.vertices, options, all)
                           : ParsePair(line, list.vertices, options, all);
        });
    if (!found.ok()) return found.status();
    Edges<Vertex>& all = are_arcs ? arcs : edges;
    all.edges.insert(all.edges.end(), found->edges.begin(), found->edges.end());
    all.weights.insert(all.weights.end(), found->weights.begin(), found->weights.end());
    list.drops_weights |= found->drops_weights;
  }
  if (!has_vertices) return scanner.EndFault(kFirst);
  Append(edges, list);
  // Programs write both headings, whichever they have lines for.
  if (arcs.edges.empty() && (!has_arcs || !edges.edges.empty())) return list;
  list.direction = Direction::kDirected;
  Append(arcs, list);
  for (Edge& edge : edges.edges) std::swap(edge.from, edge.to);
  Append(edges, list);
  return list;
}

}  // namespace graph
