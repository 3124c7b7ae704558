// The rule by which workers are held, sample by sample.
#include "lwt/wait/held_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lwt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr WorkerSample kAsleep = {.cpu_ns = 1, .is_asleep = true};
constexpr WorkerSample At(std::int64_t cpu_ns) { return {.cpu_ns = cpu_ns, .is_asleep = false}; }

// Two workers, sampled once a second, that are held after two.
class Held : public testing::Test {
 protected:
  std::vector<int> Next(WorkerSample first, WorkerSample second, std::int64_t later = kSecond) {
    now_ += later;
    return held_.Add(now_, std::array{first, second});
  }
  HeldWorkers held_{2 * kSecond};
  std::int64_t now_ = 0;
};

TEST_F(Held, WorkersThatUseNoProcessorTimeAndDoNotSleepAreHeldOnceInAStall) {
  EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  EXPECT_THAT(Next(At(5), At(7)), ElementsAre(0, 1));
  EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  EXPECT_THAT(Next(At(6), At(8)), IsEmpty()) << "the stall is over";
  EXPECT_THAT(Next(At(6), At(8)), IsEmpty());
  EXPECT_THAT(Next(At(6), At(8)), ElementsAre(0, 1));
}

TEST_F(Held, AWorkerIsHeldWhileTheOthersSleep) {
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Next(kAsleep, At(7)), IsEmpty());
  EXPECT_THAT(Next(kAsleep, At(7)), ElementsAre(1));
}

TEST_F(Held, NoWorkerIsHeldWhileAnotherComputes) {
  for (int i = 0; i < 9; ++i) EXPECT_THAT(Next(At(5), At(i)), IsEmpty());
}

TEST_F(Held, NoWorkerIsHeldWhereAllSleep) {
  for (int i = 0; i < 9; ++i) EXPECT_THAT(Next(kAsleep, kAsleep), IsEmpty());
}

TEST_F(Held, AWorkerThatWentToSleepMeanwhileBeginsANewStall) {
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Next(At(5), kAsleep), IsEmpty());
  EXPECT_THAT(Next(At(5), kAsleep), ElementsAre(0));
}

TEST_F(Held, ATimeWithoutSamplesDoesNotCount) {
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  EXPECT_THAT(Next(At(5), At(7), 100 * kSecond), IsEmpty());
  EXPECT_THAT(Next(At(5), At(7)), IsEmpty());
  EXPECT_THAT(Next(At(5), At(7)), ElementsAre(0, 1));
}

TEST(HeldPeriod, IsHalfOfTheTimeAndAtMostASecond) {
  EXPECT_EQ(HeldWorkers(kSecond).period_ns(), kSecond / 2);
  EXPECT_EQ(HeldWorkers(100 * kSecond).period_ns(), kSecond);
  EXPECT_EQ(HeldWorkers(1).period_ns(), 1'000'000);
}

}  // namespace
}  // namespace lwt
