// A node's performance, described: its cores, caches and memory. What is computed in a time
// follows from that and from how threads, tiles and blocks of time are cut.
//
// A thread computes, and waits for its lines from memory; both add up, as cores of the time of the
// paper do not find enough to compute while they wait. Threads of a core wait side by side and
// compute in turns, and all of a socket share its memory (apps/predict/machine/work.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/predict/machine/machine.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/simulated/recording.h"
#include "apps/stencil/sweep/time_block.h"
#include "topo/topo.h"

namespace stencil {

// A value. The defaults are two Xeon E5-2680 v4 [Mid18, section 3].
struct Cores {
  int of_socket = 14;                       // data sheet; two threads each, and two sockets
  double cache_bytes = 35 << 20;            // of a socket, the last; data sheet
  double adds_per_ns = 2.4;                 // of a core: one a cycle of 2.4 GHz, not of vectors
  double socket_bytes_per_ns = 0.8 * 76.8;  // four channels of DDR4-2400, and what streams reach
  double memory_ns = 85;                    // until a line is there
  double lines_in_flight = 10;              // of a core; Broadwell's line fill buffers
};

// A value. To and from a node's memory.
struct Traffic {
  double read_bytes = 0, written_bytes = 0;
};

double UpdatesOf(const Problem& problem, std::span<const Box> boxes);

// A resource. Threads: one.
class Node {
 public:
  // Errors: InvalidArgument for no cores, or a rate that is none.
  static absl::StatusOr<Node> Create(const Cores& cores, int points, int threads);

  int threads() const { return static_cast<int>(pus_.size()); }

  // What Advance moves for these boxes (time_block.h): planes come once for all steps as far as its
  // tiles stay in the thread's part of the cache.
  Traffic TrafficOf(const Problem& problem, std::span<const Box> boxes) const;

  // Until the last thread has ended; threads that wait for pages do so for `waits` seconds.
  double Seconds(std::span<const ThreadWork> threads, std::span<const double> waits);

 private:
  Node(const Cores& cores, int points, predict::Machine machine, std::vector<topo::PuId> pus)
      : cores_(cores), points_(points), machine_(std::move(machine)), pus_(std::move(pus)) {}

  Cores cores_;
  int points_;
  predict::Machine machine_;
  std::vector<topo::PuId> pus_;                     // by thread
  std::map<std::vector<double>, double> computed_;  // seconds, by what threads do without waits
};

}  // namespace stencil
