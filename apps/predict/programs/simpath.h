// The edge-based parallel approach on a described machine: thread j of k decides the edges i with
// i = j mod k, and hands each state on to the next thread.
//
// All threads work at once on different levels, so that the slowest one decides (a pipeline). What
// a state costs is waiting: for lines of memory, which the thread that made the state has touched
// first, and for the lines of the queue, which that thread has written. So it matters where the
// thread before is.
//
// Pure. Source: [ULIBC14] section 4.2, figures 11 to 13.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/predict/machine/machine.h"
#include "topo/mapping.h"

namespace predict {

// A value. What the paper's program does for a state.
struct StateCosts {
  // Lines of memory, one after the other. Fitted: a state of the grid of 16 x 16 takes one thread
  // 752 s / 1.24e9 = 604 ns there, which is 7.5 times a local line's 80 ns.
  double memory_lines = 7.5;
  // Lines that two threads have in common for each state that is handed on: both ends of the
  // queue, its nodes, the state. Fitted: 64 compact threads are 15.3 times as fast as one.
  double queue_lines = 6;
  double arcs = 1.6;  // to states of the next level, of each
};

struct EdgeBasedOptions {
  std::vector<double> states;  // of each level
  StateCosts costs = {};
  // How often the operating system has moved one of two threads that share a PU, where nothing
  // binds them. After so many times each has one of its own, if there are as many.
  int balanced = 100;
  std::uint64_t seed = 1;  // of where threads are that nothing binds
};

// Nanoseconds. Precondition: the mapping is of the machine's topology.
double EdgeBasedNs(const Machine& machine, const topo::Mapping& mapping,
                   const EdgeBasedOptions& options);

}  // namespace predict
