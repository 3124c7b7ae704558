// Which copies a barrier drops, and which it keeps.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

TEST(Space, AFlushDropsOnlyWhatOthersHaveChanged) {
  if (IsBounded()) GTEST_SKIP() << "needs room";
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  const std::uint64_t count = WordsOfPages(6);
  const auto words = Words(count, Block{.count = space->ranks()});
  const std::uint64_t each = count / ranks;
  const std::uint64_t foreign = Pages(count) - 6;
  const auto me = static_cast<std::uint64_t>(space->rank());
  for (std::uint64_t i = 0; i < each; ++i) words[each * me + i] = 5;
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), foreign);
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), foreign) << "no home tracked what it wrote before";
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), 0u) << "nobody has changed anything";
  Meet(Consistency::kKeep);
  const std::uint64_t faults = space->counts().home.faults;
  if (me == 0) {
    words[0] = 9;
    words[1] = 9;
    EXPECT_EQ(space->counts().home.faults - faults, ranks > 1 ? 1u : 0u) << "the first write";
    EXPECT_EQ(words[0], 9u);
  }
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), me == 0 ? 0u : 1u);
  EXPECT_EQ(words[0], 9u);
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), 0u);
  Meet(Consistency::kKeep);
  // The first changes a copy of the last one's page.
  if (me == 0) words[count - 1] = 8;
  Meet();
  EXPECT_EQ(PagesFetchedToRead(words), me == 0 || me == ranks - 1 ? 0u : 1u);
  EXPECT_EQ(words[count - 1], 8u);
  Meet();
}

TEST(Space, ARankThatAloneChangesACopyKeepsIt) {
  if (IsBounded()) GTEST_SKIP() << "needs room";
  const auto words = Words(1, OnRank{space->ranks() - 1});
  const std::uint64_t before = space->counts().copies.pages_fetched;
  for (std::uint64_t round = 0; round < 6; ++round) {
    if (space->rank() == 0) words[0] = round;
    Meet();
    EXPECT_EQ(words[0], round);
    Meet(Consistency::kKeep);
  }
  if (space->rank() == 0 && space->ranks() > 1) {
    EXPECT_EQ(space->counts().copies.pages_fetched - before, 2u)
        << "once more after the first flush, as its home had not tracked it";
  }
  Meet();
}

// A page that its home writes all the time is not tracked all the time.
TEST(Space, AHomeThatWritesAllTheTimeFaultsSeldom) {
  const auto words = Words(1, OnRank{0});
  const std::uint64_t before = space->counts().home.faults;
  for (std::uint64_t round = 1; round <= 64; ++round) {
    if (space->rank() == 0) words[0] = round;
    Meet();
    ASSERT_EQ(words[0], round);
    Meet(Consistency::kKeep);
  }
  EXPECT_LE(space->counts().home.faults - before, 8u);
  Meet();
}

// While its rank waits in a flush a thread fetches a page, which its home writes before it comes.
TEST(Space, ACopyThatIsFetchedDuringAFlushIsNotKeptBeyondIt) {
  if (space->ranks() == 1) return;
  const auto words = Words(2, OnRank{0});
  const auto turns = Words(1, OnRank{0});
  const auto turn = [&](std::uint64_t add) {
    return space->Atomic<std::uint64_t>(turns.data(), llcl::AtomicOp::kAdd, add).value();
  };
  std::thread reader;
  if (space->rank() == 1) {
    reader = std::thread([&] {
      // The rank is in the barrier by then, or comes into it: both are to be right.
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_EQ(words[1], 0u);
      turn(1);
    });
  }
  if (space->rank() == 0) {
    while (turn(0) == 0) std::this_thread::yield();
    words[0] = 2;
  }
  Meet();
  EXPECT_EQ(words[0], 2u);
  if (reader.joinable()) reader.join();
  Meet();
}

TEST(Space, DiscardDropsCopiesAndKeepKeepsThem) {
  const std::uint64_t count = WordsOfPages(1);
  const auto words = Words(count, Block{.count = space->ranks()});
  const std::uint64_t each = count / static_cast<std::uint64_t>(space->ranks());
  std::uint64_t& mine = words[each * static_cast<std::uint64_t>(space->rank())];
  const std::uint64_t& theirs = words[each * static_cast<std::uint64_t>(Next())];
  mine = 1;
  Meet(Consistency::kDiscard);
  EXPECT_EQ(theirs, 1u);
  Meet(Consistency::kKeep);
  mine = 2;
  Meet(Consistency::kKeep);
  EXPECT_EQ(theirs, space->ranks() == 1 ? 2u : 1u) << "the copy is as it was";
  Meet(Consistency::kDiscard);
  EXPECT_EQ(theirs, 2u);
  Meet();
}

}  // namespace
}  // namespace dsm
