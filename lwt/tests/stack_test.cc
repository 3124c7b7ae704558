// Stacks: which of them keep memory when nothing runs on them.
#include "lwt/machine/stack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// How many pages of the uppermost `bytes` of a stack are in memory.
std::size_t ResidentPages(Stack& stack, std::size_t bytes) {
  const auto end = reinterpret_cast<std::uintptr_t>(stack.top()) / PageBytes() + 1;
  const std::size_t pages = bytes / PageBytes();
  std::vector<unsigned char> resident(pages);
  auto* const begin = reinterpret_cast<void*>((end - pages) * PageBytes());
  EXPECT_EQ(mincore(begin, pages * PageBytes(), resident.data()), 0);
  std::size_t count = 0;
  for (const unsigned char page : resident) count += page & 1;
  return count;
}

// Writes to all of the uppermost `bytes` below `stack`.
void Touch(Stack& stack, std::size_t bytes) {
  std::memset(static_cast<std::byte*>(stack.top()) - bytes, 1, bytes);
}

constexpr std::size_t kStackBytes = 64 << 10, kTouchedBytes = 12 << 10;

class GivenBack : public testing::TestWithParam<std::size_t> {};

TEST_P(GivenBack, FreeStacksBeyondTheBoundHaveNoPagesAndAreUsedAgain) {
  StackSlabs slabs(kStackBytes);
  std::vector<Stack*> stacks(GetParam());
  ASSERT_EQ(slabs.Take(stacks), stacks.size());
  for (Stack* stack : stacks) Touch(*stack, kTouchedBytes);
  // As workers do, some at a time, and not in the order in which they were made.
  std::shuffle(stacks.begin(), stacks.end(), std::mt19937(1));
  constexpr std::size_t kBatch = 50;
  for (std::size_t i = 0; i < stacks.size(); i += kBatch) {
    const std::size_t count = std::min(kBatch, stacks.size() - i);
    slabs.GiveBack(std::span(stacks).subspan(i, count));
  }
  std::size_t with_pages = 0;
  for (Stack* stack : stacks) with_pages += ResidentPages(*stack, kTouchedBytes) > 0;
  EXPECT_LE(with_pages, StackSlabs::kMostKept);
  EXPECT_GE(with_pages, std::min(stacks.size(), StackSlabs::kMostKept / 2))
      << "a pool that starts and ends some threads again and again gives no page back";

  std::vector<Stack*> again(stacks.size());
  ASSERT_EQ(slabs.Take(again), again.size());
  EXPECT_EQ(std::set(stacks.begin(), stacks.end()), std::set(again.begin(), again.end()));
  for (Stack* stack : again) Touch(*stack, kTouchedBytes);
  EXPECT_EQ(slabs.counts().made, static_cast<std::int64_t>(stacks.size()));
  EXPECT_EQ(slabs.counts().unguarded, 0);
  slabs.GiveBack(again);
}

INSTANTIATE_TEST_SUITE_P(Stacks, GivenBack,
                         testing::Values(1, 100, StackSlabs::kMostKept, StackSlabs::kMostKept + 1,
                                         5'000));

TEST(Stacks, FreeStacksWithinTheBoundKeepTheirPages) {
  StackSlabs slabs(kStackBytes);
  std::vector<Stack*> stacks(StackSlabs::kMostKept);
  ASSERT_EQ(slabs.Take(stacks), stacks.size());
  for (Stack* stack : stacks) Touch(*stack, kTouchedBytes);
  slabs.GiveBack(stacks);
  for (Stack* stack : stacks) EXPECT_GE(ResidentPages(*stack, kTouchedBytes), 3u);
}

// Of this process, in memory.
std::int64_t ResidentBytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::int64_t>(PageBytes());
}

TEST(Stacks, ThreadsThatWaitedAtOnceLeaveLittleMemoryInUse) {
  if (kSanitizersFollowStacks) GTEST_SKIP() << "sanitizers keep memory of their own of each stack";
  constexpr int kThreads = 20'000;
  constexpr std::int64_t kMegabyte = 1 << 20;
  const auto pool = MakePool(2);
  const std::int64_t before = ResidentBytes();
  std::int64_t waiting = 0;
  for (int round = 0; round < 3; ++round) {
    pool->Run([&] {
      std::atomic<int> ended{0};
      Event go;
      for (int i = 0; i < kThreads; ++i) {
        Spawn([&] {
          go.Wait();
          ++ended;
        }).Detach();
      }
      waiting = ResidentBytes();
      go.Set();
      while (ended < kThreads) Yield();
    });
    EXPECT_GT(waiting - before, 75 * kMegabyte) << "a page each";
    // Descriptors, 5 MB; the stacks that a pool and its workers keep, 6 MB.
    EXPECT_LT(ResidentBytes() - before, 30 * kMegabyte);
  }
}

TEST(Stacks, TheDefaultStackHoldsARegularExpressionOverFiveHundredCharacters) {
#if defined(LWT_ASAN)
  GTEST_SKIP() << "the sanitizer's frames are several times as large";
#endif
  const auto pool = MakePool(1);
  const std::string text(500, 'a');
  bool found = true;
  pool->Run([&] { Spawn([&] { found = std::regex_search(text, std::regex(".*b")); }).Join(); });
  EXPECT_FALSE(found);
}

}  // namespace
}  // namespace lwt
