// One memory: what is written is read, by whoever, wherever it is at home.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dsm/array.h"
#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

// All have the same number of pages, so that the tests after it have the same memory.
TEST(Space, RanksThatAllocateDifferentMemoryGetAnErrorThatSaysSo) {
  const std::uint64_t bytes = space->rank() == 0 ? 8 : 9;
  const auto memory = space->Allocate({{bytes}, 1}, OnRank{0});
  if (space->ranks() == 1) {
    EXPECT_TRUE(memory.ok()) << memory.status();
    return;
  }
  EXPECT_EQ(memory.status(),
            absl::FailedPreconditionError(
                "rank 1 has allocated another size than rank 0, or by another mapping"));
}

TEST(Space, EachRankReadsWhatTheOthersHaveWritten) {
  const std::uint64_t count = WordsOfPages(10);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  const std::uint64_t faults = space->counts().copies.faults;
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i * i;
  EXPECT_EQ(space->counts().copies.faults, faults) << "its own are at home";
  Meet();
  const SpaceCounts before = space->counts();
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i * i);
  const CopyCounts after = space->counts().copies;
  if (IsBounded()) {
    EXPECT_LE(space->counts().pages_in_cache, CachePages());
  } else {
    EXPECT_EQ(after.pages_fetched - before.copies.pages_fetched, Pages(count) - 10)
        << "each of the others' pages once";
  }
  Meet();
}

TEST(Space, ThreadsThatTouchAPageTogetherFetchItOnce) {
  const std::uint64_t count = WordsOfPages(16);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i + 1;
  Meet();
  const std::uint64_t before = space->counts().copies.pages_fetched;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (words[i] != i + 1) ADD_FAILURE() << "torn or stale at " << i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!IsBounded()) {
    EXPECT_EQ(space->counts().copies.pages_fetched - before, Pages(count) - 16);
  }
  Meet();
}

// The system does the same with memory that it swaps out. (Before, a thread that touched it then
// faulted for ever.)
TEST(Space, PagesWhoseMappingsTheSystemTakesComeBack) {
  const std::uint64_t count = WordsOfPages(8);
  const auto words = Words(count, Block{.count = space->ranks()});
  const auto takes_mappings = [&] {
    const std::span<std::byte> bytes = std::as_writable_bytes(words);
    ASSERT_EQ(madvise(bytes.data(), bytes.size(), MADV_DONTNEED), 0);
  };
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i;
  Meet();
  const auto sum = [&] { return std::accumulate(words.begin(), words.end(), std::uint64_t{0}); };
  EXPECT_EQ(sum(), count * (count - 1) / 2);
  takes_mappings();
  EXPECT_EQ(sum(), count * (count - 1) / 2);
  // Each rank writes one word of each page, with a mapping, and another after it is gone.
  const auto ranks = static_cast<std::uint64_t>(space->ranks()),
             rank = static_cast<std::uint64_t>(space->rank());
  const std::uint64_t page = space->options().page_bytes / 8;
  Meet();
  for (std::uint64_t first = 0; first < count; first += page) words[first + rank] = first;
  takes_mappings();
  for (std::uint64_t first = 0; first < count; first += page) {
    EXPECT_EQ(words[first + rank], first);
    words[first + ranks + rank] = first + 1;
  }
  takes_mappings();
  Meet();
  for (std::uint64_t first = 0; first < count; first += page) {
    for (std::uint64_t other = 0; other < ranks; ++other) {
      ASSERT_EQ(words[first + other], first);
      ASSERT_EQ(words[first + ranks + other], first + 1);
    }
  }
  Meet();
}

TEST(Space, RanksThatWriteDifferentWordsOfAPageKeepAll) {
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  const std::uint64_t count = WordsOfPages(4);
  const auto words = Words(count, Cyclic{.pages = 1, .count = space->ranks()});
  for (std::uint64_t i = static_cast<std::uint64_t>(space->rank()); i < count; i += ranks) {
    words[i] = 1000 * i + static_cast<std::uint64_t>(space->rank());
  }
  Meet();
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], 1000 * i + i % ranks) << i;
  if (space->ranks() > 1) {
    EXPECT_GT(space->counts().diff_messages, 0u);
  }
  Meet();
}

// A list whose nodes are of all ranks: its pointers mean the same everywhere.
TEST(Space, PointersMeanTheSameOnAllRanks) {
  struct Node {
    Node* next;
    std::uint64_t value;
  };
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  std::vector<Node*> nodes;
  for (std::uint64_t i = 0; i < 3 * ranks; ++i) {
    const auto memory = space->Allocate({{1}, sizeof(Node)}, OnRank{static_cast<int>(i % ranks)});
    ASSERT_TRUE(memory.ok()) << memory.status();
    nodes.push_back(reinterpret_cast<Node*>(memory->data()));
  }
  // Each node is written by a rank that is not its home, where there is another.
  for (std::uint64_t i = 0; i < nodes.size(); ++i) {
    if ((i + 1) % ranks != static_cast<std::uint64_t>(space->rank())) continue;
    nodes[i]->value = i;
    nodes[i]->next = i + 1 < nodes.size() ? nodes[i + 1] : nullptr;
  }
  Meet();
  std::uint64_t sum = 0;
  for (const Node* node = nodes[0]; node != nullptr; node = node->next) sum += node->value;
  EXPECT_EQ(sum, nodes.size() * (nodes.size() - 1) / 2);
  Meet();
}

TEST(Space, AnArrayIsUsedByItsIndices) {
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  const auto array =
      MakeArray<int>(*space, {8 * ranks, 5, 7},
                     BlockMapping{.divisions = {ranks, 1, 1}, .first = 0, .count = space->ranks()});
  ASSERT_TRUE(array.ok()) << array.status();
  const Bounds mine = array->LocalBlock(space->rank());
  EXPECT_EQ(mine.elements(), 8u * 5 * 7);
  for (std::uint64_t z = mine.begin[0]; z < mine.end[0]; ++z) {
    for (std::uint64_t y = 0; y < 5; ++y) {
      for (std::uint64_t x = 0; x < 7; ++x) {
        (*array)(z, y, x) = static_cast<int>(z * 100 + y * 10 + x);
      }
    }
  }
  Meet();
  if (!IsBounded()) {
    ASSERT_TRUE(array->Preload({{0, 0, 0}, array->extents()}).ok());
  }
  for (std::uint64_t z = 0; z < 8 * ranks; ++z) {
    EXPECT_EQ((*array)(z, 4u, 6u), static_cast<int>(z * 100 + 46));
    EXPECT_EQ(&(*array)(z, 1u, 2u), array->data() + z * 35 + 9);
  }
  EXPECT_EQ(array->HomeOf((*array)(0u, 0u, 0u)), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(array->Preload({{0, 0}, {1, 1}})));
  Meet();
}

// Programs without races, against what one rank would compute: each phase gives each word
// to one rank to write, and then each rank looks at some.
TEST(Space, DoesAsOneMemoryWould) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto ranks = static_cast<std::uint64_t>(space->ranks());
    const std::uint64_t count = WordsOfPages(3);
    const Mapping mappings[] = {Block{.count = space->ranks()},
                                Cyclic{.pages = 1, .count = space->ranks()}, OnRank{0}};
    const auto words = Words(count, mappings[seed % 3]);
    std::vector<std::uint64_t> oracle(count);
    std::mt19937 random(seed);
    for (int phase = 0; phase < 12; ++phase) {
      const std::uint64_t step = 1 + random() % 40;
      const std::uint64_t shift = random();
      for (std::uint64_t i = random() % step; i < count; i += step) {
        const std::uint64_t value = random();
        oracle[i] = value;
        if ((i + shift) % ranks == static_cast<std::uint64_t>(space->rank())) words[i] = value;
      }
      Meet();
      std::mt19937 own(seed * 1000 + static_cast<std::uint32_t>(phase * 10 + space->rank()));
      for (int look = 0; look < 300; ++look) {
        const std::uint64_t i = own() % count;
        ASSERT_EQ(words[i], oracle[i]) << "word " << i << " in phase " << phase;
      }
      Meet(Consistency::kKeep);  // All have looked before anybody writes.
    }
  }
}

TEST(Space, ThreadsComeAndGoWhileTheyFault) {
  const std::uint64_t count = WordsOfPages(50);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i;
  Meet();
  for (int round = 0; round < 40; ++round) {
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = (thread * 17 + static_cast<std::uint64_t>(round) * 512) % count;
             i < count; i += 4096) {
          if (words[i] != i) ADD_FAILURE() << i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  Meet();
}

TEST(Space, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(absl::IsInvalidArgument(space->Allocate({{0}, 8}, OnRank{0}).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(
      space->Allocate({{space->options().bytes + 1}, 1}, OnRank{0}).status()));
  int local = 0;
  EXPECT_TRUE(absl::IsOutOfRange(space->Preload(std::as_bytes(std::span(&local, 1)))));
  const auto end = reinterpret_cast<const std::byte*>(space->options().base) +
                   space->options().bytes - space->options().page_bytes;
  EXPECT_TRUE(absl::IsOutOfRange(space->Preload({end, 1})));
  Meet();
}

}  // namespace
}  // namespace dsm
