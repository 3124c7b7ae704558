// The flags of --mode=simulated, and what they mean together with the others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stencil/ranks/algorithm.h"
#include "apps/stencil/run/flags.h"
#include "apps/stencil/simulated/node.h"
#include "apps/stencil/simulated/simulated.h"

namespace CLI {
class App;
class Option;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace stencil {

// A value: the flags as written.
struct SimulatedFlags {
  std::string nodes = "2,4,8,16,32,64,128,180";
  std::uint64_t nz_per_node = 1024;
  Cores cores;
  double cache_mib = 35;
  double spread_percent = 5, jitter_percent = 0;
  std::uint64_t seed = 1;
  double latency_us = 1, software_us = 0.5, link_gb_per_s = 12.5, copy_gb_per_s = 10;
  double fault_us = 2.5, map_us = 0.4, drop_us = 0.1, stop_us = 0;
  double late_percent = 0, late_ms = 24;
};

// `mode` is the flag without which they mean nothing; `flags` must outlive `app`.
void AddSimulatedFlags(CLI::App& app, CLI::Option& mode, SimulatedFlags& flags);

// A value: the simulations to make.
struct Simulated {
  Problem problem;  // of each node
  std::vector<Algorithm> algorithms;
  bool passes_messages = false;  // A1 by message passing is one, too
  std::vector<int> nodes;
  std::vector<int> threads;  // of a node; the rows are of each of these
  std::uint64_t page_bytes = 0;
  NodeModel model;
};

// `app` shows which of the common flags were given: without them the grid is the paper's block,
// not that of real ranks. InvalidArgument names the flag.
absl::StatusOr<Simulated> Resolve(const CLI::App& app, const Flags& flags,
                                  const SimulatedFlags& simulated, const std::string& algorithms,
                                  std::uint64_t page_bytes, const topo::Topology& topology);

// All rows, by numbers of threads, and of nodes. `show(line)` is called with what is being done.
// Errors: Simulate's.
absl::StatusOr<std::vector<SimulatedRow>> SimulateAll(
    const Simulated& simulated, const std::function<void(const std::string&)>& show);

}  // namespace stencil
