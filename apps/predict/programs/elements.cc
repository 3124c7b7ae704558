#include "apps/predict/programs/elements.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "apps/predict/machine/unbound.h"
#include "apps/predict/machine/work.h"

namespace predict {
namespace {

double HandoffNs(const Machine& machine, topo::PuId from, topo::PuId to) {
  const topo::Topology& topology = machine.topology();
  return machine.HandoffNs(topology.Home(*topology.Find(from)), topology.Home(*topology.Find(to)));
}

// A team's begin and end, by its first thread.
double TeamNs(const Machine& machine, std::span<const topo::PuId> pus,
              const ElementsOptions& options) {
  double ns = 0;
  for (std::size_t thread = 1; thread < pus.size(); ++thread) {
    const double handoff_ns = HandoffNs(machine, pus.front(), pus[thread]);
    // A barrier: the thread arrives, and later sees that it has opened.
    ns += options.team == Team::kKept
              ? 2 * handoff_ns
              : options.costs.create_ns + options.costs.create_lines * handoff_ns;
  }
  return ns;
}

double LoopsNs(const Machine& machine, std::span<const topo::PuId> pus,
               const ElementsOptions& options) {
  // Another thread, each as likely, has written the loop's counter and the matrix' lines last.
  const auto threads = static_cast<double>(pus.size());
  std::vector<Work> works;
  for (const topo::PuId pu : pus) {
    double handoff_ns = 0;
    for (const topo::PuId other : pus) {
      if (other != pu) handoff_ns += HandoffNs(machine, other, pu) / threads;
    }
    const double tasks = std::ceil(options.constraints / threads);  // of a thread
    works.push_back({.pu = pu,
                     .compute_ns = tasks * options.constraints * options.costs.pair_ns,
                     .waiting_ns = tasks * (options.constraints + 1) * handoff_ns,
                     .memory = {}});
  }
  return options.blocks * (DurationNs(machine, works) + TeamNs(machine, pus, options));
}

}  // namespace

double ElementsNs(const Machine& machine, const topo::Mapping& mapping,
                  const ElementsOptions& options) {
  if (mapping.policy() == topo::Policy::kNone) {
    return MedianOfDraws(
        machine.topology(), mapping.size(), options.seed,
        [&](UnboundThreads& threads) { return LoopsNs(machine, threads.pus(), options); });
  }
  std::vector<topo::PuId> pus;
  for (const topo::Slot& slot : mapping.slots()) pus.push_back(slot.pu);
  return LoopsNs(machine, pus, options);
}

}  // namespace predict
