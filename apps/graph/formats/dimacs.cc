#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "apps/graph/formats/edge_lines.h"
#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

// A value: the differences between the formats of this family.
struct Dialect {
  const char* problem;     // the line that must come first, for messages
  const char* line_types;  // the lines that may follow, for messages
  char edge;               // the letter of an edge's line; 0: it has none
  bool has_weights;
  Direction direction;
  std::string_view ignored;  // letters of lines about more than edges
};

Dialect DialectOf(Format format) {
  switch (format) {
    case Format::kDimacsGr:
      return {"'p sp VERTICES ARCS'", "a line of type c or a", 'a', true, Direction::kDirected, ""};
    case Format::kDimacsMax:
      return {
          "'p max VERTICES ARCS'", "a line of type c, n or a", 'a', true, Direction::kDirected, ""};
    case Format::kPace:
      return {"'p NAME VERTICES EDGES'", "two vertices", 0, false, Direction::kUndirected, ""};
    case Format::kIcgca:
      return {"'p edge VERTICES EDGES'",
              "a line of type c, e, l or t",
              'e',
              false,
              Direction::kUndirected,
              ""};
    default:
      // Nodes' colors, and the data that geometric graphs were made from.
      return {"'p edge VERTICES EDGES'",
              "a line of type c or e",
              'e',
              false,
              Direction::kUndirected,
              "ndvx"};
  }
}

// Is this the word of the problem's line?
bool IsProblem(Format format, std::string_view word) {
  switch (format) {
    case Format::kDimacsGr:
      return word == "sp";
    case Format::kDimacsMax:
      return word == "max";
    case Format::kPace:
      return IsPace(word);
    default:
      return IsDimacsCol(word);
  }
}

// A resource only in that it grows: the facts of lines that are no edges.
class Reader {
 public:
  Reader(Format format, const ParseOptions& options)
      : format_(format), dialect_(DialectOf(format)), options_(options) {}

  absl::StatusOr<EdgeList> Read(std::string_view file, std::string_view text) {
    Scanner scanner(file, text);
    if (auto status = ReadProblem(scanner); !status.ok()) return status;
    const Body body = scanner.rest();
    // Lines of other types, which few files have, are read by one thread.
    const bool has_others = format_ == Format::kIcgca || format_ == Format::kDimacsMax;
    auto edges = ParseEdgeLines<Vertex>(
        body, "c", has_others ? 1 : options_.threads, counts_.edges,
        [&](Scanner& line, Edges<Vertex>& found) { return ReadLine(line, found); });
    if (!edges.ok()) return edges.status();
    if (edges->edges.size() != counts_.edges) {
      return TooFew(body, "edge", edges->edges.size(), counts_.Announced());
    }
    if (format_ == Format::kDimacsMax && has_source_ && has_sink_) {
      list_.terminals.push_back(flow_);
    }
    Take(*std::move(edges), list_);
    return std::move(list_);
  }

 private:
  absl::Status ReadProblem(Scanner& scanner) {
    if (!scanner.NextLineWithout("c")) return scanner.EndFault(dialect_.problem);
    for (int field = 0; field < 2; ++field) {
      const std::string_view word = scanner.NextField();
      if (field == 0 ? word != "p" : !IsProblem(format_, word)) {
        return scanner.FieldFault(word, dialect_.problem);
      }
    }
    const auto vertices = scanner.Integer({"a number of vertices", 0, kMaxVertices});
    if (!vertices.ok()) return vertices.status();
    const auto edges = scanner.Integer({"a number of edges"});
    if (!edges.ok()) return edges.status();
    counts_ = {*vertices, *edges, scanner.line()};
    list_.vertices = *vertices;
    list_.direction = dialect_.direction;
    list_.ids = Ids(1);
    return scanner.EndLine();
  }

  // Threads: any, but for lines that are no edges.
  absl::Status ReadLine(Scanner& scanner, Edges<Vertex>& found) {
    if (dialect_.edge == 0) return ReadEdge(scanner, found);
    const std::string_view type = scanner.NextField();
    if (type.size() == 1) {
      if (type[0] == dialect_.edge) return ReadEdge(scanner, found);
      if (dialect_.ignored.find(type[0]) != std::string_view::npos) return absl::OkStatus();
      if (format_ == Format::kIcgca && type[0] == 'l') return ReadLength(scanner);
      if (format_ == Format::kIcgca && type[0] == 't') return ReadTerminals(scanner);
      if (format_ == Format::kDimacsMax && type[0] == 'n') return ReadNode(scanner);
    }
    return scanner.FieldFault(type, dialect_.line_types);
  }

  absl::StatusOr<Edge> ReadEnds(Scanner& scanner) const {
    const auto from = scanner.VertexId(1, list_.vertices);
    if (!from.ok()) return from.status();
    const auto to = scanner.VertexId(1, list_.vertices);
    if (!to.ok()) return to.status();
    return Edge{*from, *to};
  }

  absl::Status ReadEdge(Scanner& scanner, Edges<Vertex>& found) const {
    if (found.edges.size() == counts_.edges) {
      return scanner.Fault("edge " + std::to_string(counts_.edges + 1), counts_.Announced());
    }
    const auto ends = ReadEnds(scanner);
    if (!ends.ok()) return ends.status();
    if (dialect_.has_weights) {
      const auto status = scanner.ReadInteger("a weight", WeightsOf(options_, found));
      if (!status.ok()) return status;
    }
    found.edges.push_back(*ends);
    return scanner.EndLine();
  }

  absl::Status ReadLength(Scanner& scanner) {
    if (list_.max_length) return scanner.Fault("a second length bound", "one");
    const auto length = scanner.Integer({"a number of edges"});
    if (!length.ok()) return length.status();
    list_.max_length = *length;
    return scanner.EndLine();
  }

  absl::Status ReadTerminals(Scanner& scanner) {
    const auto ends = ReadEnds(scanner);
    if (!ends.ok()) return ends.status();
    list_.terminals.push_back(*ends);
    return scanner.EndLine();
  }

  // A flow's source or sink.
  absl::Status ReadNode(Scanner& scanner) {
    const auto vertex = scanner.VertexId(1, list_.vertices);
    if (!vertex.ok()) return vertex.status();
    const std::string_view word = scanner.NextField();
    if (word != "s" && word != "t") return scanner.FieldFault(word, "s or t");
    bool& is_known = word == "s" ? has_source_ : has_sink_;
    if (is_known) return scanner.Fault("a second " + std::string(word), "one");
    is_known = true;
    (word == "s" ? flow_.from : flow_.to) = *vertex;
    return scanner.EndLine();
  }

  const Format format_;
  const Dialect dialect_;
  const ParseOptions& options_;
  Counts counts_;
  EdgeList list_;
  Edge flow_;
  bool has_source_ = false, has_sink_ = false;
};

}  // namespace

bool IsDimacsCol(std::string_view word) {
  return word == "edge" || word == "edges" || word == "col";
}

bool IsPace(std::string_view word) {
  // The challenges' problems on graphs, 2016 to 2025.
  constexpr std::string_view kProblems[] = {"tw", "td",  "tww", "cep", "ds",
                                            "vc", "fvs", "st",  "ce"};
  return std::find(std::begin(kProblems), std::end(kProblems), word) != std::end(kProblems);
}

absl::StatusOr<EdgeList> ParseDimacs(Format format, std::string_view file, std::string_view text,
                                     const ParseOptions& options) {
  return Reader(format, options).Read(file, text);
}

}  // namespace graph
