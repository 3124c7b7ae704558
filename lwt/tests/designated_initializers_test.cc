// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "lwt/lwt.h"

namespace lwt {
namespace {

TEST(DesignatedInitializers, LeaveUnnamedFieldsAtTheirDefaults) {
  EXPECT_EQ(PoolOptions{.workers = 2}.stack_bytes, PoolOptions().stack_bytes);
  EXPECT_EQ(PoolOptions{.seed = 7}.workers, 0);
  const PoolOptions simulated{.workers = 2,
                              .simulation = SimulationOptions{.costs = {.look_ns = 7}}};
  EXPECT_EQ(simulated.simulation->costs.steal_ns, CostModel().steal_ns);
  EXPECT_TRUE(SimulationOptions{.node_of = {0}}.node_distances.empty());
  EXPECT_EQ(CostModel{.jitter = 0}.spawn_ns, CostModel().spawn_ns);
  EXPECT_STREQ(SpawnOptions{.name = "a"}.name, "a");
  EXPECT_TRUE(ShallowestOf{.candidates = 2}.others.empty());
  EXPECT_TRUE(Pool::Create({.workers = 1, .policy = HalfOfVictim()}).ok());
}

}  // namespace
}  // namespace lwt
