#include "llcl/executor/sleep.h"

#include <gtest/gtest.h>

namespace llcl {
namespace {

TEST(Sleep, ADeviceThatCannotWakeTheThreadIsLookedAtEachMillisecond) {
  EXPECT_EQ(MostSleepMs({.device_wakes = false}), 1);
  EXPECT_EQ(MostSleepMs({.device_wakes = false, .has_operations = true}), 1);
}

TEST(Sleep, AThreadThatLeavesTheDeviceToOthersSleepsShortly) {
  EXPECT_EQ(MostSleepMs({.device_wakes = true, .is_polled = true}), 1);
  EXPECT_EQ(SleepOf({.device_wakes = true, .is_polled = true}), Sleep::kLeftShortly);
  EXPECT_EQ(SleepOf({.is_polled = true}), Sleep::kShort);
}

TEST(Sleep, AThreadWithAPendingHostSleepsShortly) {
  EXPECT_EQ(MostSleepMs({.device_wakes = true, .has_pending_host = true}), 1);
}

TEST(Sleep, AThreadLooksForOverdueOperationsMoreOftenWhileSomeAreInFlight) {
  EXPECT_EQ(MostSleepMs({.device_wakes = true, .has_operations = true}), 20);
  EXPECT_EQ(MostSleepMs({.device_wakes = true}), 100);
}

TEST(Sleep, AThreadIsBlindWhereNeitherTheDeviceNorAnOperationWakesIt) {
  EXPECT_EQ(SleepOf({}), Sleep::kBlind);
  EXPECT_EQ(SleepOf({.has_operations = true}), Sleep::kShort);
  EXPECT_EQ(SleepOf({.device_wakes = true}), Sleep::kOnDevice);
}

}  // namespace
}  // namespace llcl
