// Virtual workers: the same pool, threads and policies on one OS thread, in
// virtual time.
//
//   lwt::PoolOptions options{.workers = 32, .policy = MyPolicy(), .seed = 7};
//   options.simulation = lwt::SimulationOptions{};
//   auto pool = lwt::Pool::Create(options);
//   (*pool)->Run([] { ... lwt::Compute(3700); ... });
//   (*pool)->simulated_ns();    // when the latest worker was done
//   (*pool)->simulated_time();  // and where all workers' time went
//
// A virtual worker is a worker without an OS thread. Each thing that the
// scheduler does (spawn, join, switch, look at a victim, steal) and each Compute
// and Touch of the program moves that worker's clock; at each such point the
// worker whose clock is the least goes on. Between two points nothing else runs.
// So a run is a function of the program, the options and the seed: a schedule
// that failed is replayed by its seed, and another seed is another schedule.
//
// Where nothing can run until a deadline (timer.h), all clocks move to it: a
// thread that sleeps for an hour holds up no other, and the order of deadlines is
// kept. Programs read the time by lwt::Now(). I/O is not simulated.
//
// What a program computes between the points takes virtual time by Compute and Touch
// only; it may compute for real, so that its results can be verified.
//
// Threads: Run from one OS thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "lwt/language.h"

namespace lwt {

// A value. What things cost, in virtual nanoseconds, up to a second each; switch_ns and
// look_ns 1 or more. The defaults are those of the eight-socket machine of 2008 (2.2 GHz,
// 4 cores and 2 MB of shared cache a socket) on which [NNT13] measured.
struct CostModel {
  double spawn_ns = 90;  // with its join
  double switch_ns = 40;
  double look_ns = 100;   // a try that finds nothing
  double peek_ns = 0;     // at a queue of the same node
  double steal_ns = 500;  // a try that takes something, from the same node
  // From another node peeks and steals cost the distance / 10 times as much: at distance 20, twice.
  // So long, of a steal's time, the victim's queue is locked: its owner and other thieves wait.
  double lock_ns = 0;
  double jitter = 0.1;  // each cost is drawn from 1 -+ this part of it; less than 1

  // Caches, in blocks; all costs are per block.
  std::size_t block_bytes = 4096;
  std::size_t private_blocks = 128;  // a worker's own: 512 KB
  std::size_t shared_blocks = 512;   // a node's: 2 MB
  double shared_ns = 250;            // a block from the node's shared cache
  double memory_ns = 900;            // from the node's own memory or a sibling's cache
  double node_block_ns = 0;  // a node's memory gives one block after the other, each in so long
};

// A value.
struct SimulationOptions {
  CostModel costs = {};
  // The NUMA node of each worker (worker i on node_of[i % size]), and their
  // distances, nodes x nodes from 1 on, 10 = local. Empty: one node; distances of 20.
  std::vector<int> node_of = {};
  std::vector<std::uint64_t> node_distances = {};
  // The node whose memory has what no worker has written: -1: that of the first worker that
  // touches it.
  int home_node = -1;
};

// A value. Where the virtual time of all workers went since the pool was made, and
// which blocks they fetched. The parts add up to the workers' clocks.
struct SimulatedTime {
  double computing_ns = 0;  // Compute
  double fetching_ns = 0;   // Touch
  double threads_ns = 0;    // spawns with their joins, and switches
  double stealing_ns = 0;   // tries that took something
  double looking_ns = 0;    // tries that found nothing
  double skipped_ns = 0;    // nothing could run until a deadline

  // By Touch; what was in the worker's own cache was not fetched.
  std::int64_t blocks_from_shared_cache = 0;  // of the own node
  std::int64_t blocks_from_own_node = 0;      // its memory, or a sibling's cache
  std::int64_t blocks_from_other_nodes = 0;

  double total_ns() const {
    return computing_ns + fetching_ns + threads_ns + stealing_ns + looking_ns + skipped_ns;
  }
};

enum class Access { kRead, kWrite };

// The running thread computes for so long, 0 or more. Costs nothing on real workers.
void Compute(double nanoseconds);

// The running thread uses [data, data + bytes): what is not in its worker's cache
// is fetched, and takes its time. Costs nothing on real workers.
void Touch(const void* data, std::size_t bytes, Access access);

// Thrown by Pool::Run where every thread waits and nothing can wake one, or some wait
// for each other's mutexes. The pool runs nothing afterwards: each later Run throws it too.
class Deadlock : public std::exception {
 public:
  explicit Deadlock(std::string report) : report_(std::move(report)) {}
  const char* what() const noexcept override { return report_.c_str(); }

 private:
  std::string report_;  // the cycle, if any, and a line for each thread that waits
};

}  // namespace lwt
