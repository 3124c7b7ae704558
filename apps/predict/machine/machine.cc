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

}  // namespace predict
