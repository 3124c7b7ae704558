// A simulated device computes as many tasks of a kernel at a time as the kernel has units.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/kernel.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

// When four tasks of one second each, which are there at once, are computed.
std::vector<TimeSpan> SpansOf(int units) {
  SimulatedDevice device({.flops_per_s = 1, .latency_s = 0});
  const Kernel kernel = Kernel("kernel")
                            .OnSimulated([](auto, auto) { return absl::OkStatus(); })
                            .Flops(1)
                            .Units(units);
  std::vector<TimeSpan> spans;
  for (int i = 0; i < 4; ++i) {
    const auto ticket = device.Launch(kernel, {}, {}, {}, 0);
    EXPECT_TRUE(ticket.ok()) << ticket.status();
    spans.push_back(device.SpanOf(*ticket).value_or(TimeSpan{}));
  }
  return spans;
}

TEST(Units, OneUnitComputesOneTaskAfterTheOther) {
  const std::vector<TimeSpan> spans = SpansOf(1);
  for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_EQ(spans[i].begin_ns, spans[i - 1].end_ns);
}

TEST(Units, TwoUnitsComputeTwoTasksAtATime) {
  const std::vector<TimeSpan> spans = SpansOf(2);
  EXPECT_LT(spans[1].begin_ns, spans[0].end_ns);
  EXPECT_EQ(spans[2].begin_ns, spans[0].end_ns);
  EXPECT_EQ(spans[3].begin_ns, spans[1].end_ns);
}

TEST(UnitsDeathTest, AKernelHasOneOrMore) {
  EXPECT_DEATH(Kernel("kernel").Units(0), "a kernel has one unit or more");
}

}  // namespace
}  // namespace taskrt
