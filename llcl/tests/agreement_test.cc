#include "llcl/launch/agreement.h"

#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace llcl {
namespace {

constexpr int kRanks = 3;

// Threads as ranks. `f` gets the launch of a rank.
void RunRanks(const std::function<void(Launch&)>& f) {
  std::vector<std::string> given(kRanks);
  std::barrier meets(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto launch = MakeUserLaunch(Rank{rank}, kRanks, [&](std::string_view mine) {
        given[static_cast<std::size_t>(rank)] = mine;
        meets.arrive_and_wait();
        const absl::StatusOr<std::vector<std::string>> all(given);
        meets.arrive_and_wait();
        return all;
      });
      f(*launch);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Agreement, AllRanksHaveWhatAllGiveWhereNoneRefuses) {
  RunRanks([](Launch& launch) {
    const auto all = AllgatherOrRefuse(launch, std::to_string(ToInt(launch.rank())));
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(*all, (std::vector<std::string>{"0", "1", "2"}));
    EXPECT_TRUE(MeetOrRefuse(launch, absl::OkStatus()).ok());
  });
}

TEST(Agreement, ARankThatRefusesHasItsOwnReasonAndTheOthersItsNumberAndReason) {
  RunRanks([](Launch& launch) {
    const absl::Status mine =
        launch.rank() == Rank{1} ? absl::ResourceExhaustedError("no room") : absl::OkStatus();
    const absl::Status met = MeetOrRefuse(launch, mine);
    if (launch.rank() == Rank{1}) {
      EXPECT_EQ(met, mine);
    } else {
      EXPECT_EQ(met, absl::UnavailableError("rank 1: no room"));
    }
    // The ranks have called equally often, and go on together.
    EXPECT_TRUE(MeetOrRefuse(launch, absl::OkStatus()).ok());
  });
}

}  // namespace
}  // namespace llcl
