#include "apps/graph/formats/numbering.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/threads.h"

namespace graph {
namespace {

// Ids with gaps up to here cost little memory.
constexpr std::uint64_t kSmallGraph = 65536;
// Of larger ones, ids are kept as they are where there are fewer than so many an edge.
constexpr std::uint64_t kIdsPerEdge = 4;

struct Range {
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;

  void Add(std::uint64_t id) {
    smallest = std::min(smallest, id);
    largest = std::max(largest, id);
  }
};

constexpr std::size_t kBlock = std::size_t{1} << 16;  // edges that a thread takes at a time

template <typename Id>
Range RangeOf(const std::vector<EdgeOf<Id>>& edges, int threads) {
  std::vector<Range> ranges((edges.size() + kBlock - 1) / kBlock);
  ForEachByThreads(ranges.size(), threads, [&](std::size_t block) {
    Range range;
    const std::size_t end = std::min(edges.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      range.Add(edges[i].from);
      range.Add(edges[i].to);
    }
    ranges[block] = range;
  });
  Range all;
  for (const Range& range : ranges) {
    all.Add(range.smallest);
    all.Add(range.largest);
  }
  return all;
}

absl::Status TooManyVertices(std::string_view file, std::uint64_t vertices) {
  return absl::InvalidArgumentError(std::string(file) + ": it has " + std::to_string(vertices) +
                                    " vertices, expected at most " + std::to_string(kMaxVertices));
}

// Calls rename(id) for both ends of each edge.
template <typename Id, typename Rename>
std::vector<Edge> Renamed(const std::vector<EdgeOf<Id>>& edges, int threads, const Rename& rename) {
  std::vector<Edge> renamed(edges.size());
  ForEachByThreads((edges.size() + kBlock - 1) / kBlock, threads, [&](std::size_t block) {
    const std::size_t end = std::min(edges.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      renamed[i] = {rename(edges[i].from), rename(edges[i].to)};
    }
  });
  return renamed;
}

template <typename Id>
absl::StatusOr<EdgeList> Compacted(std::string_view file, const Edges<Id>& edges, int threads) {
  std::vector<std::uint64_t> ids;
  ids.reserve(edges.edges.size() * 2);
  for (const auto& edge : edges.edges) {
    ids.push_back(edge.from);
    ids.push_back(edge.to);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ids.shrink_to_fit();
  if (ids.size() > kMaxVertices) return TooManyVertices(file, ids.size());
  EdgeList list;
  list.vertices = ids.size();
  list.edges = Renamed<Id>(edges.edges, threads, [&](std::uint64_t id) {
    return static_cast<Vertex>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  });
  // A table is for ids with gaps.
  const bool has_gaps = ids.back() - ids.front() != ids.size() - 1;
  list.ids = has_gaps ? Ids(std::move(ids)) : Ids(ids.front());
  return list;
}

template <typename Id>
EdgeList Kept(std::vector<EdgeOf<Id>> edges, std::uint64_t first, std::uint64_t largest,
              int threads) {
  EdgeList list;
  list.vertices = largest - first + 1;
  list.ids = Ids(first);
  if constexpr (std::is_same_v<Id, Vertex>) {
    if (first == 0) {
      list.edges = std::move(edges);
      return list;
    }
  }
  list.edges = Renamed<Id>(edges, threads,
                           [&](std::uint64_t id) { return static_cast<Vertex>(id - first); });
  return list;
}

}  // namespace

bool AreSparse(std::uint64_t largest, std::uint64_t edges) {
  return largest >= std::max(kSmallGraph, kIdsPerEdge * edges);
}

template <typename Id>
absl::StatusOr<EdgeList> Numbered(std::string_view file, Edges<Id> edges,
                                  const ParseOptions& options) {
  const Range range = RangeOf<Id>(edges.edges, options.threads);
  const std::uint64_t first = options.ids == IdRule::kFromZero ? 0
                              : options.ids == IdRule::kFromOne
                                  ? 1
                                  : std::min<std::uint64_t>(range.smallest, 1);
  const std::uint64_t span = range.largest - first;  // vertices but for one, which could overflow
  const bool compacts = options.ids == IdRule::kCompact ||
                        (options.ids == IdRule::kGuess && AreSparse(span, edges.edges.size()));
  if (!compacts && span >= kMaxVertices) return TooManyVertices(file, span + 1);
  std::vector<double> weights = std::move(edges.weights);
  const bool drops_weights = edges.drops_weights;
  absl::StatusOr<EdgeList> list =
      compacts ? Compacted<Id>(file, edges, options.threads)
               : Kept<Id>(std::move(edges.edges), first, range.largest, options.threads);
  if (list.ok()) {
    list->weights = std::move(weights);
    list->drops_weights = drops_weights;
  }
  return list;
}

template absl::StatusOr<EdgeList> Numbered<Vertex>(std::string_view, Edges<Vertex>,
                                                   const ParseOptions&);
template absl::StatusOr<EdgeList> Numbered<std::uint64_t>(std::string_view, Edges<std::uint64_t>,
                                                          const ParseOptions&);

absl::StatusOr<EdgeList> NumberedInSides(std::string_view file, Edges<std::uint64_t> edges,
                                         std::optional<Sides> sides, const ParseOptions& options) {
  Range left, right;
  for (const WideEdge& edge : edges.edges) {
    left.Add(edge.from);
    right.Add(edge.to);
  }
  const std::uint64_t first = std::min<std::uint64_t>({left.smallest, right.smallest, 1});
  // The sizes that the file says have meaning where ids are numbers from `first` to the size.
  if (sides && (left.largest - first >= sides->left || right.largest - first >= sides->right)) {
    sides.reset();
  }
  const std::uint64_t left_span = sides ? sides->left : left.largest - first + 1;
  const std::uint64_t right_span = sides ? sides->right : right.largest - first + 1;
  if (left_span > kMaxId || right_span > kMaxId - left_span) {
    return absl::InvalidArgumentError(
        std::string(file) + ": ids of the right side follow the left side's " +
        std::to_string(left_span) + ", and would be above " + std::to_string(kMaxId));
  }
  for (WideEdge& edge : edges.edges) edge.to += left_span;
  const std::uint64_t last_left = left_span - 1 + first;
  absl::StatusOr<EdgeList> list = Numbered<std::uint64_t>(file, std::move(edges), options);
  if (!list.ok()) return list;
  if (list->ids.has_table()) {
    const std::vector<std::uint64_t>& ids = list->ids.table();
    list->left_vertices = static_cast<std::uint64_t>(
        std::upper_bound(ids.begin(), ids.end(), last_left) - ids.begin());
    return list;
  }
  // No smaller id may have been taken for the first one.
  list->left_vertices = last_left - list->ids.first() + 1;
  list->vertices = std::max(list->vertices, list->left_vertices + right_span);
  if (list->vertices > kMaxVertices) return TooManyVertices(file, list->vertices);
  return list;
}

}  // namespace graph
