#include "taskrt/task/residents.h"

#include <gtest/gtest.h>

#include <map>

namespace taskrt {
namespace {

TEST(Residents, TheBlockThatIsUsedLastMakesRoom) {
  Residents residents(30);
  for (const BlockId block : {1u, 2u, 3u}) residents.Add(block, 10);
  EXPECT_FALSE(residents.HasRoomFor(1));
  std::map<BlockId, SubmitIndex> next = {{1, 8}, {2, 50}, {3, 9}};
  const auto next_use = [&](BlockId block) { return next.at(block); };
  EXPECT_EQ(residents.Victim(next_use), 2u);
  next[1] = kNever;
  EXPECT_EQ(residents.Victim(next_use), 1u);
  residents.Remove(1);
  EXPECT_TRUE(residents.HasRoomFor(10));
  EXPECT_EQ(residents.bytes(), 20u);
}

TEST(Residents, OfThoseWithoutAUseTheOneThatWasUsedLongestAgo) {
  Residents residents(30);
  for (const BlockId block : {1u, 2u, 3u}) residents.Add(block, 10);
  const auto never = [](BlockId) { return kNever; };
  EXPECT_EQ(residents.Victim(never), 1u);
  residents.Pin(1);
  EXPECT_EQ(residents.Victim(never), 2u);
  residents.Unpin(1);
  EXPECT_EQ(residents.Victim(never), 2u) << "1 was used after it";
}

TEST(Residents, APinnedBlockStaysHoweverOften) {
  Residents residents(10);
  residents.Add(7, 10);
  residents.Pin(7);
  residents.Pin(7);
  const auto never = [](BlockId) { return kNever; };
  residents.Unpin(7);
  EXPECT_EQ(residents.Victim(never), std::nullopt);
  residents.Unpin(7);
  EXPECT_EQ(residents.Victim(never), 7u);
}

TEST(Residents, WithoutACapacityThereIsRoom) {
  Residents residents;
  residents.Add(1, std::uint64_t{1} << 50);
  EXPECT_TRUE(residents.HasRoomFor(std::uint64_t{1} << 50));
}

}  // namespace
}  // namespace taskrt
