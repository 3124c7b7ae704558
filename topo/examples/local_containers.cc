// Standard containers whose memory lies on the node of the thread that uses them.
#include <cstdio>
#include <memory_resource>
#include <vector>

#include "topo/topo.h"

int main() {
  const topo::Topology here = *topo::ThisMachine();
  const topo::Mapping mapping = *topo::Plan(here, topo::Policy::kCompactPlus, here.allowed_pus());
  std::vector<std::size_t> pages_here(mapping.size()), pages(mapping.size());

  const absl::Status status = topo::RunThreads(here, mapping, [&](const topo::Slot& slot) {
    topo::NodeMemoryResource node(here, slot.memory);
    std::pmr::unsynchronized_pool_resource pool(&node);
    std::pmr::vector<double> numbers(1'000'000, 1.0, &pool);

    const auto where = topo::ResidentNodes(here, std::as_bytes(std::span(numbers)));
    if (!where.ok()) return;  // A container that forbids the question.
    pages[slot.thread] = where->size();
    for (const topo::PageState& page : *where) pages_here[slot.thread] += page.node == slot.memory;
  });
  if (!status.ok()) return std::puts(status.ToString().c_str()), 1;
  for (int i = 0; i < mapping.size(); ++i) {
    std::printf("thread %d: %zu of %zu pages on its node\n", i, pages_here[i], pages[i]);
    if (pages_here[i] != pages[i]) return 1;
  }
}
