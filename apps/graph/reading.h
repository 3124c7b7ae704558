// Flags of programs that read a graph, and how they show its report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "apps/graph/read.h"
#include "apps/graph/report.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
class Option;
}  // namespace CLI

namespace graph {

// A value. As written; OptionsOf checks what CLI11 does not.
struct ReadFlags {
  std::string graph;
  std::string format;
  std::string ids;
  bool directed = false;
  bool symmetrize = false;
};

// Declares --graph, --format, --ids, --directed and --symmetrize; `flags` must outlive `app`.
// Returns --graph.
CLI::Option* AddReadFlags(CLI::App& app, ReadFlags& flags);

// The options of Read. InvalidArgument names a flag.
absl::StatusOr<ReadOptions> OptionsOf(const ReadFlags& flags);

// On standard error, as one line after the program's name.
void Show(const std::string& program, const Report& report);

// The report's members under their names, but for `compression` and `left_vertices` that there are
// none of.
nlohmann::ordered_json ToJson(const Report& report);

}  // namespace graph
