// The program of topo/README.md.
#include <cstdio>

#include "topo/topo.h"

int main() {
  const auto machine = topo::ThisMachine();
  if (!machine.ok()) return std::puts(machine.status().ToString().c_str()), 1;
  const topo::Topology& here = *machine;
  const topo::Mapping mapping = *topo::Plan(here, topo::Policy::kScatter, here.default_threads());
  const auto squares = topo::Array<double>::AllocateSliced(here, mapping, 1'000'000);
  if (!squares.ok()) return std::puts(squares.status().ToString().c_str()), 1;

  topo::Verifier verifier(here, mapping);
  const absl::Status status = topo::RunThreads(here, mapping, [&](const topo::Slot& slot) {
    verifier.ObserveThisThread(slot);
    const topo::Range mine = topo::ShareOf(squares->size(), mapping, slot);
    for (long i = mine.begin; i < mine.end; ++i) (*squares)[i] = 1.0 * i * i;
  });
  verifier.AddMemory("squares", squares->memory());
  std::printf("%s", verifier.Finish().ToString().c_str());
  if (!status.ok()) return std::puts(status.ToString().c_str()), 1;
  return (*squares)[999'999] == 999'999.0 * 999'999.0 ? 0 : 1;
}
