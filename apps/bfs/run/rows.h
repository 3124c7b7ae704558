// All rows of a run: each variant, mapping and kind of labels, with the same keys.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/run/flags.h"
#include "apps/bfs/run/results.h"
#include "apps/bfs/run/trees.h"

namespace bfs {

// A value.
struct Rows {
  std::vector<Row> rows;  // at least one
  // Where --output asks for them: of each root, or of the first key.
  std::vector<FoundTree> trees;
};

// The plain search has one row whatever the labels are. Keys are the roots of --root, or vertices
// that an edge leaves, or any vertices of a graph without edges. Errors: those of Build and
// SearchAndValidate.
absl::StatusOr<Rows> MeasureRows(const Resolved& resolved, const Flags& flags,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace bfs
