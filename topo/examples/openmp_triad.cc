// The paper's figure 6 in C++: OpenMP's threads, topo's places and memory.
#include <omp.h>

#include <cstdio>

#include "topo/topo.h"

int main() {
  const topo::Topology here = *topo::ThisMachine();
  const int threads = std::min(omp_get_max_threads(), here.allowed_pus());
  const topo::Mapping mapping = *topo::Plan(here, topo::Policy::kScatter, threads);

  // One array a NUMA node, sized by the node's threads.
  constexpr long kElements = 1'000'000;
  auto a = *topo::NodeArrays<double>::Allocate(here, mapping, kElements);
  auto b = *topo::NodeArrays<double>::Allocate(here, mapping, kElements);
  auto c = *topo::NodeArrays<double>::Allocate(here, mapping, kElements);

  long wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const topo::Slot& slot = mapping[omp_get_thread_num()];
    const auto pin = topo::ScopedAffinity::Pin(here, slot);
    if (!pin.ok()) ++wrong;
    const int node = mapping.node_index(slot);
    const topo::Range mine = topo::Split(a[node].size(), mapping.threads_on(node), slot.ordinal);
    for (long i = mine.begin; i < mine.end; ++i) {
      b[node][i] = 1.0 * i;
      c[node][i] = node;
    }
    for (long i = mine.begin; i < mine.end; ++i) a[node][i] = b[node][i] + 3.0 * c[node][i];
    for (long i = mine.begin; i < mine.end; ++i) wrong += a[node][i] != i + 3.0 * node;
  }
  std::printf("%d threads on %d NUMA nodes, %ld wrong\n", threads, a.nodes(), wrong);
  return wrong == 0 ? 0 : 1;
}
