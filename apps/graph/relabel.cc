#include "apps/graph/relabel.h"

#include <algorithm>
#include <numeric>

namespace graph {

Relabeling ByDescendingDegree(const Csr& csr) {
  Relabeling relabeling;
  relabeling.old_of_new.resize(csr.vertices());
  relabeling.new_of_old.resize(csr.vertices());
  std::iota(relabeling.old_of_new.begin(), relabeling.old_of_new.end(), Vertex{0});
  std::stable_sort(relabeling.old_of_new.begin(), relabeling.old_of_new.end(),
                   [&](Vertex a, Vertex b) { return csr.degree(a) > csr.degree(b); });
  for (std::uint64_t i = 0; i < csr.vertices(); ++i) {
    relabeling.new_of_old[relabeling.old_of_new[i]] = static_cast<Vertex>(i);
  }
  return relabeling;
}

EdgeList Relabel(EdgeList list, const Relabeling& relabeling) {
  for (auto* edges : {&list.edges, &list.terminals}) {
    for (auto& [from, to] : *edges) {
      from = relabeling.new_of_old[from];
      to = relabeling.new_of_old[to];
    }
  }
  list.ids = Ids();
  return list;
}

Csr Relabel(const Csr& csr, const Relabeling& relabeling) {
  Csr relabeled;
  relabeled.offsets.reserve(csr.offsets.size());
  relabeled.neighbors.reserve(csr.neighbors.size());
  for (const Vertex old : relabeling.old_of_new) {
    const auto begin = static_cast<std::ptrdiff_t>(relabeled.neighbors.size());
    for (const Vertex neighbor : csr.of(old)) {
      relabeled.neighbors.push_back(relabeling.new_of_old[neighbor]);
    }
    std::sort(relabeled.neighbors.begin() + begin, relabeled.neighbors.end());
    relabeled.offsets.push_back(relabeled.neighbors.size());
  }
  return relabeled;
}

}  // namespace graph
