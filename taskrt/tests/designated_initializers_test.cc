// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "taskrt/mover.h"
#include "taskrt/rules/plan.h"
#include "taskrt/runtime.h"
#include "taskrt/seeing/timeline_svg.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

TEST(DesignatedInitializers, LeaveWhatTheyDoNotNameAtItsDefault) {
  EXPECT_EQ((RuntimeOptions{.tasks_in_flight = 2}.only_plans), false);
  EXPECT_TRUE((RuntimeOptions{.pool = {.workers = 2}}.devices.empty()));
  EXPECT_EQ(MoverOptions{.optimizes = false}.device_bytes, 0u);
  EXPECT_EQ(PlanOptions{.optimizes = false}.look_ahead, 0u);
  EXPECT_EQ(TimelineOptions{.title = "a"}.width, TimelineOptions().width);
  EXPECT_EQ(SimulatedDeviceOptions{.name = "a"}.memory_bytes, 0u);
}

}  // namespace
}  // namespace taskrt
