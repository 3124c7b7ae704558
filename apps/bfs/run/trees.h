// Text for --output: a line for each vertex, with a parent and a depth for each root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/bfs/validation/validation.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/ids.h"

namespace bfs {

// A value: the tree of one search, by vertex. A vertex that the search has not reached has the
// parent kNoParent and the depth -1.
struct FoundTree {
  graph::Vertex root = 0;
  std::vector<graph::Vertex> parents;
  std::vector<std::int32_t> depths;
};

// A copy of the answer of this key. Precondition: the answer is valid.
FoundTree TreeOf(const Validation& answers, std::size_t key);

// One tree: lines "vertex parent depth". Several trees: a first line "# vertex parent:R depth:R
// ..." names the root R of each pair of columns, and "-1 -1" stands where a search has not reached
// the vertex. Vertices have the ids of their file and ascend; a vertex without a tree has no
// line. The text takes at most BytesOfText(vertices, largest id, trees) bytes. Precondition:
// there is a tree, and all have as many vertices.
std::string ToText(std::span<const FoundTree> trees, const graph::Ids& ids);

}  // namespace bfs
