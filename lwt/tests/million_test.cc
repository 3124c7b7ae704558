// A million threads that wait at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

namespace lwt {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kBytesEach = 5'100;  // a page, a descriptor, page tables

std::int64_t AvailableBytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  std::int64_t kilobytes = 0;
  while (meminfo >> name >> kilobytes >> unit) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

TEST(Million, AMillionThreadsWaitAtOnceAndAllEnd) {
  if (AvailableBytes() < kMillion * kBytesEach * 3 / 2) {
    GTEST_SKIP() << "needs " << kMillion * kBytesEach * 3 / 2 << " bytes of memory";
  }
  const auto pool = MakePool(1);
  std::int64_t ended = 0;
  pool->Run([&] {
    std::vector<Suspended> waiting;
    std::vector<Thread> threads;
    waiting.reserve(kMillion);
    threads.reserve(kMillion);
    for (std::int64_t i = 0; i < kMillion; ++i) {
      threads.push_back(Spawn([&] {
        Suspend("the others", [&](Suspended self) { waiting.push_back(self); });
        ++ended;
      }));
    }
    EXPECT_EQ(waiting.size(), std::size_t{kMillion});
    for (const Suspended& thread : waiting) thread.Resume();
    for (Thread& thread : threads) thread.Join();
  });
  EXPECT_EQ(ended, kMillion);
  std::printf("%lld stacks, %lld without a guard\n", static_cast<long long>(pool->stacks().made),
              static_cast<long long>(pool->stacks().unguarded));
}

}  // namespace
}  // namespace lwt
