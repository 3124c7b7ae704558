#include "apps/bfs/tuples.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apps/graph/formats.h"
#include "apps/graph/read.h"

namespace bfs {

absl::StatusOr<Tuples> Tuples::Generated(const graph::Kronecker& kronecker) {
  if (absl::Status status = graph::Check(kronecker); !status.ok()) return status;
  Tuples tuples;
  tuples.kronecker_ = kronecker;
  return tuples;
}

absl::StatusOr<Tuples> Tuples::OfFile(const std::string& path, const std::string& format) {
  std::optional<graph::Format> chosen;
  if (!format.empty()) {
    const absl::StatusOr<graph::Format> parsed = graph::ParseFormat(format);
    if (!parsed.ok()) return parsed.status();
    chosen = *parsed;
  }
  absl::StatusOr<graph::EdgeList> list = graph::Read(path, {.format = chosen, .parse = {}});
  if (!list.ok()) return list.status();
  if (list->vertices == 0) return absl::InvalidArgumentError(path + ": the graph has no vertices");
  return Listed(path, *std::move(list));
}

Tuples Tuples::Listed(std::string name, graph::EdgeList list) {
  Tuples tuples;
  tuples.name_ = std::move(name);
  tuples.list_ = std::move(list);
  return tuples;
}

void Tuples::Read(std::uint64_t first, std::span<graph::Edge> out) const {
  if (kronecker_) return graph::Generate(*kronecker_, first, out);
  std::copy_n(list_.edges.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
}

graph::Csr Tuples::Build() const {
  if (!kronecker_) return graph::BuildCsr(list_);
  graph::EdgeList list;
  list.vertices = vertices();
  list.edges.resize(count());
  Read(0, list.edges);
  return graph::BuildCsr(list);
}

}  // namespace bfs
