#include "apps/predict/machine/machine.h"

#include <algorithm>
#include <deque>

#include "absl/status/status.h"

namespace predict {
namespace {

// The directed links of a shortest way; of several, those that come first in the list.
std::vector<int> ShortestRoute(int nodes, const std::vector<std::pair<int, int>>& links, int from,
                               int to) {
  std::vector<int> by_link(static_cast<std::size_t>(nodes), -1);  // that led there
  std::vector<int> before(static_cast<std::size_t>(nodes), -1);
  std::deque<int> reached = {from};
  before[static_cast<std::size_t>(from)] = from;
  while (!reached.empty()) {
    const int node = reached.front();
    reached.pop_front();
    for (int link = 0; link < 2 * static_cast<int>(links.size()); ++link) {
      const auto& [a, b] = links[static_cast<std::size_t>(link / 2)];
      const int begin = link % 2 == 0 ? a : b;
      const int end = link % 2 == 0 ? b : a;
      if (begin != node || before[static_cast<std::size_t>(end)] >= 0) continue;
      before[static_cast<std::size_t>(end)] = node;
      by_link[static_cast<std::size_t>(end)] = link;
      reached.push_back(end);
    }
  }
  std::vector<int> route;
  if (before[static_cast<std::size_t>(to)] < 0) return {-1};
  for (int node = to; node != from; node = before[static_cast<std::size_t>(node)]) {
    route.push_back(by_link[static_cast<std::size_t>(node)]);
  }
  std::reverse(route.begin(), route.end());
  return route;
}

}  // namespace

absl::StatusOr<Machine> Machine::Create(std::string name, topo::Topology topology, Rates rates) {
  Machine machine(std::move(name), std::move(topology), std::move(rates));
  const int nodes = machine.nodes();
  for (int from = 0; from < nodes; ++from) {
    for (int to = 0; to < nodes; ++to) {
      std::vector<int> route = ShortestRoute(nodes, machine.rates_.links, from, to);
      const std::string way =
          "from node " + std::to_string(from) + " to node " + std::to_string(to);
      if (route == std::vector<int>{-1}) {
        return absl::InvalidArgumentError("the machine \"" + machine.name_ + "\": no links lead " +
                                          way);
      }
      if (route.size() >=
          std::min(machine.rates_.memory_latency_ns.size(), machine.rates_.handoff_ns.size())) {
        return absl::InvalidArgumentError("the machine \"" + machine.name_ + "\": no times over " +
                                          std::to_string(route.size()) + " links, as " + way);
      }
      machine.routes_.push_back(std::move(route));
    }
  }
  return machine;
}

std::size_t Machine::Pair(topo::NodeId from, topo::NodeId to) const {
  return static_cast<std::size_t>(topo::ToInt(from) * nodes() + topo::ToInt(to));
}
const std::vector<int>& Machine::Route(topo::NodeId from, topo::NodeId to) const {
  return routes_[Pair(from, to)];
}
int Machine::Links(topo::NodeId from, topo::NodeId to) const {
  return static_cast<int>(Route(from, to).size());
}
double Machine::MemoryLatencyNs(topo::NodeId from, topo::NodeId to) const {
  return rates_.memory_latency_ns[Route(from, to).size()];
}
double Machine::HandoffNs(topo::NodeId from, topo::NodeId to) const {
  return rates_.handoff_ns[Route(from, to).size()];
}

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

std::vector<std::string_view> KnownMachines() {
  std::vector<std::string_view> names;
  for (const Known& known : AllKnown()) names.push_back(known.name);
  return names;
}

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
