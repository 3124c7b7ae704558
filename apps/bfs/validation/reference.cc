#include "apps/bfs/validation/reference.h"

#include <cstddef>

namespace bfs {

std::vector<std::int32_t> DepthsFrom(const graph::Csr& csr, graph::Vertex root) {
  std::vector<std::int32_t> depths(csr.vertices(), kUnreached);
  std::vector<graph::Vertex> queue = {root};
  depths[root] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const graph::Vertex neighbor : csr.of(queue[next])) {
      if (depths[neighbor] != kUnreached) continue;
      depths[neighbor] = depths[queue[next]] + 1;
      queue.push_back(neighbor);
    }
  }
  return depths;
}

}  // namespace bfs
