#include "apps/predict/programs/stream.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "apps/predict/machine/unbound.h"
#include "apps/predict/machine/work.h"

namespace predict {
namespace {

// A value. The part of a thread's elements that lies on a node.
struct OnNode {
  topo::NodeId node{};
  double part = 0;
};

std::vector<OnNode> NodesOf(const topo::Mapping& mapping, int thread, stream::Where where) {
  switch (where) {
    case stream::Where::kLocal:
    case stream::Where::kFirstTouch:
      return {{mapping[thread].memory, 1}};
    case stream::Where::kSerial:
      return {{mapping[0].memory, 1}};
    case stream::Where::kInterleave:
      break;
  }
  std::vector<OnNode> nodes;
  for (const topo::NodeId node : mapping.nodes()) {
    nodes.push_back({node, 1.0 / static_cast<double>(mapping.nodes().size())});
  }
  return nodes;
}

// One sweep by `threads` threads: this thread's part of it.
Work WorkOf(topo::PuId pu, const std::vector<OnNode>& nodes, int threads,
            const StreamOptions& options) {
  const double lines_of_array = options.elements * sizeof(double) / kLineBytes / threads;
  const double arrays = stream::MovedBytes(stream::Kernel::kTriad, options.store) / sizeof(double);
  Work work = {.pu = pu, .memory = {}};
  for (const OnNode& on : nodes) {
    work.memory.push_back({.node = on.node,
                           .streamed_lines = (arrays - 1) * lines_of_array * on.part,
                           .written_lines = lines_of_array * on.part});
  }
  return work;
}

double BoundNs(const Machine& machine, const topo::Mapping& mapping, const StreamOptions& options) {
  std::vector<Work> works;
  for (const topo::Slot& slot : mapping.slots()) {
    works.push_back(
        WorkOf(slot.pu, NodesOf(mapping, slot.thread, options.where), mapping.size(), options));
  }
  return DurationNs(machine, works);
}

// The threads fill the arrays where they are first.
double UnboundNs(const Machine& machine, UnboundThreads& threads, const StreamOptions& options) {
  std::vector<std::vector<OnNode>> nodes;
  for (const topo::PuId pu : threads.pus()) nodes.push_back({{machine.topology().NodeNear(pu), 1}});
  double best_ns = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    threads.Balance();
    const std::vector<topo::PuId> pus = threads.pus();
    std::vector<Work> works;
    for (std::size_t thread = 0; thread < pus.size(); ++thread) {
      works.push_back(WorkOf(pus[thread], nodes[thread], static_cast<int>(pus.size()), options));
    }
    best_ns = std::min(best_ns, DurationNs(machine, works));
  }
  return best_ns;
}

}  // namespace

double TriadNs(const Machine& machine, const topo::Mapping& mapping, const StreamOptions& options) {
  if (mapping.policy() != topo::Policy::kNone) return BoundNs(machine, mapping, options);
  return MedianOfDraws(
      machine.topology(), mapping.size(), options.seed,
      [&](UnboundThreads& threads) { return UnboundNs(machine, threads, options); });
}

}  // namespace predict
