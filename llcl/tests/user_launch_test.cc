// Ranks as threads that exchange bytes by memory, as a user's MPI would by messages.
#include <gtest/gtest.h>

#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "llcl/launch/launch.h"

namespace llcl {
namespace {

constexpr int kSize = 4;

class SharedBoard {
 public:
  AllgatherFunction For(int rank) {
    return [this, rank](std::string_view mine) -> absl::StatusOr<std::vector<std::string>> {
      all_[static_cast<std::size_t>(rank)] = mine;
      barrier_.arrive_and_wait();
      std::vector<std::string> all = all_;
      barrier_.arrive_and_wait();  // No rank writes bytes that another still reads.
      return all;
    };
  }

 private:
  std::vector<std::string> all_ = std::vector<std::string>(kSize);
  std::barrier<> barrier_{kSize};
};

TEST(UserLaunch, EachRankGetsWhatAllBring) {
  SharedBoard board;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kSize; ++rank) {
    ranks.emplace_back([&board, rank] {
      const auto launch = MakeUserLaunch(Rank{rank}, kSize, board.For(rank));
      EXPECT_EQ(launch->rank(), Rank{rank});
      EXPECT_EQ(launch->size(), kSize);
      for (const std::string round : {"a", "b", "c"}) {
        const auto all = launch->Allgather(round + std::to_string(rank));
        ASSERT_TRUE(all.ok()) << all.status();
        EXPECT_EQ(*all,
                  (std::vector<std::string>{round + "0", round + "1", round + "2", round + "3"}));
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST(UserLaunch, AnAllgatherThatDoesNotBringSomethingFromEachRankIsAnInvalidArgument) {
  for (const std::size_t count : {0, 1, 3}) {
    const auto launch = MakeUserLaunch(
        Rank{0}, 2, [count](std::string_view) { return std::vector<std::string>(count); });
    EXPECT_TRUE(absl::IsInvalidArgument(launch->Allgather("x").status())) << count;
  }
}

TEST(UserLaunch, AnErrorOfTheFunctionIsHandedOn) {
  const auto launch = MakeUserLaunch(
      Rank{0}, 2, [](std::string_view) { return absl::DataLossError("the wire is cut"); });
  EXPECT_EQ(launch->Allgather("x").status(), absl::DataLossError("the wire is cut"));
}

TEST(UserLaunch, ASingletonBringsItsOwn) {
  const auto launch = MakeSingleton();
  EXPECT_EQ(launch->size(), 1);
  EXPECT_EQ(*launch->Allgather("x"), std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace llcl
