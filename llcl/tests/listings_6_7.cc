// The paper's listings 6 and 7, between two processes. Three words differ from the print: a
// callback has the parameter that listing 1 gives it, flag.store has its value (in C++20 an order
// is no bool), and `while (/*...*/)` has a condition.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "llcl/listings.h"
#include "llcl/tests/job.h"

namespace {

using namespace llcl::listings;
using std::atomic;
using std::memory_order_acquire;
using std::memory_order_release;

constexpr int kReads = 500;
constexpr int kThreads = 3;

uint64_t get_clock() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Runs `f` on the first rank of two, with what reads a word of the second.
template <typename F>
void OnTheFirst(F f) {
  llcl::RunRanks(
      2, [](int) { return llcl::EndpointOptions(); },
      [&](llcl::Member& member) {
        ASSERT_EQ(member.size(), 2);
        const llcl::Region word = member.Allocate(8);
        const auto number = static_cast<std::uint64_t>(1000 + member.rank());
        std::memcpy(word.local().start, &number, sizeof number);
        const llcl::RemoteRegion there = member.Exchange(word).back();
        std::vector<std::uint64_t> words(kThreads * kReads);
        const llcl::Region here = member.Register(words);
        member.Barrier();
        if (member.rank() == 0) {
          Process process(member.endpoint());
          f(there, here.local());
        }
        member.Barrier();
        if (member.rank() != 0) return;
        for (const std::uint64_t read : words) EXPECT_TRUE(read == 0 || read == 1001) << read;
        EXPECT_EQ(words.front(), 1001u);
      });
}

read_params ReadOf(const llcl::RemoteRegion& there, const llcl::LocalRegion& here, size_t place,
                   void (*f)(void*)) {
  return {.src_proc = 1,
          .src_raddr = {.offset = 0, .region = there},
          .dest_laddr = {.offset = place * 8, .region = here},
          .size_in_bytes = 8,
          .on_complete = {f, nullptr}};
}

namespace listing_6 {
atomic<bool> flag;
void callback_func(void*) { flag.store(true, memory_order_release); }
}  // namespace listing_6

TEST(Listing6, ARequestReturnsNoLaterThanItsCallbackIsSeen) {
  OnTheFirst([](const llcl::RemoteRegion& there, const llcl::LocalRegion& here) {
    using namespace listing_6;
    for (size_t i = 0; i < kReads; ++i) {
      flag = false;
      uint64_t t0 = get_clock();
      while (!try_read_async(ReadOf(there, here, i, &callback_func))) {
        sched_yield();
      }
      uint64_t t1 = get_clock();
      while (!flag.load(memory_order_acquire)) {
        sched_yield();
      }
      uint64_t t2 = get_clock();
      EXPECT_LE(t0, t1);
      EXPECT_LE(t1, t2);
      std::uint64_t read = 0;
      std::memcpy(&read, here.start + i * 8, sizeof read);
      ASSERT_EQ(read, 1001u);
    }
  });
}

namespace listing_7 {
atomic<uint64_t> count;
void callback_func(void*) { count.fetch_add(1, memory_order_release); }
}  // namespace listing_7

TEST(Listing7, EachRequestOfSeveralThreadsIsCountedOnce) {
  OnTheFirst([](const llcl::RemoteRegion& there, const llcl::LocalRegion& here) {
    using namespace listing_7;
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (size_t i = 0; i < kReads; ++i) {
          while (!try_read_async(ReadOf(there, here, thread * kReads + i, &callback_func))) {
            sched_yield();
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    while (count.load(memory_order_acquire) < kThreads * kReads) sched_yield();
    EXPECT_EQ(count.load(), static_cast<uint64_t>(kThreads * kReads));
  });
}

}  // namespace
