// Graphs to files.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/formats.h"

namespace graph {

// The file appears whole or not at all. Errors: those of Write and of program::OutputFile, with the
// path.
absl::Status Save(Format format, const EdgeList& list, const std::string& path);

}  // namespace graph
