// What a space promises, on each engine: each test is run by all ranks of a job that
// llclrun started.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "dsm/array.h"
#include "dsm/mutex.h"
#include "dsm/space.h"

namespace dsm {
namespace {

std::unique_ptr<Space> space;

std::span<std::uint64_t> Words(std::uint64_t count, const Mapping& mapping) {
  const auto memory = space->Allocate({{count}, 8}, mapping);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return {reinterpret_cast<std::uint64_t*>(memory->data()), count};
}
void Meet(Consistency consistency = Consistency::kFlush) {
  const absl::Status met = space->Barrier(consistency);
  ASSERT_TRUE(met.ok()) << met;
}
std::uint64_t Pages(std::uint64_t words) {
  return (words * 8 + space->options().page_bytes - 1) / space->options().page_bytes;
}
int Next() { return (space->rank() + 1) % space->ranks(); }
// So many words make so many pages a rank.
std::uint64_t WordsOfPages(std::uint64_t pages) {
  return pages * space->options().page_bytes / 8 * static_cast<std::uint64_t>(space->ranks());
}

TEST(Space, EachRankReadsWhatTheOthersHaveWritten) {
  const std::uint64_t count = WordsOfPages(10);
  const auto words = Words(count, Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; ++i) words[i] = i * i;
  EXPECT_EQ(space->counts().copies.faults, 0u) << "its own are at home";
  Meet();
  const SpaceCounts before = space->counts();
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i * i);
  const CopyCounts after = space->counts().copies;
  EXPECT_EQ(after.pages_fetched - before.copies.pages_fetched, Pages(count) - 10)
      << "each of the others' pages once";
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
  EXPECT_EQ(space->counts().copies.pages_fetched - before, Pages(count) - 16);
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

TEST(Space, PreloadBringsARangeAtOnceAndThenNothingFaults) {
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
  ASSERT_TRUE(array->Preload({{0, 0, 0}, array->extents()}).ok());
  for (std::uint64_t z = 0; z < 8 * ranks; ++z) {
    EXPECT_EQ((*array)(z, 4u, 6u), static_cast<int>(z * 100 + 46));
    EXPECT_EQ(&(*array)(z, 1u, 2u), array->data() + z * 35 + 9);
  }
  EXPECT_EQ(array->HomeOf((*array)(0u, 0u, 0u)), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(array->Preload({{0, 0}, {1, 1}})));
  Meet();
}

TEST(Space, AtomicsOfAllRanksAndThreadsLoseNothing) {
  const auto words = Words(static_cast<std::uint64_t>(space->ranks()),
                           BlockMapping{.divisions = {1}, .first = space->ranks() - 1, .count = 1});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto before = space->Atomic<std::uint64_t>(&words[0], llcl::AtomicOp::kAdd, 1);
        if (!before.ok()) ADD_FAILURE() << before.status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Meet();
  const auto sum = space->Atomic<std::uint64_t>(&words[0], llcl::AtomicOp::kAdd, 0);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(*sum, 600u * static_cast<std::uint64_t>(space->ranks()));
  Meet();
}

// Plain counters, on one page and on several ranks' pages, under a lock.
TEST(Space, UnderAMutexEachSeesWhatTheLastHasWritten) {
  const auto counters = Words(WordsOfPages(1), Block{.count = space->ranks()});
  auto mutex = Mutex::Make(*space, space->ranks() - 1);
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        absl::Status status = mutex->Lock();
        for (std::uint64_t at = 0; at < counters.size(); at += 100) ++counters[at];
        status.Update(mutex->Unlock());
        if (!status.ok()) ADD_FAILURE() << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Meet();
  for (std::uint64_t at = 0; at < counters.size(); at += 100) {
    ASSERT_EQ(counters[at], 60u * static_cast<std::uint64_t>(space->ranks())) << at;
  }
  Meet();
}

// The first rank is in a barrier already when another waits for the lock that one of its
// threads holds, and comes only then.
TEST(Space, AThreadUnlocksWhileItsRankIsInABarrier) {
  const auto signal = Words(1, OnRank{0});
  auto mutex = Mutex::Make(*space, 0);
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  std::thread holder;
  if (space->rank() == 0) {
    ASSERT_TRUE(mutex->Lock().ok());
    holder = std::thread([&] {
      while (space->ranks() > 1) {
        const auto asked = space->Atomic<std::uint64_t>(signal.data(), llcl::AtomicOp::kAdd, 0);
        if (!asked.ok() || *asked > 0) break;
      }
      EXPECT_TRUE(mutex->Unlock().ok());
    });
  } else {
    EXPECT_TRUE(space->Atomic<std::uint64_t>(signal.data(), llcl::AtomicOp::kAdd, 1).ok());
    EXPECT_TRUE(mutex->Lock().ok());
    EXPECT_TRUE(mutex->Unlock().ok());
  }
  Meet();
  if (holder.joinable()) holder.join();
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

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dsm::SpaceOptions options;
  const std::string engine = argc > 1 ? argv[1] : "automatic";
  for (const dsm::EngineKind kind : {dsm::EngineKind::kUserfaultfd, dsm::EngineKind::kSegv}) {
    if (engine == NameOf(kind)) options.engine = kind;
  }
  if (argc > 2) options.page_bytes = std::strtoull(argv[2], nullptr, 10);
  auto space = dsm::Space::Join(options);
  if (!space.ok()) {
    std::fprintf(stderr, "%s\n", space.status().ToString().c_str());
    return 1;
  }
  dsm::space = *std::move(space);
  const int result = RUN_ALL_TESTS();
  dsm::space.reset();
  return result;
}
