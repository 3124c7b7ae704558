// The tuples that a graph is built of and answers are validated against: a generator's, which are
// made again each time, or a file's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/kronecker.h"

namespace bfs {

// A value. Threads: Read by any.
class Tuples {
 public:
  // Errors: those of graph::Check.
  static absl::StatusOr<Tuples> Generated(const graph::Kronecker& kronecker);
  // Errors: those of graph::Read and ParseFormat; InvalidArgument for a file without vertices.
  // `format`: a name of graph/formats.h, or "" to guess it.
  static absl::StatusOr<Tuples> OfFile(const std::string& path, const std::string& format);

  // Those of a list, by this name.
  static Tuples Listed(std::string name, graph::EdgeList list);

  const std::string& name() const { return name_; }  // "kronecker", or the file's
  std::optional<int> scale() const {
    return kronecker_ ? std::optional<int>(kronecker_->scale) : std::nullopt;
  }
  std::uint64_t vertices() const { return kronecker_ ? kronecker_->vertices() : list_.vertices; }
  std::uint64_t count() const { return kronecker_ ? kronecker_->edges() : list_.edges.size(); }

  // Tuples first, first + 1, ...; precondition: first + out.size() <= count().
  void Read(std::uint64_t first, std::span<graph::Edge> out) const;

  // Symmetric, simple. Holds all tuples meanwhile.
  graph::Csr Build() const;

 private:
  std::string name_ = "kronecker";
  std::optional<graph::Kronecker> kronecker_;
  graph::EdgeList list_;  // of a file, or as it was given
};

}  // namespace bfs
