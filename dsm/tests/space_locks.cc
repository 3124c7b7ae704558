// Locks and atomics, and threads that touch pages meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "dsm/mutex.h"
#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

// What a thread has written it reads, though another drops all copies meanwhile.
TEST(Space, AThreadReadsWhatItWroteWhileAnotherTakesLocks) {
  const auto words = Words(WordsOfPages(1), OnRank{space->ranks() - 1});
  auto mutex = Mutex::Make(*space, 0);
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  std::atomic<bool> ends{false};
  std::thread locker([&] {
    while (!ends.load()) {
      absl::Status status = mutex->Lock().status();
      status.Update(mutex->Unlock());
      if (!status.ok()) ADD_FAILURE() << status;
    }
  });
  std::uint64_t& word = words[static_cast<std::size_t>(space->rank())];
  for (std::uint64_t i = 0; i < 2000; ++i) {
    *const_cast<volatile std::uint64_t*>(&word) = i;
    ASSERT_EQ(*const_cast<volatile std::uint64_t*>(&word), i);
  }
  ends.store(true);
  locker.join();
  Meet();
}

// A thread that touches pages waits for memory while another drops them, which waits for the page.
TEST(Space, ThreadsThatTouchAndThreadsThatDropAllGoOn) {
  const auto words = Words(WordsOfPages(12), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(words.data()).LocalBlock(Next());
  const std::uint64_t page = space->options().page_bytes / 8;
  std::atomic<bool> ends{false};
  std::thread dropping([&] {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(space->Acquire().ok());
    ends.store(true);
  });
  std::vector<std::thread> touching;
  for (std::uint64_t thread = 0; thread < 2; ++thread) {
    touching.emplace_back([&, thread] {
      std::uint64_t sum = 0;
      for (std::uint64_t i = thread; !ends.load(); ++i)
        sum += words[theirs.begin[0] + i % 12 * page];
      EXPECT_EQ(sum, 0u);
    });
  }
  dropping.join();
  for (std::thread& thread : touching) thread.join();
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

// Words beside each other, which share the four bytes that the network changes.
TEST(Space, AnAtomicOfAWordThatIsNotAlignedOrNotAllocatedIsRefused) {
  const auto words = Words(1, OnRank{0});
  const auto add = [](std::uintptr_t at) {
    return space->Atomic(reinterpret_cast<std::uint32_t*>(at), llcl::AtomicOp::kAdd, 1u).status();
  };
  const auto begin = reinterpret_cast<std::uintptr_t>(words.data());
  EXPECT_TRUE(absl::IsInvalidArgument(add(begin + 2)));
  std::uint32_t word = 0;
  EXPECT_TRUE(absl::IsOutOfRange(add(reinterpret_cast<std::uintptr_t>(&word))));
  EXPECT_TRUE(absl::IsOutOfRange(add(begin + space->options().bytes / 2 / 8 * 8)));
  EXPECT_EQ(add(begin), absl::OkStatus());
  Meet();
}

TEST(Space, AtomicsOfOneAndTwoBytesLoseNothingBesideEachOther) {
  const auto words = Words(1, OnRank{space->ranks() - 1});
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
  auto* const halves = reinterpret_cast<std::int16_t*>(words.data());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        if (thread < 2) {
          const auto before = space->Atomic<std::uint8_t>(&bytes[thread], llcl::AtomicOp::kAdd, 1);
          if (!before.ok()) ADD_FAILURE() << before.status();
        } else {
          const auto before = space->Atomic<std::int16_t>(&halves[1], llcl::AtomicOp::kAdd, -1);
          if (!before.ok()) ADD_FAILURE() << before.status();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Meet();
  const int all = 50 * space->ranks();
  EXPECT_EQ(space->Atomic<std::uint8_t>(&bytes[0], llcl::AtomicOp::kAdd, 0).value(), all % 256);
  EXPECT_EQ(space->Atomic<std::uint8_t>(&bytes[1], llcl::AtomicOp::kAdd, 0).value(), all % 256);
  EXPECT_EQ(space->Atomic<std::int16_t>(&halves[1], llcl::AtomicOp::kAdd, 0).value(), -all);
  const auto* const odd = reinterpret_cast<const std::int16_t*>(&bytes[1]);
  EXPECT_EQ(space->Atomic<std::int16_t>(const_cast<std::int16_t*>(odd), llcl::AtomicOp::kAdd, 1)
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
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
        absl::Status status = mutex->Lock().status();
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

// Each thread asks again at once. (Before, a thread that polled under a lock got it some hundred
// times before another.)
TEST(Space, AThreadThatWaitsForTheLockIsPassedByABoundedNumberOfOthers) {
  constexpr int kThreads = 3, kEach = 40;
  auto mutex = Mutex::Make(*space, space->ranks() - 1);
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  std::atomic<std::uint64_t> most{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const absl::StatusOr<Locked> locked = mutex->Lock();
        ASSERT_TRUE(locked.ok()) << locked.status();
        EXPECT_EQ(locked->left_inconsistent_by, -1);
        std::uint64_t before = most;
        while (before < locked->served_before &&
               !most.compare_exchange_weak(before, locked->served_before)) {
        }
        ASSERT_TRUE(mutex->Unlock().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Each thread that waits longer is passed so often and then served, in one turn or two; in each
  // turn of this rank all others have had one.
  const Cohort::Bounds bounds;
  const std::uint64_t here = kThreads * (bounds.most_passed + 1);
  const std::uint64_t turns = here / bounds.most_served + 2;
  EXPECT_LE(most, here + turns * static_cast<std::uint64_t>(space->ranks() - 1));
  Meet();
}

// A litmus test that starved: all ranks poll a word under the lock until the last has written it.
TEST(Space, AWriterIsNotStarvedByThoseThatPollUnderTheLock) {
  const auto word = Words(1, OnRank{0});
  auto mutex = Mutex::Make(*space, 0, std::as_bytes(word));
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  const auto others = static_cast<std::uint64_t>(space->ranks() - 1);
  for (std::uint64_t round = 1; round <= 10; ++round) {
    const bool writes = round % static_cast<std::uint64_t>(space->ranks()) ==
                        static_cast<std::uint64_t>(space->rank());
    for (bool sees = false; !sees;) {
      const absl::StatusOr<Locked> locked = mutex->Lock();
      ASSERT_TRUE(locked.ok()) << locked.status();
      EXPECT_LE(locked->served_before, others);
      if (writes) word[0] = round;
      sees = word[0] >= round;
      ASSERT_TRUE(mutex->Unlock().ok());
    }
  }
  Meet();
}

TEST(Space, ALockThatProtectsSomeMemoryDropsNoOtherCopies) {
  const auto all = Words(WordsOfPages(2), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(all.data()).LocalBlock(Next());
  const auto next = all.subspan(theirs.begin[0], theirs.end[0] - theirs.begin[0]);
  const std::uint64_t page = space->options().page_bytes / 8;
  // Each rank has one for the first page of its next.
  std::vector<Mutex> mutexes;
  for (int rank = 0; rank < space->ranks(); ++rank) {
    const Bounds block = space->DistributionOf(all.data()).LocalBlock(rank);
    auto mutex = Mutex::Make(*space, rank, std::as_bytes(all.subspan(block.begin[0], page)));
    ASSERT_TRUE(mutex.ok()) << mutex.status();
    mutexes.push_back(*mutex);
  }
  Mutex& mutex = mutexes[static_cast<std::size_t>(Next())];
  Meet();
  (void)PagesFetchedToRead(next);
  ASSERT_TRUE(mutex.Lock().ok());
  if (space->ranks() > 1 && !IsBounded()) {
    EXPECT_EQ(PagesFetchedToRead(next), 1u) << "what it protects comes again, and nothing else";
  }
  next[1] = 5;
  ASSERT_TRUE(mutex.Unlock().ok());
  Meet();
  EXPECT_EQ(all[space->DistributionOf(all.data()).LocalBlock(space->rank()).begin[0] + 1], 5u);
  EXPECT_FALSE(Mutex::Make(*space, space->ranks()).ok());
  EXPECT_FALSE(Mutex::Make(*space, -1).ok());
  std::byte elsewhere{};
  EXPECT_FALSE(Mutex::Make(*space, 0, {&elsewhere, 1}).ok());
  EXPECT_EQ(mutex.Unlock().code(), absl::StatusCode::kFailedPrecondition) << "nobody has it";
  Meet();
}

// A store faults where its page was not written since the release before the last, and no more.
TEST(Space, AReleaseSendsWhatIsNewAndLeavesThePageWritable) {
  const auto all = Words(WordsOfPages(2), Block{.count = space->ranks()});
  const Bounds theirs = space->DistributionOf(all.data()).LocalBlock(Next());
  const auto word = all.subspan(theirs.begin[0], 1);
  const auto faults_of_writing = [&](std::uint64_t value) {
    const std::uint64_t before = space->counts().copies.faults;
    word[0] = value;
    return space->counts().copies.faults - before;
  };
  Meet();
  std::uint64_t faults = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    faults += faults_of_writing(i);
    ASSERT_TRUE(space->Release(std::as_bytes(word)).ok());
    const auto at_home = space->Atomic<std::uint64_t>(word.data(), llcl::AtomicOp::kAdd, 0);
    ASSERT_TRUE(at_home.ok()) << at_home.status();
    ASSERT_EQ(*at_home, i);
  }
  if (space->ranks() > 1 && !IsBounded()) {
    EXPECT_EQ(faults, 1u);
    ASSERT_TRUE(space->Release().ok());
    EXPECT_EQ(faults_of_writing(101), 1u) << "it was clean";
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

}  // namespace
}  // namespace dsm
