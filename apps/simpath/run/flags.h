// simpath's flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/ids.h"
#include "apps/graph/reading.h"
#include "apps/graph/report.h"
#include "apps/program/checkpoint.h"
#include "apps/simpath/counting/prepared.h"
#include "apps/simpath/order/order.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/mode.h"
#include "apps/simpath/problem/problem.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace simpath {

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  std::string grid;
  graph::ReadFlags read;
  std::optional<std::uint64_t> source, target;
  std::string rule;
  bool all_pairs = false;
  std::optional<std::uint64_t> max_length;
  std::string mode;
  std::string order;
  bool unreduced = false;
  bool no_check = false;
  std::string policy;
  std::string threads;
  std::string topology;
  std::string memory_limit;
  bool forecast = false;
  std::string checkpoint;
  int checkpoint_seconds = 60;
  bool resume = false;
  std::string dot, paths;
  int samples = 10;
  std::uint64_t seed = 1;
  bool number_only = false;
  std::string svg, json;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: between which vertices of which graph paths are counted.
struct Instance {
  std::string name;
  std::optional<int> grid;  // cells a side, where it is one
  Problem problem;
  graph::Ids ids = {};  // of the file's vertices
};

// A value: what to count, and how.
struct Resolved {
  topo::Topology topology;
  std::vector<topo::Mapping> mappings;  // policies by thread counts; unbound if described
  std::vector<Mode> modes;
  std::vector<Instance> instances;
  Order order = Order::kInput;
  Reducing reducing = Reducing::kOn;
  bool are_corners = false;  // all paths of grids from corner to opposite corner are counted
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = ~std::uint64_t{0};  // bytes; the most: it is not known
  program::CheckpointOptions checkpoint;
  Check check = Check::kOn;
  std::optional<graph::Report> report;  // of a file
};

// Looks at the machine and reads the file. Errors are sentences that name flag or file.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace simpath
