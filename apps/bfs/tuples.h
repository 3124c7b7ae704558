// The tuples that a graph is built of and answers are validated against: a generator's, which are
// made again each time, a list's, or those of a mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/ids.h"
#include "apps/graph/kronecker.h"
#include "apps/graph/mapped_edges.h"

namespace bfs {

// A value. Threads: Read by any.
class Tuples {
 public:
  // Errors: those of graph::Check.
  static absl::StatusOr<Tuples> Generated(const graph::Kronecker& kronecker);
  // Those of a list, by this name.
  static Tuples Listed(std::string name, graph::EdgeList list);
  // Those of a mapped file, by this name.
  static Tuples Mapped(std::string name, std::shared_ptr<const graph::MappedEdges> edges);

  const std::string& name() const { return name_; }  // "kronecker", or the file's
  std::optional<int> scale() const {
    return kronecker_ ? std::optional<int>(kronecker_->scale) : std::nullopt;
  }
  std::uint64_t vertices() const { return kronecker_ ? kronecker_->vertices() : list_.vertices; }
  // The ids that users know the vertices by.
  const graph::Ids& ids() const { return list_.ids; }
  std::uint64_t count() const {
    return kronecker_ ? kronecker_->edges() : mapped_ ? mapped_->count() : list_.edges.size();
  }

  // Tuples first, first + 1, ...; precondition: first + out.size() <= count().
  void Read(std::uint64_t first, std::span<graph::Edge> out) const;

  // Are they in memory that no forecast counts: neither made again nor in a mapped file?
  bool stored() const { return !kronecker_ && mapped_ == nullptr; }

  // All in a list of its own.
  graph::EdgeList List() const;
  // Symmetric, simple. Holds all tuples meanwhile.
  graph::Csr Build() const;

 private:
  std::string name_ = "kronecker";
  std::optional<graph::Kronecker> kronecker_;
  std::shared_ptr<const graph::MappedEdges> mapped_;
  graph::EdgeList list_;  // of a file, or as it was given; without edges where they are mapped
};

}  // namespace bfs
