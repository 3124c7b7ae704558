// What would this thread count use, on a machine that is not here? The paper's
// table 4 for its 4-way Sandybridge-EP, by policy.
#include <cstdio>

#include "topo/topo.h"

int main() {
  const topo::Topology machine =
      *topo::FromSynthetic("pack:4 [numa] core:8 pu:2(indexes=core:pack)");
  std::printf("%-9s %8s %6s %11s %13s\n", "policy", "threads", "nodes", "cores/node",
              "threads/core");
  for (topo::Policy policy :
       {topo::Policy::kScatter, topo::Policy::kCompact, topo::Policy::kCompactPlus}) {
    const topo::Mapping mapping = *topo::Plan(machine, policy, machine.allowed_pus());
    for (int threads = 1; threads <= mapping.size(); threads *= 4) {
      const topo::Usage usage = topo::Explain(mapping, threads);
      std::printf("%-9s %8d %6d %11d %13d\n", topo::ToString(policy).data(), threads, usage.nodes,
                  usage.cores_per_node, usage.threads_per_core);
    }
  }
}
