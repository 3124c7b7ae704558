#include <gtest/gtest.h>

#include <optional>

#include "llcl/tcp/attention.h"

namespace llcl {
namespace {

constexpr Rank kOne{1}, kTwo{2};
constexpr std::optional<Rank> kNone;

// As many arrivals of a rank as make it the direct one.
void Warm(TcpAttention& attention, Rank rank) {
  for (int i = 1; i < TcpAttention::kWarm; ++i) EXPECT_FALSE(attention.OnCame(rank));
  EXPECT_TRUE(attention.OnCame(rank));
  EXPECT_EQ(attention.direct(), rank);
}

TEST(TcpAttention, GoesToTheRankThatAnswersAgainAndAgain) {
  TcpAttention attention;
  EXPECT_EQ(attention.direct(), kNone);
  Warm(attention, kOne);
  Warm(attention, kTwo);
}

TEST(TcpAttention, IsDividedWhileRanksTakeTurns) {
  TcpAttention attention;
  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(attention.OnCame(i % 2 == 0 ? kOne : kTwo));
  EXPECT_EQ(attention.direct(), kNone);
}

TEST(TcpAttention, EndsWhereOthersTakeTurns) {
  TcpAttention attention;
  Warm(attention, kOne);
  int arrivals = 0;
  while (!attention.OnCame(arrivals % 2 == 0 ? kTwo : Rank{3})) ++arrivals;
  EXPECT_EQ(arrivals + 1, TcpAttention::kCold);
  EXPECT_EQ(attention.direct(), kNone);
}

TEST(TcpAttention, EndsWithTheConnection) {
  TcpAttention attention;
  Warm(attention, kOne);
  EXPECT_FALSE(attention.OnEnd(kTwo));
  EXPECT_TRUE(attention.OnEnd(kOne));
  EXPECT_EQ(attention.direct(), kNone);
}

TEST(TcpAttention, LooksAtTheOthersSeldomButWithinABound) {
  TcpAttention attention;
  EXPECT_TRUE(attention.LooksAtOthers()) << "nobody is the direct one";
  Warm(attention, kOne);
  int looks = 0;
  for (int poll = 1; poll <= 1'600; ++poll) {
    if (poll % 2 == 0) (void)attention.OnCame(kOne);
    looks += attention.LooksAtOthers() ? 1 : 0;
  }
  EXPECT_EQ(looks, 1'600 / TcpAttention::kBetween);
}

TEST(TcpAttention, LooksAtAllOnceTheDirectRankIsSilent) {
  TcpAttention attention;
  Warm(attention, kOne);
  for (int poll = 0; poll < TcpAttention::kBusy; ++poll) (void)attention.LooksAtOthers();
  for (int poll = 0; poll < 100; ++poll) EXPECT_TRUE(attention.LooksAtOthers());
}

}  // namespace
}  // namespace llcl
