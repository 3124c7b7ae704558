// Pages that are brought, or made room for, before they are touched; with a cache of any size.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dsm/tests/space_rank.h"
#include "llcl/owned_fd.h"

namespace dsm {
namespace {

TEST(Space, APageIsResidentFromItsFetchUntilItIsDropped) {
  const auto all = Words(WordsOfPages(2), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(all.data()).LocalBlock(Next());
  const auto next = std::as_bytes(all.subspan(theirs.begin[0], theirs.end[0] - theirs.begin[0]));
  Meet();
  EXPECT_EQ(space->IsResident(next), space->ranks() == 1);
  ASSERT_TRUE(space->Preload(next).ok());
  if (!IsBounded()) {
    EXPECT_TRUE(space->IsResident(next));
  }
  Meet(Consistency::kDiscard);
  EXPECT_EQ(space->IsResident(next), space->ranks() == 1);
  Meet();
}

TEST(Space, APageThatIsOverwrittenIsNotFetchedBefore) {
  if (IsBounded() || space->options().finds_races) GTEST_SKIP() << "it comes before";
  const std::uint64_t count = WordsOfPages(10);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = 1;
  Meet();
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  // From the middle of the second page to the middle of the last.
  const std::uint64_t page = space->options().page_bytes / 8;
  const auto part = words.subspan(theirs.begin[0] + page * 3 / 2, page * 8);
  const CopyCounts before = space->counts().copies;
  ASSERT_TRUE(space->Preload(std::as_bytes(part), Access::kOverwrite).ok());
  for (std::uint64_t& word : part) word = 2;
  const CopyCounts after = space->counts().copies;
  if (space->ranks() > 1) {
    EXPECT_EQ(after.pages_fetched - before.pages_fetched, 2u) << "the first and the last";
    EXPECT_EQ(after.overwritten - before.overwritten, 7u);
    EXPECT_EQ(after.faults, before.faults);
  }
  Meet();
  for (int rank = 0; rank < space->ranks(); ++rank) {
    const std::uint64_t begin = space->DistributionOf(words.data()).LocalBlock(rank).begin[0];
    for (std::uint64_t i = 0; i < page * 10; ++i) {
      const bool is_overwritten = i >= page * 3 / 2 && i < page * 19 / 2;
      ASSERT_EQ(words[begin + i], is_overwritten ? 2u : 1u) << i;
    }
  }
  EXPECT_TRUE(absl::IsInvalidArgument(
      space->StartPreload(std::as_bytes(part), Access::kOverwrite).status()));
  Meet();
}

TEST(Space, APreloadedPageIsThereForTheThreadThatTouchesIt) {
  const std::uint64_t count = WordsOfPages(64);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i + 3;
  for (int round = 0; round < 5; ++round) {
    Meet(Consistency::kDiscard);
    const std::uint64_t before = space->counts().copies.pages_fetched;
    auto arrival = space->StartPreload(std::as_bytes(words));
    ASSERT_TRUE(arrival.ok()) << arrival.status();
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = thread * 100; i < count; ++i) {
          if (words[i] != i + 3) ADD_FAILURE() << i;
        }
      });
    }
    if (!IsBounded()) {
      EXPECT_TRUE(arrival->Wait().ok());
      EXPECT_TRUE(arrival->IsThere());
    }
    for (std::thread& thread : threads) thread.join();
    while (!arrival->IsThere()) std::this_thread::yield();
    if (!IsBounded()) {
      EXPECT_EQ(space->counts().copies.pages_fetched - before, Pages(count) - 64);
    }
  }
  // And where nobody waits for it.
  Meet(Consistency::kDiscard);
  ASSERT_TRUE(space->StartPreload(std::as_bytes(words), Access::kWrite).ok());
  Meet();
  EXPECT_EQ(words[count - 1], count + 2);
  Meet();
}

std::uint64_t SharedMemoryResident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssShmem:", 0) == 0) return std::strtoull(line.c_str() + 9, nullptr, 10) * 1024;
  }
  return 0;
}

TEST(Space, ABoundedCacheTakesNoMoreMemoryAndLosesNothing) {
  if (!IsBounded()) GTEST_SKIP() << "it is not";
  const std::uint64_t count = WordsOfPages(500);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const std::uint64_t before = SharedMemoryResident();
  const std::uint64_t evicted = space->counts().copies.evicted;
  const std::uint64_t page = space->options().page_bytes / 8;
  // Each page is written and, when it has gone, read and written again.
  for (std::uint64_t round = 1; round <= 2; ++round) {
    for (std::uint64_t i = theirs.begin[0]; i < theirs.end[0]; i += page) {
      ASSERT_EQ(words[i], (round - 1) * (i + 1));
      words[i] += i + 1;
    }
  }
  if (space->ranks() > 1) {
    EXPECT_GE(space->counts().copies.evicted - evicted, 2 * 500 - CachePages());
    // Its own pages are written to by another rank meanwhile; and by shared memory those of the
    // rank that it reads are mapped here, too.
    EXPECT_LT(SharedMemoryResident(), before + (2 * 500 + 200) * space->options().page_bytes);
  }
  EXPECT_LE(space->counts().pages_in_cache, CachePages());
  Meet();
  for (std::uint64_t i = 0; i < count; i += page) ASSERT_EQ(words[i], 2 * (i + 1)) << i;
  EXPECT_TRUE(absl::IsResourceExhausted(space->Preload(std::as_bytes(words))) ||
              space->ranks() == 1);
  Meet();
}

TEST(Space, APageThatIsMadeResidentStaysUntilTheNextBarrier) {
  if (!IsBounded() || CachePages() < 8 || space->ranks() == 1)
    GTEST_SKIP() << "not without a cache";
  const std::uint64_t count = WordsOfPages(100);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const auto part = words.subspan(theirs.begin[0], theirs.end[0] - theirs.begin[0]);
  const std::uint64_t page = space->options().page_bytes / 8;
  const auto half = part.first(CachePages() / 2 * page);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(space->MakeResident(std::as_bytes(half), Access::kRead).ok());
    EXPECT_TRUE(absl::IsResourceExhausted(
        space->MakeResident(std::as_bytes(part.last(page)), Access::kRead)));
    (void)PagesFetchedToRead(part);
    EXPECT_EQ(PagesFetchedToRead(half), 0u);
    Meet();
  }
}

// A page at home that others hold is tracked, which a system call takes for an error.
TEST(Space, APageAtHomeIsMadeResidentForSystemCallsToo) {
  const auto words = Words(1, OnRank{0});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(words[0], 0u);
    Meet();
  }
  if (space->rank() == 0) {
    std::array<int, 2> ends;
    ASSERT_EQ(pipe(ends.data()), 0);
    const llcl::OwnedFd from(ends[0]), to(ends[1]);
    constexpr std::uint64_t kSent = 8;
    ASSERT_EQ(write(to.get(), &kSent, sizeof kSent), static_cast<ssize_t>(sizeof kSent));
    ASSERT_TRUE(space->MakeResident(std::as_bytes(words), Access::kWrite).ok());
    EXPECT_EQ(read(from.get(), words.data(), sizeof kSent), static_cast<ssize_t>(sizeof kSent));
  }
  Meet();
  EXPECT_EQ(words[0], 8u) << "and it counts as written";
  Meet();
}

TEST(Space, APageThatCameInTheBackgroundMakesRoomForOthers) {
  if (!IsBounded()) GTEST_SKIP() << "there is room";
  const auto words = Words(WordsOfPages(100), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const auto part = words.subspan(theirs.begin[0], theirs.end[0] - theirs.begin[0]);
  ASSERT_TRUE(space->StartPreload(std::as_bytes(part)).ok());
  EXPECT_EQ(part.back(), 0u) << "it finds room";
  Meet();
}

TEST(Space, ThreadsThatPreloadHalfACacheEachAllGoOn) {
  if (!IsBounded()) GTEST_SKIP() << "there is room";
  const auto words = Words(WordsOfPages(100), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const std::uint64_t page = space->options().page_bytes / 8;
  const std::uint64_t half = CachePages() / 2 * page;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t round = 0; round < 30; ++round) {
        const std::uint64_t first = (thread * 7 + round * 3) % 40 * page;
        const auto part = words.subspan(theirs.begin[0] + first, half);
        EXPECT_TRUE(space->Preload(std::as_bytes(part)).ok());
        EXPECT_TRUE(round % 5 != 0 || space->Acquire().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Meet();
}

TEST(Space, APageThatCannotBeMadeResidentIsNotKept) {
  if (!IsBounded() || space->ranks() == 1) GTEST_SKIP() << "there is room";
  const auto words = Words(WordsOfPages(100), Block{.count = space->ranks()});
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(
        absl::IsResourceExhausted(space->MakeResident(std::as_bytes(words), Access::kRead)));
    (void)PagesFetchedToRead(words);
    Meet();
  }
}

TEST(Space, OnlyThePartIsOverwrittenThoughRowsLieClose) {
  if (IsBounded()) GTEST_SKIP() << "needs room";
  const std::uint64_t columns = space->options().page_bytes;
  const ArrayShape shape = {{8, columns}, 1};
  const auto memory = space->Allocate(shape, OnRank{0});
  ASSERT_TRUE(memory.ok()) << memory.status();
  std::byte* const bytes = memory->data();
  if (space->rank() == 0) {
    for (std::uint64_t row = 0; row < 8; ++row) bytes[row * columns + columns - 1] = std::byte{7};
  }
  Meet();
  if (space->rank() == space->ranks() - 1) {
    ASSERT_TRUE(
        space->PreloadArray(bytes, shape, {{0, 0}, {8, columns - 1}}, Access::kOverwrite).ok());
    for (std::uint64_t row = 0; row < 8; ++row) bytes[row * columns] = std::byte{1};
  }
  Meet();
  for (std::uint64_t row = 0; row < 8; ++row) {
    EXPECT_EQ(bytes[row * columns + columns - 1], std::byte{7}) << row;
    EXPECT_EQ(bytes[row * columns], std::byte{1}) << row;
  }
  Meet();
}

TEST(Space, AWaiterIsCalledInsteadOfSleeping) {
  if (space->options().waiter == nullptr) GTEST_SKIP() << "there is none";
  const std::uint64_t count = WordsOfPages(100);
  const auto words = Words(count, Block{.count = space->ranks()});
  const std::uint64_t before = waits.load();
  (void)PagesFetchedToRead(words);
  if (space->ranks() > 1) {
    EXPECT_GT(waits.load(), before);
  }
  Meet();
}

TEST(Space, PreloadBringsARangeAtOnceAndThenNothingFaults) {
  if (IsBounded()) GTEST_SKIP() << "needs room";
  const std::uint64_t count = WordsOfPages(600);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = ~i;
  Meet();
  const CopyCounts before = space->counts().copies;
  ASSERT_TRUE(space->Preload(std::as_bytes(words)).ok());
  ASSERT_TRUE(space->Preload(std::as_bytes(words)).ok());
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], ~i);
  const CopyCounts after = space->counts().copies;
  EXPECT_EQ(after.faults, before.faults);
  EXPECT_EQ(after.pages_fetched - before.pages_fetched, Pages(count) - 600);
  EXPECT_EQ(after.fetches - before.fetches, static_cast<std::uint64_t>(space->ranks() - 1))
      << "one for each home";
  ASSERT_TRUE(space->Preload(std::as_bytes(words), Access::kWrite).ok());
  Meet();
}

TEST(Space, PreloadedForWritingItsChangesGoHome) {
  if (IsBounded()) GTEST_SKIP() << "needs room";
  const std::uint64_t count = WordsOfPages(8);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const auto part = words.subspan(theirs.begin[0], theirs.end[0] - theirs.begin[0]);
  ASSERT_TRUE(space->Preload(std::as_bytes(part), Access::kWrite).ok());
  const std::uint64_t before = space->counts().copies.faults;
  for (std::uint64_t i = 0; i < part.size(); i += 3) part[i] = theirs.begin[0] + i;
  EXPECT_EQ(space->counts().copies.faults, before);
  Meet();
  for (int rank = 0; rank < space->ranks(); ++rank) {
    const Bounds block = space->DistributionOf(words.data()).LocalBlock(rank);
    for (std::uint64_t i = block.begin[0]; i < block.end[0]; ++i) {
      ASSERT_EQ(words[i], (i - block.begin[0]) % 3 == 0 ? i : 0);
    }
  }
  Meet();
}

}  // namespace
}  // namespace dsm
