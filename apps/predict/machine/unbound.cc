#include "apps/predict/machine/unbound.h"

#include <algorithm>
#include <utility>

namespace predict {

UnboundThreads::UnboundThreads(const topo::Topology& topology, int threads, std::uint64_t seed)
    : threads_of_core_(static_cast<std::size_t>(topology.cores())), random_(seed) {
  for (const topo::Pu& pu : topology.pus()) {
    if (!pu.allowed) continue;
    pus_.push_back(pu.id);
    cores_.push_back(static_cast<std::size_t>(pu.core));
  }
  threads_of_pu_.resize(pus_.size());
  on_.resize(static_cast<std::size_t>(threads));
  for (std::size_t& pu : on_) Place(pu);
}

void UnboundThreads::Place(std::size_t& pu) {
  // Not std::uniform_int_distribution, whose numbers are not the same everywhere.
  const std::size_t one = random_() % pus_.size();
  const std::size_t other = random_() % pus_.size();
  const auto load = [&](std::size_t of) {
    return std::pair(threads_of_pu_[of], threads_of_core_[cores_[of]]);
  };
  pu = load(other) < load(one) ? other : one;
  ++threads_of_pu_[pu];
  ++threads_of_core_[cores_[pu]];
}

std::vector<topo::PuId> UnboundThreads::pus() const {
  std::vector<topo::PuId> pus;
  for (const std::size_t pu : on_) pus.push_back(pus_[pu]);
  return pus;
}

void UnboundThreads::Balance() {
  for (std::size_t& pu : on_) {
    if (threads_of_pu_[pu] < 2) continue;
    --threads_of_pu_[pu];
    --threads_of_core_[cores_[pu]];
    Place(pu);
  }
}

double MedianOfDraws(const topo::Topology& topology, int threads, std::uint64_t seed,
                     const std::function<double(UnboundThreads&)>& ns) {
  std::vector<double> of_draws;
  for (int draw = 0; draw < kDraws; ++draw) {
    UnboundThreads unbound(topology, threads, seed * kDraws + static_cast<std::uint64_t>(draw));
    of_draws.push_back(ns(unbound));
  }
  std::nth_element(of_draws.begin(), of_draws.begin() + kDraws / 2, of_draws.end());
  return of_draws[kDraws / 2];
}

}  // namespace predict
