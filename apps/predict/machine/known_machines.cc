#include "apps/predict/machine/known_machines.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "topo/topo.h"

namespace predict {
namespace {

struct Known {
  std::string_view name;
  std::string_view topology;  // as topo::FromSynthetic reads it
  Rates rates;
};

// Figures 8 to 13 of [ULIBC14]: "4-way Sandybridge-EP". Four channels of DDR3-1600 a package give
// 51.2 GB/s, of which STREAM gets about 0.7; two QPI links of 8 GT/s a package (a ring of four)
// 16 GB/s each way, of which data are about 0.7.
// Figures 15 and 16: "4-way Westmere-EX". Each package is linked with each; QPI of 6.4 GT/s,
// 12.8 GB/s each way, and memory behind buffers, which makes it slower and farther.
const std::vector<Known>& AllKnown() {
  static const std::vector<Known>* const known =
      new std::vector<Known>{{"4x-e5-4640",
                              "pack:4 [numa] core:8 pu:2(indexes=core:pack)",
                              {.lines_in_flight = 10,
                               .memory_latency_ns = {80, 135, 190},
                               .handoff_ns = {45, 130, 180},
                               .node_gb_per_s = 36,
                               .link_gb_per_s = 11,
                               .smt_gain = 1.25,
                               .links = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}}},
                             {"4x-e7-4870",
                              "pack:4 [numa] core:10 pu:2(indexes=core:pack)",
                              {.lines_in_flight = 10,
                               .memory_latency_ns = {120, 200},
                               .handoff_ns = {65, 180},
                               .node_gb_per_s = 25,
                               .link_gb_per_s = 9,
                               .smt_gain = 1.25,
                               .links = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}}}};
  return *known;
}

}  // namespace

absl::StatusOr<Machine> KnownMachine(std::string_view name) {
  for (const Known& known : AllKnown()) {
    if (known.name != name) continue;
    absl::StatusOr<topo::Topology> topology = topo::FromSynthetic(known.topology);
    if (!topology.ok()) return topology.status();
    return Machine::Create(std::string(name), *std::move(topology), known.rates);
  }
  std::string names;
  for (const Known& known : AllKnown()) {
    names += (names.empty() ? "" : " or ") + std::string(known.name);
  }
  return absl::InvalidArgumentError("\"" + std::string(name) +
                                    "\" is no machine that is known: expected " + names);
}

}  // namespace predict
