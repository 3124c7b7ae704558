#include "apps/graph/serialized.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/graph/formats/edge_hash.h"

namespace graph {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kHeader = 17;
constexpr std::uint64_t kMostVertices = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kIdsMark("vicinity-ids-01\0", 16);

absl::Status Fault(std::string_view file, std::uint64_t byte, const std::string& found,
                   const std::string& expected) {
  return absl::InvalidArgumentError(std::string(file) + ": byte " + std::to_string(byte) +
                                    ": found " + found + ", expected " + expected);
}

std::uint64_t WordAt(std::string_view bytes, std::uint64_t at) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// A value: the names of vertices behind the rows.
struct Names {
  Ids ids;
  std::uint64_t left_vertices = 0;
};

absl::StatusOr<Names> NamesAfter(std::string_view file, std::string_view bytes, std::uint64_t at,
                                 std::uint64_t vertices) {
  constexpr std::size_t kTable = 40;
  const std::string_view rest = bytes.substr(at);
  const std::string expected = "the end of the file, or the ids of its vertices";
  if (rest.empty()) return Names();
  const std::string found = std::to_string(rest.size()) + (rest.size() == 1 ? " byte" : " bytes");
  if (rest.size() < kTable || rest.substr(0, 16) != kIdsMark) {
    return Fault(file, at, found, expected);
  }
  Names names;
  names.left_vertices = WordAt(rest, 16);
  const std::uint64_t first = WordAt(rest, 24), count = WordAt(rest, 32);
  if ((count != 0 && count != vertices) || rest.size() != kTable + 8 * count ||
      names.left_vertices > vertices) {
    return Fault(file, at, found, expected);
  }
  std::vector<std::uint64_t> table(count);
  if (count > 0) std::memcpy(table.data(), rest.data() + kTable, 8 * count);
  if (std::adjacent_find(table.begin(), table.end(), std::greater_equal<>()) != table.end()) {
    return Fault(file, at + kTable, "ids that do not ascend", "ids that ascend");
  }
  const std::uint64_t largest = count > 0 ? table.back() : first;
  if (largest > kMaxId - (count > 0 ? 0 : vertices)) {
    return Fault(file, at + 24, "an id above " + std::to_string(kMaxId), expected);
  }
  names.ids = count > 0 ? Ids(std::move(table)) : Ids(first);
  return names;
}

void AppendWord(std::uint64_t word, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&word), sizeof word);
}

// Rows of the edges between these ends, with weights where there are some.
void AppendRows(std::uint64_t vertices, const std::vector<Edge>& edges,
                const std::vector<double>& weights, bool both_ways, std::string* bytes) {
  std::vector<std::uint64_t> offsets(vertices + 1, 0);
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      visit(edges[i].from, edges[i].to, i);
      if (both_ways && edges[i].from != edges[i].to) visit(edges[i].to, edges[i].from, i);
    }
  };
  for_each([&](Vertex from, Vertex, std::size_t) { ++offsets[from + 1ull]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  struct Entry {
    Vertex neighbor;
    std::int32_t weight;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for_each([&](Vertex from, Vertex to, std::size_t i) {
    const std::int32_t weight = weights.empty() ? 0 : static_cast<std::int32_t>(weights[i]);
    entries[next[from]++] = {to, weight};
  });
  for (std::uint64_t vertex = 0; vertex < vertices; ++vertex) {
    std::sort(entries.data() + offsets[vertex], entries.data() + offsets[vertex + 1]);
  }
  bytes->append(reinterpret_cast<const char*>(offsets.data()), offsets.size() * 8);
  for (const Entry& entry : entries) {
    bytes->append(reinterpret_cast<const char*>(&entry), weights.empty() ? 4 : 8);
  }
}

}  // namespace

absl::StatusOr<SerializedRows> SerializedRows::Of(std::string_view file, std::string_view bytes) {
  const auto size = static_cast<std::uint64_t>(bytes.size());
  if (size < kHeader) {
    return Fault(file, 0, std::to_string(size) + " bytes", "a header of 17 bytes");
  }
  SerializedRows rows;
  const auto directed = static_cast<unsigned char>(bytes[0]);
  if (directed > 1) return Fault(file, 0, std::to_string(directed), "0 or 1, for directed");
  rows.direction_ = directed == 1 ? Direction::kDirected : Direction::kUndirected;
  rows.entries_ = WordAt(bytes, 1);
  rows.vertices_ = WordAt(bytes, 9);
  if (rows.vertices_ > kMostVertices) {
    return Fault(file, 9, std::to_string(rows.vertices_) + " vertices",
                 "at most " + std::to_string(kMostVertices));
  }
  if (rows.entries_ > size) {
    return Fault(file, 1, std::to_string(rows.entries_) + " neighbors",
                 "no more than a file of " + std::to_string(size) + " bytes holds");
  }
  const std::uint64_t offsets = 8 * (rows.vertices_ + 1), copies = directed + 1;
  const auto end_with = [&](std::uint64_t entry) {
    return kHeader + copies * (offsets + entry * rows.entries_);
  };
  // The two kinds of file differ in their sizes only.
  const auto ends = [&](std::uint64_t end) {
    return end == size || (end < size && bytes.substr(end, 16) == kIdsMark);
  };
  rows.entry_bytes_ = ends(end_with(8)) && !ends(end_with(4)) ? 8 : 4;
  const std::uint64_t end = end_with(rows.entry_bytes_);
  if (end > size) {
    return Fault(file, size, "the end of the file",
                 std::to_string(rows.vertices_) + " rows of " + std::to_string(rows.entries_) +
                     " neighbors, as the header announces");
  }
  const auto names = NamesAfter(file, bytes, end, rows.vertices_);
  if (!names.ok()) return names.status();
  rows.ids_ = names->ids;
  rows.left_vertices_ = names->left_vertices;

  std::uint64_t balance = 0;
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    // The arcs themselves come last, so that the rows are theirs.
    const std::uint64_t at =
        kHeader + (copies - 1 - copy) * (offsets + rows.entry_bytes_ * rows.entries_);
    rows.offsets_ = bytes.data() + at;
    rows.neighbors_ = rows.offsets_ + offsets;
    if (rows.begin(0) != 0 || rows.begin(rows.vertices_) != rows.entries_) {
      return Fault(file, at,
                   "offsets from " + std::to_string(rows.begin(0)) + " to " +
                       std::to_string(rows.begin(rows.vertices_)),
                   "offsets from 0 to " + std::to_string(rows.entries_));
    }
    for (std::uint64_t vertex = 0; vertex < rows.vertices_; ++vertex) {
      if (rows.begin(vertex) > rows.end(vertex) || rows.end(vertex) > rows.entries_) {
        return Fault(file, at + 8 * vertex, "offsets that do not ascend", "offsets that ascend");
      }
      for (std::uint64_t i = rows.begin(vertex); i < rows.end(vertex); ++i) {
        const std::uint64_t to = rows.neighbor(i);
        if (to >= rows.vertices_) {
          return Fault(file, at + offsets + rows.entry_bytes_ * i, "vertex " + std::to_string(to),
                       "a vertex from 0 to " + std::to_string(rows.vertices_ - 1));
        }
        if (i > rows.begin(vertex) && to < rows.neighbor(i - 1)) rows.ascends_ = false;
        const double weight = rows.has_weights() ? rows.weight(i) : 0;
        // Each arc stands in both copies, each edge at both ends.
        if (directed == 1) {
          balance += copy == 1 ? EdgeHash(vertex, to, weight) : -EdgeHash(to, vertex, weight);
        } else if (vertex < to) {
          balance += EdgeHash(vertex, to, weight);
        } else if (vertex > to) {
          balance -= EdgeHash(to, vertex, weight);
        }
      }
    }
  }
  if (balance != 0) {
    return Fault(file, kHeader,
                 directed == 1 ? "arcs that do not stand in both copies of the rows"
                               : "edges that one end alone lists",
                 directed == 1 ? "all arcs in both" : "both ends to list an edge");
  }
  return rows;
}

EdgeList EdgesOf(const SerializedRows& rows, bool keep_weights) {
  EdgeList list;
  list.vertices = rows.vertices();
  list.direction = rows.direction();
  list.ids = rows.ids();
  list.left_vertices = rows.left_vertices();
  list.drops_weights = rows.has_weights() && !keep_weights;
  const bool is_directed = rows.direction() == Direction::kDirected;
  list.edges.reserve(is_directed ? rows.entries() : rows.entries() / 2);
  for (std::uint64_t vertex = 0; vertex < rows.vertices(); ++vertex) {
    for (std::uint64_t i = rows.begin(vertex); i < rows.end(vertex); ++i) {
      const Vertex to = rows.neighbor(i);
      if (!is_directed && to < vertex) continue;
      list.edges.push_back({static_cast<Vertex>(vertex), to});
      if (keep_weights && rows.has_weights()) list.weights.push_back(rows.weight(i));
    }
  }
  return list;
}

absl::StatusOr<std::string> Serialize(const EdgeList& list) {
  if (list.vertices > kMostVertices) {
    return absl::InvalidArgumentError("gapbs cannot hold more than " +
                                      std::to_string(kMostVertices) + " vertices");
  }
  const bool fit = std::all_of(list.weights.begin(), list.weights.end(), [](double weight) {
    return std::abs(weight) < 0x1p31 && weight == std::floor(weight);
  });
  if (!fit) {
    return absl::InvalidArgumentError("gapbs cannot hold weights that are no integers of 32 bits");
  }
  const bool is_directed = list.direction == Direction::kDirected;
  std::uint64_t entries = list.edges.size();
  if (!is_directed) {
    for (const auto [from, to] : list.edges) entries += from != to;
  }
  std::string bytes(1, is_directed ? '\1' : '\0');
  AppendWord(entries, &bytes);
  AppendWord(list.vertices, &bytes);
  AppendRows(list.vertices, list.edges, list.weights, !is_directed, &bytes);
  if (is_directed) {
    std::vector<Edge> against = list.edges;
    for (Edge& edge : against) std::swap(edge.from, edge.to);
    AppendRows(list.vertices, against, list.weights, false, &bytes);
  }
  if (list.ids != Ids() || list.left_vertices > 0) {
    bytes += kIdsMark;
    AppendWord(list.left_vertices, &bytes);
    AppendWord(list.ids.first(), &bytes);
    AppendWord(list.ids.table().size(), &bytes);
    for (const std::uint64_t id : list.ids.table()) AppendWord(id, &bytes);
  }
  return bytes;
}

}  // namespace graph
