// The program of README.md.
#include <cstdio>
#include <span>

#include "dsm/dsm.h"

// Every rank writes its part of an array, and then reads all of it.
int main() {
  auto space = dsm::Space::Join();
  if (!space.ok()) return std::puts(space.status().ToString().c_str()), 1;
  constexpr std::uint64_t kCount = 1'000'000;
  const auto memory =
      (*space)->Allocate({{kCount}, sizeof(double)}, dsm::Block{.count = (*space)->ranks()});
  if (!memory.ok()) return std::puts(memory.status().ToString().c_str()), 1;
  const std::span<double> array(reinterpret_cast<double*>(memory->data()), kCount);

  const dsm::Bounds mine = (*space)->DistributionOf(array.data()).LocalBlock((*space)->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) array[i] = 0.5;
  const absl::Status met = (*space)->Barrier(dsm::Consistency::kFlush);
  if (!met.ok()) return std::puts(met.ToString().c_str()), 1;

  double sum = 0;
  for (const double element : array) sum += element;  // The others' pages come as they are touched.
  if ((*space)->rank() == 0) std::printf("%.0f\n", sum);
  return 0;
}
