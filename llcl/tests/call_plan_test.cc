#include "llcl/tcp/call_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace llcl {
namespace {

CallPlan Of(std::vector<std::string> addresses, std::size_t first = 0) {
  return CallPlan(std::move(addresses), first);
}

TEST(CallPlan, CallsTheNextAQuarterOfASecondLater) {
  CallPlan plan = Of({"a:1", "b:2", "c:3"});
  EXPECT_EQ(plan.NextAtMs(), 0);
  EXPECT_EQ(plan.Next(0), 0u);
  EXPECT_EQ(plan.Next(0), std::nullopt);
  EXPECT_EQ(plan.NextAtMs(), 250);
  EXPECT_EQ(plan.Next(249), std::nullopt);
  EXPECT_EQ(plan.Next(250), 1u);
  EXPECT_EQ(plan.Next(600), 2u);
  EXPECT_EQ(plan.Next(9999), std::nullopt);
  EXPECT_EQ(plan.NextAtMs(), std::nullopt);
  EXPECT_FALSE(plan.IsOver());
}

TEST(CallPlan, CallsTheNextAtOnceWhereOneHasFailed) {
  CallPlan plan = Of({"a:1", "b:2"});
  EXPECT_EQ(plan.Next(0), 0u);
  plan.Failed(0, "refused", 3);
  EXPECT_EQ(plan.NextAtMs(), 3);
  EXPECT_EQ(plan.Next(3), 1u);
  EXPECT_FALSE(plan.IsOver());
  plan.Failed(1, "timed out", 4);
  EXPECT_TRUE(plan.IsOver());
  EXPECT_EQ(plan.NextAtMs(), std::nullopt);
}

TEST(CallPlan, BeginsWithTheFirstAndKeepsTheOrderOfTheOthers) {
  CallPlan plan = Of({"a:1", "b:2", "c:3"}, 1);
  EXPECT_EQ(plan.Next(0), 1u);
  EXPECT_EQ(plan.Next(250), 0u);
  EXPECT_EQ(plan.Next(500), 2u);
  // Another rank had more addresses.
  EXPECT_EQ(Of({"a:1"}, 7).Next(0), 0u);
}

TEST(CallPlan, CallsAgainWhereSomebodyHasHungUpAndTheNextMeanwhile) {
  CallPlan plan = Of({"a:1", "b:2"});
  EXPECT_EQ(plan.Next(0), 0u);
  plan.CallAgain(0, "it hangs up", 5);
  EXPECT_EQ(plan.NextAtMs(), 5);
  EXPECT_EQ(plan.Next(5), 1u);
  EXPECT_EQ(plan.NextAtMs(), 15);
  EXPECT_EQ(plan.Next(14), std::nullopt);
  EXPECT_EQ(plan.Next(15), 0u);
  EXPECT_EQ(plan.Next(16), std::nullopt);
  EXPECT_FALSE(plan.IsOver());
}

TEST(CallPlan, SaysAllAddressesWithTheirReasons) {
  CallPlan plan = Of({"172.17.0.1:1", "10.9.0.2:2", "[fd00::1]:3", "10.9.0.3:4", "10.9.0.4:5"});
  EXPECT_EQ(plan.Next(0), 0u);
  EXPECT_EQ(plan.Next(250), 1u);
  EXPECT_EQ(plan.Next(500), 2u);
  EXPECT_EQ(plan.Next(750), 3u);
  plan.Failed(0, "refused", 760);
  plan.Connected(2);
  plan.CallAgain(3, "it hangs up", 770);
  EXPECT_EQ(plan.Sentence(1),
            "rank 1 was not reached at 172.17.0.1:1 (refused) nor at 10.9.0.2:2 (timed out) nor at "
            "[fd00::1]:3 (no answer) nor at 10.9.0.3:4 (it hangs up) nor at 10.9.0.4:5 (not called "
            "in time): set LLCL_ADDRESS on its machine to an address that the other machines "
            "reach");
}

}  // namespace
}  // namespace llcl
