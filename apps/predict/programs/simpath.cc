#include "apps/predict/programs/simpath.h"

#include <span>

#include "apps/predict/machine/unbound.h"
#include "apps/predict/machine/work.h"

namespace predict {
namespace {

// The levels of a thread, all together.
double StatesOf(const EdgeBasedOptions& options, std::size_t thread, std::size_t threads) {
  double states = 0;
  for (std::size_t level = thread; level < options.states.size(); level += threads) {
    states += options.states[level];
  }
  return states;
}

// The threads in the order of the ring. `memory[i]` are the nodes that thread i's states lie on,
// in equal parts.
double PipelineNs(const Machine& machine, std::span<const topo::PuId> ring,
                  const std::vector<std::vector<topo::NodeId>>& memory,
                  const EdgeBasedOptions& options) {
  const topo::Topology& topology = machine.topology();
  std::vector<Work> works;
  for (std::size_t thread = 0; thread < ring.size(); ++thread) {
    const double states = StatesOf(options, thread, ring.size());
    Work work = {.pu = ring[thread], .memory = {}};
    for (const topo::NodeId node : memory[thread]) {
      work.memory.push_back({.node = node,
                             .chained_lines = states * options.costs.memory_lines /
                                              static_cast<double>(memory[thread].size())});
    }
    if (ring.size() > 1) {
      const topo::PuId before = ring[(thread + ring.size() - 1) % ring.size()];
      work.waiting_ns = states * options.costs.arcs * options.costs.queue_lines *
                        machine.HandoffNs(topology.Home(*topology.Find(before)),
                                          topology.Home(*topology.Find(ring[thread])));
    }
    works.push_back(std::move(work));
  }
  return DurationNs(machine, works);
}

}  // namespace

double EdgeBasedNs(const Machine& machine, const topo::Mapping& mapping,
                   const EdgeBasedOptions& options) {
  const topo::Topology& topology = machine.topology();
  if (mapping.policy() != topo::Policy::kNone) {
    std::vector<topo::PuId> ring;
    std::vector<std::vector<topo::NodeId>> memory;
    for (const topo::Slot& slot : mapping.slots()) {
      ring.push_back(slot.pu);
      // States are made by the thread before.
      const int before = (slot.thread + mapping.size() - 1) % mapping.size();
      memory.push_back({mapping[before].memory});
    }
    return PipelineNs(machine, ring, memory, options);
  }
  // A run of minutes, in which the threads have been everywhere, so that their states are.
  std::vector<topo::NodeId> all;
  for (const topo::Node& node : topology.nodes()) all.push_back(node.id);
  const std::vector<std::vector<topo::NodeId>> memory(static_cast<std::size_t>(mapping.size()),
                                                      all);
  return MedianOfDraws(topology, mapping.size(), options.seed, [&](UnboundThreads& threads) {
    for (int time = 0; time < options.balanced; ++time) threads.Balance();
    return PipelineNs(machine, threads.pus(), memory, options);
  });
}

}  // namespace predict
