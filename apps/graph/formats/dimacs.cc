#include <string>
#include <utility>

#include "apps/graph/formats/parsers.h"
#include "apps/graph/formats/scanner.h"

namespace graph {
namespace {

// A value: what the formats of this family differ in.
struct Dialect {
  const char* problem;     // the line that must come first, for messages
  const char* line_types;  // those that may follow, for messages
  char edge;               // the letter of an edge's line
  Direction direction;
  std::string_view ignored;  // letters of lines about more than edges
};

Dialect DialectOf(Format format) {
  switch (format) {
    case Format::kDimacsGr:
      return {"'p sp VERTICES ARCS'", "a line of type c or a", 'a', Direction::kDirected, ""};
    case Format::kIcgca:
      return {"'p edge VERTICES EDGES'", "a line of type c, e, l or t", 'e', Direction::kUndirected,
              ""};
    default:
      // Nodes' colors, and what geometric graphs were made from.
      return {"'p edge VERTICES EDGES'", "a line of type c or e", 'e', Direction::kUndirected,
              "ndvx"};
  }
}

// A resource only in that it grows: the list that the lines before have made.
class Reader {
 public:
  Reader(Format format, std::string_view file, std::string_view text, ParseOptions options)
      : format_(format),
        dialect_(DialectOf(format)),
        options_(options),
        text_(text),
        scanner_(file, text) {}

  absl::StatusOr<EdgeList> Read() {
    while (scanner_.NextLineWithout("c")) {
      if (auto status = ReadLine(scanner_.NextField()); !status.ok()) return status;
    }
    if (problem_line_ == 0) return scanner_.EndFault(dialect_.problem);
    if (list_.edges.size() != edges_) {
      return scanner_.Fault("the end of the file after edge " + std::to_string(list_.edges.size()),
                            Announced());
    }
    return std::move(list_);
  }

 private:
  absl::Status ReadLine(std::string_view type) {
    if (problem_line_ == 0) {
      return type == "p" ? ReadProblem() : scanner_.FieldFault(type, dialect_.problem);
    }
    if (type.size() == 1) {
      if (type[0] == dialect_.edge) return ReadEdge();
      if (dialect_.ignored.find(type[0]) != std::string_view::npos) return absl::OkStatus();
      if (format_ == Format::kIcgca && type[0] == 'l') return ReadLength();
      if (format_ == Format::kIcgca && type[0] == 't') return ReadTerminals();
    }
    return scanner_.FieldFault(type, dialect_.line_types);
  }

  absl::Status ReadProblem() {
    const std::string_view word = scanner_.NextField();
    const bool fits = format_ == Format::kDimacsGr ? word == "sp" : word == "edge" || word == "col";
    if (!fits) return scanner_.FieldFault(word, dialect_.problem);
    const auto vertices = scanner_.Integer({"a number of vertices", 0, kMaxVertices});
    if (!vertices.ok()) return vertices.status();
    const auto edges = scanner_.Integer({"a number of edges"});
    if (!edges.ok()) return edges.status();
    problem_line_ = scanner_.line();
    edges_ = *edges;
    list_.vertices = *vertices;
    list_.direction = dialect_.direction;
    ReserveEdges(edges_, text_, &list_);
    return scanner_.EndLine();
  }

  absl::StatusOr<Edge> ReadEnds() {
    const auto from = scanner_.VertexId(1, list_.vertices);
    if (!from.ok()) return from.status();
    const auto to = scanner_.VertexId(1, list_.vertices);
    if (!to.ok()) return to.status();
    return Edge{*from, *to};
  }

  absl::Status ReadEdge() {
    if (list_.edges.size() == edges_) {
      return scanner_.Fault("edge " + std::to_string(edges_ + 1), Announced());
    }
    const auto ends = ReadEnds();
    if (!ends.ok()) return ends.status();
    if (format_ == Format::kDimacsGr) {
      const auto status = scanner_.ReadInteger("a weight", WeightsOf(options_, &list_));
      if (!status.ok()) return status;
    }
    list_.edges.push_back(*ends);
    return scanner_.EndLine();
  }

  absl::Status ReadLength() {
    if (list_.max_length) return scanner_.Fault("a second length bound", "one");
    const auto length = scanner_.Integer({"a number of edges"});
    if (!length.ok()) return length.status();
    list_.max_length = *length;
    return scanner_.EndLine();
  }

  absl::Status ReadTerminals() {
    const auto ends = ReadEnds();
    if (!ends.ok()) return ends.status();
    list_.terminals.push_back(*ends);
    return scanner_.EndLine();
  }

  std::string Announced() const {
    return std::to_string(edges_) + ", as line " + std::to_string(problem_line_) + " announces";
  }

  const Format format_;
  const Dialect dialect_;
  const ParseOptions options_;
  const std::string_view text_;
  Scanner scanner_;
  EdgeList list_;
  std::uint64_t edges_ = 0;
  std::uint64_t problem_line_ = 0;  // 0: not read yet
};

}  // namespace

absl::StatusOr<EdgeList> ParseDimacs(Format format, std::string_view file, std::string_view text,
                                     ParseOptions options) {
  return Reader(format, file, text, options).Read();
}

}  // namespace graph
