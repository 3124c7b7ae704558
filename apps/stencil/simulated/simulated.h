// The algorithms on nodes that are not there, in virtual time: the paper's figures 7 to 10.
//
// What a node preloads, reads and computes is what the program's own blockings do as a rank among
// as many (recorder.h); in how many requests pages come is decided by the library's own protocol
// (dsm/sim/cluster.h); how long computing takes follows from the node's cores, caches and memory
// (node.h). All nodes have equally many planes, so that the grid grows with the nodes, as in the
// paper.
//
// Source: [Mid18] section 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/ranks/algorithm.h"
#include "apps/stencil/simulated/node.h"
#include "dsm/sim/cluster.h"

namespace stencil {

// A value. What is assumed of a machine; figures are of a node.
struct NodeModel {
  dsm::sim::Machine machine;
  Cores cores;
  // A node takes 1 + spread * |N(0, 1)| times its least time for what it computes: some nodes are
  // slow, and stay so. Each step takes it 1 + jitter * |N(0, 1)| times that. The draws depend on
  // seed, node and step, and not on the algorithm.
  double spread = 0.05;
  double jitter = 0;
  // Of the stops of all threads of a node, one for each page that a fault brings, this part lasts
  // `late` seconds longer: a thread that is to be stopped waits for a processor.
  double late_share = 0, late = 0;
  std::uint64_t seed = 1;
};

// A value: the results of all nodes together.
struct SimulatedRow {
  std::string algorithm;
  int points = 7;
  int nodes = 1, threads = 1;    // of each node
  std::uint64_t page_bytes = 0;  // 0: there are none, messages are passed
  double updates = 0;            // of points
  double virtual_seconds = 0;    // of the slowest node; the parts are the mean of all
  double compute_seconds = 0, preload_seconds = 0, fault_seconds = 0, barrier_seconds = 0;
  dsm::sim::Times first;        // the parts of the first node, as the paper has them
  std::uint64_t exchanges = 0;  // of each node
  std::uint64_t faults = 0, pages_fetched = 0;  // of all nodes

  double updates_per_s() const { return updates / virtual_seconds; }
};

// The paper leaves the page size to the run, and does not give its own. A plane of its block is
// 64 of these; the time to simulate grows with the number of pages.
inline constexpr std::uint64_t kSimulatedPageBytes = 1 << 20;

// The name of A1 by message passing, which is no algorithm on shared memory.
inline constexpr char kMessagePassing[] = "mpi";

// The planes of `problem` are those of each node. InvalidArgument, with what was expected: as for
// ranks (problem.h); and no node reads beyond its neighbors.
absl::Status CheckSimulated(const Problem& problem, const Algorithm& algorithm,
                            std::uint64_t page_bytes);

// Precondition: CheckSimulated. Errors: InvalidArgument for a node that cannot be (node.h);
// Record's (recorder.h).
absl::StatusOr<SimulatedRow> Simulate(const Problem& problem, const Algorithm& algorithm, int nodes,
                                      std::uint64_t page_bytes, const NodeModel& model);
// A1 by messages, of whole planes. Errors: as Simulate's.
absl::StatusOr<SimulatedRow> SimulateMessages(const Problem& problem, int nodes,
                                              const NodeModel& model);

// How long a node takes for these steps, in multiples of its least time.
double Slowness(const NodeModel& model, int node, int first_step, int steps);
// How many seconds longer a node's stop of this number lasts.
double LatenessOfStop(const NodeModel& model, int node, std::uint64_t stop);

}  // namespace stencil
