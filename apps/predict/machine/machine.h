// A machine's performance, described: what its cores, memories and links can do at most.
//
// A program's simulated rows say what each thread computes and which node's memory it uses
// (work.h); this says what that costs.
//
// Pure. Threads: immutable.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/topology.h"

namespace predict {

inline constexpr double kLineBytes = 64;

// A value. Times by links are those at a distance of 0, 1, 2, ... links between the nodes.
struct Rates {
  double lines_in_flight = 10;             // cache lines that a core waits for at once
  std::vector<double> memory_latency_ns;   // of a line of memory, by links
  std::vector<double> handoff_ns;          // of a line that another core wrote last, by links
  double node_gb_per_s = 0;                // of a node's memory
  double link_gb_per_s = 0;                // of a link, each way
  double smt_gain = 1;                     // as fast as so many cores do a core's threads compute
  std::vector<std::pair<int, int>> links;  // between nodes
};

// A value.
class Machine {
 public:
  // Errors: InvalidArgument for nodes that no links join, and for a number of links that the
  // rates have no time for.
  static absl::StatusOr<Machine> Create(std::string name, topo::Topology topology, Rates rates);

  const std::string& name() const { return name_; }
  const topo::Topology& topology() const { return topology_; }
  const Rates& rates() const { return rates_; }
  int nodes() const { return static_cast<int>(topology_.nodes().size()); }

  // Links on the way from one node to the other.
  int Links(topo::NodeId from, topo::NodeId to) const;
  // The ways over links that data of `from` take to `to`: indices of directed links, 2 l along
  // rates().links[l] and 2 l + 1 back.
  const std::vector<int>& Route(topo::NodeId from, topo::NodeId to) const;

  double MemoryLatencyNs(topo::NodeId from, topo::NodeId to) const;
  double HandoffNs(topo::NodeId from, topo::NodeId to) const;

 private:
  Machine(std::string name, topo::Topology topology, Rates rates)
      : name_(std::move(name)), topology_(std::move(topology)), rates_(std::move(rates)) {}
  std::size_t Pair(topo::NodeId from, topo::NodeId to) const;

  std::string name_;
  topo::Topology topology_;
  Rates rates_;
  std::vector<std::vector<int>> routes_;  // nodes x nodes
};

}  // namespace predict
