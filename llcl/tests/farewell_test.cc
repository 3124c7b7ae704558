#include "llcl/collective/farewell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace llcl {
namespace {

using Added = Farewell::Added;

// The farewell at the other ranks.
Farewell Heard(const Progress& progress, std::size_t most = 4096) {
  Farewell farewell;
  for (const auto& message : progress.Farewell(most)) EXPECT_EQ(farewell.Add(message), Added::kNew);
  return farewell;
}

TEST(Farewell, ARankHasDoneWhatItBegan) {
  Progress progress;
  for (const std::uint32_t number : {0u, 1u, 2u}) progress.Begin({7, number});
  progress.Begin({8, 0});
  const Farewell farewell = Heard(progress);
  EXPECT_TRUE(farewell.is_complete());
  EXPECT_TRUE(farewell.HasDone({7, 0}));
  EXPECT_TRUE(farewell.HasDone({7, 2}));
  EXPECT_FALSE(farewell.HasDone({7, 3}));
  EXPECT_TRUE(farewell.HasDone({8, 0}));
  EXPECT_FALSE(farewell.HasDone({8, 1}));
  EXPECT_FALSE(farewell.HasDone({9, 0}));
}

TEST(Farewell, AFailedOperationAndAllBehindItAreNotDone) {
  Progress progress;
  for (const std::uint32_t number : {0u, 1u, 2u, 3u}) progress.Begin({7, number});
  progress.Fail({7, 3});
  progress.Fail({7, 1});
  progress.Begin({7, 4});
  const Farewell farewell = Heard(progress);
  EXPECT_TRUE(farewell.HasDone({7, 0}));
  for (const std::uint32_t number : {1u, 2u, 3u, 4u}) EXPECT_FALSE(farewell.HasDone({7, number}));
}

TEST(Farewell, OfARankThatBeganNothingIsOneMessage) {
  Progress progress;
  EXPECT_EQ(progress.Farewell(32).size(), 1u);
  EXPECT_TRUE(Heard(progress).is_complete());
}

TEST(Farewell, OfARankThatBeganNothingIsKnownTheSecondTime) {
  Farewell farewell;
  const auto message = Progress().Farewell(32).front();
  EXPECT_EQ(farewell.Add(message), Added::kNew);
  EXPECT_EQ(farewell.Add(message), Added::kKnown);
}

TEST(Farewell, InSeveralMessagesIsCompleteOnceAllHaveComeInAnyOrder) {
  Progress progress;
  for (std::uint64_t team = 0; team < 5; ++team) progress.Begin({team, 0});
  auto messages = progress.Farewell(40);  // Two teams each.
  ASSERT_EQ(messages.size(), 3u);
  std::sort(messages.begin(), messages.end());
  do {
    Farewell farewell;
    for (const auto& message : messages) {
      EXPECT_FALSE(farewell.is_complete());
      EXPECT_EQ(farewell.Add(message), Added::kNew);
      EXPECT_EQ(farewell.Add(message), Added::kKnown);
      EXPECT_LE(message.size(), 40u);
    }
    EXPECT_TRUE(farewell.is_complete());
    for (std::uint64_t team = 0; team < 5; ++team) EXPECT_TRUE(farewell.HasDone({team, 0}));
  } while (std::next_permutation(messages.begin(), messages.end()));
}

TEST(Farewell, NonsenseIsRefusedAndChangesNothing) {
  Progress progress;
  progress.Begin({7, 0});
  const std::vector<std::byte> good = progress.Farewell(4096).front();
  Farewell farewell;
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
    if (bytes == sizeof(std::uint64_t)) continue;  // A first message without an entry.
    EXPECT_EQ(farewell.Add(std::span(good).first(bytes)), Added::kNonsense) << bytes;
  }
  EXPECT_EQ(farewell.Add(good), Added::kNew);
  std::vector<std::byte> another = good;
  another[8] = std::byte{8};
  EXPECT_EQ(farewell.Add(another), Added::kNonsense) << "more teams than it names";
  another = good;
  another.back() = std::byte{1};
  EXPECT_EQ(farewell.Add(another), Added::kNonsense) << "another progress of a team";
  std::vector<std::byte> other = good;
  other.front() = std::byte{5};
  EXPECT_EQ(farewell.Add(other), Added::kNonsense) << "another number of teams";
  EXPECT_TRUE(farewell.is_complete());
  EXPECT_TRUE(farewell.HasDone({7, 0}));
}

}  // namespace
}  // namespace llcl
