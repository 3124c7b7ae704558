// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "taskrt/kernel.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/plan/plan.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/trace/timeline_svg.h"
#include "taskrt/trace/trace.h"
#include "taskrt/transfer/mover.h"

namespace taskrt {
namespace {

TEST(DesignatedInitializers, LeaveUnnamedFieldsAtTheirDefaults) {
  EXPECT_EQ((RuntimeOptions{.tasks_in_flight = 2}.only_plans), false);
  EXPECT_TRUE((RuntimeOptions{.pool = {.workers = 2}}.devices.empty()));
  EXPECT_EQ(MoverOptions{.optimizes = false}.device_bytes, 0u);
  EXPECT_EQ(PlanOptions{.optimizes = false}.look_ahead, 0u);
  EXPECT_EQ(TimelineOptions{.title = "a"}.width, TimelineOptions().width);
  EXPECT_EQ(SimulatedDeviceOptions{.name = "a"}.memory_bytes, 0u);
  EXPECT_EQ(OpenClKernel({.function = "axpy", .source = "..."}).units, 1);
  EXPECT_EQ(Kernel("axpy").OnOpenCl({.source = "..."}).opencl()->global.size(), 1u);
  EXPECT_EQ(Kernel("axpy").OnCuda({.function = "axpy", .grid = {2, 1, 1}}).cuda()->block[0], 1u);
  EXPECT_EQ(Kernel("axpy").OnCuda({.image = "..."}).cuda()->shared_bytes, 0u);
  EXPECT_EQ(TraceEvent{.name = "a"}.submit_index, TraceEvent().submit_index);
  EXPECT_EQ(PlannedTask{.name = "a"}.place, kHost);
  EXPECT_EQ(Access{.mode = Mode::kOut}.mode, Mode::kOut);
  EXPECT_EQ(Tile{.rows = 2}.data, nullptr);
  EXPECT_TRUE(PointerTask{.maps = {}}.args.empty());
  EXPECT_EQ(PointerMap{.host = 8}.bytes, 0u);
}

}  // namespace
}  // namespace taskrt
