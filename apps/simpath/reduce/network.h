// Graphs with two poles, as reductions make them from a problem's. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/simpath/reduce/formula.h"

namespace simpath {

// A value: an edge of a network.
struct Link {
  graph::Vertex from = 0;
  graph::Vertex to = 0;
  Term weight = kOne;
  std::size_t place = 0;  // in the order of the problem's edges
};

// A value: paths from source to target, two different vertices, are counted.
struct Network {
  std::size_t vertices = 0;
  std::vector<Link> links;
  graph::Vertex source = 0;
  graph::Vertex target = 0;
};

// A value: the links at each vertex, one vertex after the other.
class Incidence {
 public:
  explicit Incidence(const Network& network);

  std::size_t begin(graph::Vertex vertex) const { return first_[vertex]; }
  std::size_t end(graph::Vertex vertex) const { return first_[vertex + 1]; }
  std::size_t link(std::size_t i) const { return links_[i]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::size_t> links_;
};

inline graph::Vertex OtherEnd(const Link& link, graph::Vertex end) {
  return link.from == end ? link.to : link.from;
}

// The network of these links between two of their vertices. Vertices get new numbers, in the order
// of the old ones, and links are sorted by their places.
Network MakeNetwork(std::vector<Link> links, graph::Vertex source, graph::Vertex target);

}  // namespace simpath
