#include "apps/stream/kernels/kernel.h"

namespace stream {

std::string_view ToString(Kernel kernel) {
  constexpr std::array<std::string_view, kKernels.size()> kNames = {"copy", "scale", "add",
                                                                    "triad"};
  return kNames[static_cast<std::size_t>(kernel)];
}

double CountedBytes(Kernel kernel) {
  const bool two_reads = kernel == Kernel::kAdd || kernel == Kernel::kTriad;
  return sizeof(double) * (two_reads ? 3 : 2);
}

double MovedBytes(Kernel kernel, Store store) {
  return CountedBytes(kernel) + (store == Store::kOrdinary ? sizeof(double) : 0);
}

}  // namespace stream
