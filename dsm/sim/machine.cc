#include "dsm/sim/machine.h"

#include <limits>

#include "dsm/layout/option_range.h"
#include "dsm/layout/pages.h"

namespace dsm::sim {

absl::Status Check(const Machine& machine) {
  constexpr double kMostSeconds = 1e9, kLeastRate = 1e-9;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  absl::Status status = InRange("threads", machine.threads, 1, 65'536);
  status.Update(InRange("fault", machine.fault, 0.0, kMostSeconds));
  status.Update(InRange("map_page", machine.map_page, 0.0, kMostSeconds));
  status.Update(InRange("drop_page", machine.drop_page, 0.0, kMostSeconds));
  status.Update(
      InRange("copy_bytes_per_second", machine.copy_bytes_per_second, kLeastRate, kInfinity));
  status.Update(InRange("latency", machine.latency, 0.0, kMostSeconds));
  status.Update(
      InRange("link_bytes_per_second", machine.link_bytes_per_second, kLeastRate, kInfinity));
  status.Update(InRange("software", machine.software, 0.0, kMostSeconds));
  status.Update(InRange("stop_thread", machine.stop_thread, 0.0, kMostSeconds));
  return status;
}

absl::Status Check(const Shape& shape) {
  if (const absl::Status good = CheckPageBytes(shape.page_bytes); !good.ok()) return good;
  absl::Status status = InRange("nodes", shape.nodes, 1, 1 << 20);
  status.Update(InRange("pages", shape.pages, std::uint64_t{0},
                        PageSize(shape.page_bytes).WholePagesIn(kAddressSpaceBytes).value()));
  return status;
}

}  // namespace dsm::sim
