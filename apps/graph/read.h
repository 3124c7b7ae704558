// Graphs from files.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/formats.h"

namespace graph {

// A value.
struct ReadOptions {
  std::optional<Format> format;  // none: guessed (GuessFormat)
  ParseOptions parse;
};

// A pipe, as /dev/stdin, is read to its end. Errors are those of FileBytes::Open, GuessFormat and
// Parse: one sentence with the path as it was given.
absl::StatusOr<EdgeList> Read(const std::string& path, ReadOptions options = {});

}  // namespace graph
