// simpath's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/problem.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace simpath {

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  int grid = 8;
  std::string graph;
  std::string format;
  std::optional<std::uint64_t> source, target;
  std::string mode;
  std::string policy = "compact";
  std::string threads;
  std::string topology;
  std::string memory_limit;
  std::string json;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// How paths are counted.
enum class Mode { kSequential, kArray };

constexpr std::string_view ToString(Mode mode) {
  return mode == Mode::kSequential ? "sequential" : "array";
}

// A value: what to count, and how.
struct Resolved {
  topo::Topology topology;
  std::vector<topo::Mapping> mappings;  // policies by thread counts; unbound if described
  std::vector<Mode> modes;
  std::string name;         // of the graph
  std::optional<int> grid;  // cells, where it is one
  Problem problem;
  std::optional<std::uint64_t> memory_limit;  // bytes; none: it is not known
};

// Looks at the machine and reads the file. Errors are sentences that name flag or file.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace simpath
