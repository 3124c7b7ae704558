#include "apps/graph/c/graph.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/formats.h"
#include "apps/graph/read.h"
#include "apps/graph/save.h"
#include "apps/program/c_calls.h"

struct graph_list {
  graph::EdgeList list;
  std::string report;
};

struct graph_rows {
  graph::Csr csr;
};

namespace {

// The value of `body`, a StatusOr of a pointer; null with a sentence where there is none.
template <typename Body>
auto Made(const Body& body) {
  return program::Guarded([&] {
    auto made = body();
    if (made.ok()) return *made;
    program::Refuse(made.status());
    return static_cast<decltype(*made + 0)>(nullptr);
  });
}

int Failed(const char* sentence) {
  program::LastError() = sentence;
  return -1;
}

absl::StatusOr<graph_list*> Read(const char* path, const graph_read_options& asked) {
  if (path == nullptr) return absl::InvalidArgumentError("path is a null pointer");
  graph::ReadOptions options;
  if (asked.format != nullptr) {
    const auto format = graph::ParseFormat(asked.format);
    if (!format.ok()) return format.status();
    options.format = *format;
  }
  if (asked.direction < GRAPH_AS_THE_FILE_SAYS || asked.direction > GRAPH_UNDIRECTED) {
    return absl::InvalidArgumentError("direction is none of graph_direction");
  }
  if (asked.direction == GRAPH_DIRECTED) options.parse.direction = graph::Direction::kDirected;
  if (asked.direction == GRAPH_UNDIRECTED) options.parse.direction = graph::Direction::kUndirected;
  options.parse.keep_weights = asked.keep_weights != 0;
  options.parse.threads = asked.threads;
  absl::StatusOr<graph::ReadGraph> read = graph::Read(path, options);
  if (!read.ok()) return read.status();
  return new graph_list{std::move(read->list), graph::ToText(read->report)};
}

absl::StatusOr<graph_list*> ListOf(std::uint64_t vertices, bool is_directed, std::uint64_t edges,
                                   const std::uint64_t* from, const std::uint64_t* to) {
  if (edges > 0 && (from == nullptr || to == nullptr)) {
    return absl::InvalidArgumentError("from or to is a null pointer");
  }
  if (vertices > graph::kMaxVertices) {
    return absl::InvalidArgumentError(std::to_string(vertices) + " vertices, expected at most " +
                                      std::to_string(graph::kMaxVertices));
  }
  graph::EdgeList list;
  list.vertices = vertices;
  if (is_directed) list.direction = graph::Direction::kDirected;
  list.edges.reserve(edges);
  for (std::uint64_t i = 0; i < edges; ++i) {
    if (from[i] >= vertices || to[i] >= vertices) {
      return absl::InvalidArgumentError("edge " + std::to_string(i) +
                                        ": an end is no vertex below " + std::to_string(vertices));
    }
    list.edges.push_back({static_cast<graph::Vertex>(from[i]), static_cast<graph::Vertex>(to[i])});
  }
  return new graph_list{std::move(list), ""};
}

}  // namespace

const char* graph_last_error(void) { return program::LastError().c_str(); }

graph_list* graph_read(const char* path, const graph_read_options* options) {
  return Made([&] { return Read(path, options == nullptr ? graph_read_options{} : *options); });
}

graph_list* graph_list_new(uint64_t vertices, int is_directed, uint64_t edges, const uint64_t* from,
                           const uint64_t* to) {
  return Made([&] { return ListOf(vertices, is_directed != 0, edges, from, to); });
}

void graph_list_free(graph_list* list) { delete list; }

int graph_save(const graph_list* list, const char* format, const char* path) {
  if (list == nullptr || format == nullptr || path == nullptr) {
    return Failed("list, format or path is a null pointer");
  }
  const auto parsed = graph::ParseFormat(format);
  return program::Guarded([&] {
    const absl::Status status =
        parsed.ok() ? graph::Save(*parsed, list->list, path) : parsed.status();
    return status.ok() ? 0 : Failed(std::string(status.message()).c_str());
  });
}

uint64_t graph_vertices(const graph_list* list) {
  return list == nullptr ? 0 : list->list.vertices;
}

uint64_t graph_edges(const graph_list* list) {
  return list == nullptr ? 0 : list->list.edges.size();
}

int graph_is_directed(const graph_list* list) {
  return list != nullptr && list->list.direction == graph::Direction::kDirected;
}

int graph_ends(const graph_list* list, uint64_t first, uint64_t count, uint64_t* from,
               uint64_t* to) {
  if (list == nullptr || (count > 0 && (from == nullptr || to == nullptr))) {
    return Failed("list, from or to is a null pointer");
  }
  const auto& edges = list->list.edges;
  if (first > edges.size() || count > edges.size() - first) {
    return Failed("there are not so many edges");
  }
  for (uint64_t i = 0; i < count; ++i) {
    from[i] = edges[first + i].from;
    to[i] = edges[first + i].to;
  }
  return 0;
}

const double* graph_weights(const graph_list* list) {
  return list == nullptr || list->list.weights.empty() ? nullptr : list->list.weights.data();
}

const char* graph_report(const graph_list* list) {
  return list == nullptr ? "" : list->report.c_str();
}

uint64_t graph_id(const graph_list* list, uint64_t vertex) {
  return list == nullptr || vertex >= list->list.vertices ? UINT64_MAX : list->list.ids.of(vertex);
}

int64_t graph_vertex(const graph_list* list, uint64_t id) {
  if (list == nullptr) return -1;
  const auto vertex = list->list.ids.Find(id, list->list.vertices);
  return vertex ? static_cast<int64_t>(*vertex) : -1;
}

graph_rows* graph_rows_new(const graph_list* list, graph_rows_of rows) {
  return Made([&]() -> absl::StatusOr<graph_rows*> {
    if (list == nullptr) return absl::InvalidArgumentError("list is a null pointer");
    const graph::RowsOf kinds[] = {graph::RowsOf::kEdges, graph::RowsOf::kArcs,
                                   graph::RowsOf::kArcsAgainst};
    if (rows < GRAPH_EDGES || rows > GRAPH_ARCS_AGAINST) {
      return absl::InvalidArgumentError("rows are edges, arcs or arcs against their direction");
    }
    return new graph_rows{graph::BuildCsr(list->list, {.rows = kinds[rows]})};
  });
}

void graph_rows_free(graph_rows* rows) { delete rows; }

const uint64_t* graph_rows_offsets(const graph_rows* rows) {
  return rows == nullptr ? nullptr : rows->csr.offsets.data();
}

const uint32_t* graph_rows_neighbors(const graph_rows* rows) {
  return rows == nullptr ? nullptr : rows->csr.neighbors.data();
}
