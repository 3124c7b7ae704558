// Memory whose pages are at home on the rank that touches them first.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dsm/layout/first_touch.h"
#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

// With these options homes are as by Block.
bool IsByBlock() { return space->options().finds_races || space->options().home_bytes > 0; }

std::uint64_t PageWords() { return space->options().page_bytes / 8; }

// Each rank takes part, with what it knows.
void ExpectAllKnowOneHome(std::span<const std::uint64_t> words) {
  const std::uint64_t pages = Pages(words.size());
  const auto known =
      Words(pages * static_cast<std::uint64_t>(space->ranks()), Block{.count = space->ranks()});
  const auto mine = known.subspan(pages * static_cast<std::uint64_t>(space->rank()), pages);
  for (std::uint64_t page = 0; page < pages; ++page) {
    mine[page] = static_cast<std::uint64_t>(space->HomeOf(&words[page * PageWords()]) + 1);
  }
  Meet();
  for (std::uint64_t page = 0; page < pages; ++page) {
    EXPECT_NE(mine[page], 0u);
    for (std::uint64_t rank = 0; rank < static_cast<std::uint64_t>(space->ranks()); ++rank) {
      EXPECT_EQ(known[rank * pages + page], mine[page]) << "page " << page;
    }
  }
  Meet();
}

TEST(FirstTouch, PagesAreAtHomeWhereTheyAreTouchedFirst) {
  const std::uint64_t count = WordsOfPages(6);
  const auto words = Words(count, FirstTouch{});
  const auto ranks = static_cast<std::uint64_t>(space->ranks()),
             rank = static_cast<std::uint64_t>(space->rank());
  const SpaceCounts before = space->counts();
  // Not as by Block.
  for (std::uint64_t page = rank; page < Pages(count); page += ranks) {
    for (std::uint64_t i = 0; i < PageWords(); ++i) words[page * PageWords() + i] = page + i;
  }
  Meet();
  if (!IsByBlock()) {
    EXPECT_EQ(space->counts().copies.pages_fetched, before.copies.pages_fetched);
    EXPECT_EQ(space->counts().diff_messages, before.diff_messages) << "all were at home";
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(words[i], i / PageWords() + i % PageWords());
  }
  for (std::uint64_t page = 0; page < Pages(count) && !IsByBlock(); ++page) {
    EXPECT_EQ(space->HomeOf(&words[page * PageWords()]), static_cast<int>(page % ranks));
  }
  Meet();
}

TEST(FirstTouch, RanksAndThreadsThatTouchPagesTogetherKeepAllWrites) {
  constexpr std::uint64_t kThreads = 2;
  const std::uint64_t count = WordsOfPages(8);
  const auto words = Words(count, FirstTouch{});
  const std::uint64_t rank = static_cast<std::uint64_t>(space->rank()),
                      writers = kThreads * static_cast<std::uint64_t>(space->ranks());
  ASSERT_LE(writers, PageWords());
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, writer = rank * kThreads + thread] {
      for (std::uint64_t page = 0; page < Pages(count); ++page) {
        words[page * PageWords() + writer] = page + writer + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Meet();
  for (std::uint64_t page = 0; page < Pages(count); ++page) {
    for (std::uint64_t writer = 0; writer < writers; ++writer) {
      ASSERT_EQ(words[page * PageWords() + writer], page + writer + 1);
    }
  }
  ExpectAllKnowOneHome(words);
}

TEST(FirstTouch, PreloadsAndAtomicsTouchPages) {
  const std::uint64_t count = WordsOfPages(2);
  const auto words = Words(count, FirstTouch{});
  if (!IsByBlock()) {
    EXPECT_EQ(space->HomeOf(words.data()), kNoHome);
  }
  Meet(Consistency::kKeep);
  ASSERT_TRUE(space->Atomic<std::uint64_t>(words.data(), llcl::AtomicOp::kAdd, 1).ok());
  EXPECT_NE(space->HomeOf(words.data()), kNoHome);
  for (std::uint64_t page = 0; page < Pages(count); ++page) {
    // One by one, as a small cache has no room for more.
    EXPECT_TRUE(space->Preload(std::as_bytes(words.subspan(page * PageWords(), 1))).ok());
    EXPECT_NE(space->HomeOf(&words[page * PageWords()]), kNoHome);
  }
  Meet();
  EXPECT_EQ(words[0], static_cast<std::uint64_t>(space->ranks()));
  ExpectAllKnowOneHome(words);
}

// Where another rank had them at home before.
TEST(FirstTouch, MemoryThatWasFreedHasNoHomesWhenItIsAllocatedAnew) {
  const std::uint64_t count = WordsOfPages(3);
  for (int round = 0; round < 3; ++round) {
    const auto words = Words(count, FirstTouch{});
    const int first = (space->rank() + round) % space->ranks();
    const std::uint64_t begin = static_cast<std::uint64_t>(first) * 3 * PageWords();
    for (std::uint64_t i = begin; i < begin + 3 * PageWords(); ++i) {
      ASSERT_EQ(words[i], 0u);
      words[i] = i + 1;
    }
    if (!IsByBlock()) {
      EXPECT_EQ(space->HomeOf(&words[begin]), space->rank());
    }
    Meet();
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 1);
    Meet(Consistency::kKeep);
    ASSERT_TRUE(space->Free(std::as_bytes(words)).ok());
  }
}

TEST(FirstTouch, ACheckpointBringsTheHomesBack) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/first_touch-" +
                           std::to_string(getppid());
  const std::uint64_t count = WordsOfPages(4), page_words = PageWords();
  const auto words = Words(count, FirstTouch{});
  const auto ranks = static_cast<std::uint64_t>(space->ranks()),
             next = static_cast<std::uint64_t>(Next());
  // The first half of the pages; each rank touches those of the next in a Block's order.
  const auto fill = [&](std::uint64_t from, std::uint64_t to, std::uint64_t add) {
    for (std::uint64_t page = from; page < to; ++page) {
      if (page % ranks != next) continue;
      for (std::uint64_t i = 0; i < page_words; ++i) words[page * page_words + i] = page + add;
    }
  };
  fill(0, 2 * ranks, 7);
  ASSERT_TRUE(space->Save(path).ok());
  fill(0, 4 * ranks, 8);
  Meet();
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i / page_words + 8);
  Meet(Consistency::kKeep);
  const absl::Status restored = space->Restore(path);
  ASSERT_TRUE(restored.ok()) << restored;
  for (std::uint64_t page = 0; page < 2 * ranks && !IsByBlock(); ++page) {
    if (page % ranks == next) {
      EXPECT_EQ(space->HomeOf(&words[page * page_words]), space->rank());
    }
  }
  if (!IsByBlock()) {
    EXPECT_EQ(space->HomeOf(&words[2 * ranks * page_words]), kNoHome);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(words[i], i < 2 * ranks * page_words ? i / page_words + 7 : 0u);
  }
  Meet();
}

// The files say which pages they have, and not where these would be at home now.
TEST(FirstTouch, ACheckpointIsNotRestoredToOtherHomes) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/other_homes-" +
                           std::to_string(getppid());
  const std::uint64_t count = WordsOfPages(2);
  const auto touched = Words(count, FirstTouch{});
  touched[static_cast<std::uint64_t>(Next()) * 2 * PageWords()] = 1;
  ASSERT_TRUE(space->Save(path).ok());
  ASSERT_TRUE(space->Free(std::as_bytes(touched)).ok());
  const auto dealt = Words(count, Block{.count = space->ranks()});
  ASSERT_EQ(dealt.data(), touched.data());
  if (!IsByBlock()) {
    EXPECT_TRUE(absl::IsFailedPrecondition(space->Restore(path)));
  }
  Meet();
}

TEST(FirstTouch, MemoryThatWasNeverTouchedTakesNoneWhenItIsFreed) {
  const auto shared_bytes = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("RssShmem:")) return std::stoull(line.substr(9)) * 1024;
    }
    return 0ull;
  };
  const std::uint64_t bytes = space->options().bytes / 8;
  const auto words = Words(bytes / 8, FirstTouch{});
  const auto before = shared_bytes();
  ASSERT_TRUE(space->Free(std::as_bytes(words)).ok());
  EXPECT_LT(shared_bytes(), before + (1u << 20));
  Meet();
}

TEST(FirstTouch, TheDistributionIsABlocks) {
  const auto words = Words(WordsOfPages(2), FirstTouch{}),
             others = Words(WordsOfPages(2), Block{.count = space->ranks()});
  for (int rank = 0; rank < space->ranks(); ++rank) {
    EXPECT_EQ(space->DistributionOf(words.data()).LocalBlock(rank),
              space->DistributionOf(others.data()).LocalBlock(rank));
  }
  Meet();
}

}  // namespace
}  // namespace dsm
