// How long threads take for what they do between two barriers of a described machine.
//
// Each thread's work is a list of demands: of its core's units, of lines that its core can wait
// for, of the memory of nodes, of the links on the way. What a thread does at once overlaps, so
// that alone it is as slow as its slowest demand (a roofline); threads that use the same resource
// get fair shares (fair_shares.h). When one ends, the others share what it leaves.
//
// Pure.
#pragma once

#include <span>
#include <vector>

#include "apps/predict/machine/machine.h"
#include "topo/topology.h"

namespace predict {

// A value. A node's memory as a thread uses it.
struct MemoryUse {
  topo::NodeId node{};
  // Lines that are known before they are needed: as many are in flight as the core can have.
  double streamed_lines = 0;
  // Lines whose addresses come from earlier ones: `chains` of them are in flight.
  double chained_lines = 0;
  double chains = 1;
  double written_lines = 0;  // back to memory; nothing waits for them
};

// A value. What one thread does.
struct Work {
  topo::PuId pu{};
  double compute_ns = 0;  // alone on its core, all data in its cache
  double waiting_ns = 0;  // for lines in other cores' caches: its core's other thread goes on
  std::vector<MemoryUse> memory;
};

// When each thread has ended, in nanoseconds from the common begin. Threads on the same PU take
// turns. Each pu is of the machine's topology.
std::vector<double> EndsOf(const Machine& machine, std::span<const Work> works);

// The last of them: 0 for none.
double DurationNs(const Machine& machine, std::span<const Work> works);

}  // namespace predict
