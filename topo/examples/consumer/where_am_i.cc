// Pins itself to each PU in turn and prints where it is.
#include <cstdio>

#include "topo/topo.h"

int main() {
  const absl::StatusOr<topo::Topology> here = topo::ThisMachine();
  if (!here.ok()) return std::puts(here.status().ToString().c_str()), 1;
  const topo::Mapping mapping = *topo::Plan(*here, topo::Policy::kCompact, here->allowed_pus());
  for (const topo::Slot& slot : mapping.slots()) {
    const auto pin = topo::ScopedAffinity::Pin(*here, slot);
    if (!pin.ok()) return std::puts(pin.status().ToString().c_str()), 1;
    std::printf("PU %d: core %d of NUMA node %d\n", topo::ToInt(topo::CurrentSlot()->pu), slot.core,
                topo::ToInt(slot.node));
  }
  std::printf("topo %s\n", topo::kVersion.data());
}
