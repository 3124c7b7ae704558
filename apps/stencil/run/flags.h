// The flags that the two programs have in common.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stencil/problem/problem.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace stencil {

// A value.
struct Flags {
  Problem problem;
  std::string threads;
  int repetitions = 1;
  std::string figure = "split";
  std::string json, svg;
};

// `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// Threads of each rank, ascending; where --threads does not give numbers, the ranks share this
// machine. InvalidArgument for a word that is no count.
absl::StatusOr<std::vector<int>> ThreadCounts(const Flags& flags, const topo::Topology& topology,
                                              int ranks);

}  // namespace stencil
