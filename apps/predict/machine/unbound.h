// Where the operating system may put threads that no policy binds.
//
// What a scheduler does is known in kind only: it balances, not perfectly, and leaves a thread
// alone that has a PU of its own. Draws stand for it. A new thread goes to one of two PUs drawn at
// random, that with fewer threads, or else fewer on its core; and so does, between two parallel
// regions, one of each two threads that share a PU. So few threads stay where they touched their
// data first; of as many threads as PUs some share one, for which a parallel loop waits, and those
// that are moved are far from their data.
//
// Pure: a function of the seed. Source of the draw: Mitzenmacher, "The Power of Two Choices in
// Randomized Load Balancing", 2001.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "topo/topology.h"

namespace predict {

// A value. The threads of a program, and where they are now.
class UnboundThreads {
 public:
  // On the PUs that are allowed. Precondition: threads >= 1.
  UnboundThreads(const topo::Topology& topology, int threads, std::uint64_t seed);

  // By thread.
  std::vector<topo::PuId> pus() const;

  // A parallel region has ended, and another begins.
  void Balance();

 private:
  void Place(std::size_t& pu);

  std::vector<topo::PuId> pus_;
  std::vector<std::size_t> cores_;  // of each of pus_
  std::vector<int> threads_of_pu_, threads_of_core_;
  std::vector<std::size_t> on_;  // thread -> index into pus_
  std::mt19937_64 random_;
};

// How often the operating system's choice is drawn where a prediction depends on it.
inline constexpr int kDraws = 9;

// The median of ns(threads) over kDraws draws of so many threads.
double MedianOfDraws(const topo::Topology& topology, int threads, std::uint64_t seed,
                     const std::function<double(UnboundThreads&)>& ns);

}  // namespace predict
