#include "llcl/region/living_thread.h"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace llcl {
namespace {

// The numbers of threads that live at the same time.
std::multiset<int> NumbersOf(int threads) {
  std::multiset<int> numbers;
  std::mutex mutex;
  std::latch all(threads);
  std::vector<std::thread> living;
  for (int i = 0; i < threads; ++i) {
    living.emplace_back([&] {
      const int number = LivingThreadNumber();
      EXPECT_EQ(LivingThreadNumber(), number);
      {
        const std::scoped_lock lock(mutex);
        numbers.insert(number);
      }
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : living) thread.join();
  return numbers;
}

TEST(LivingThread, ThreadsThatLiveHaveNumbersOfTheirOwnWhoeverHasLivedBefore) {
  for (int times = 0; times < 5; ++times) {
    const std::multiset<int> numbers = NumbersOf(100);
    EXPECT_EQ(std::set<int>(numbers.begin(), numbers.end()).size(), 100u);
    EXPECT_GE(*numbers.begin(), 1);
    EXPECT_LE(*numbers.rbegin(), kMostLivingThreads);
  }
}

TEST(LivingThread, WithTooManyThreadsSomeHaveNoNumberAndNoneHasThatOfAnother) {
  std::multiset<int> numbers = NumbersOf(kMostLivingThreads + 20);
  // This thread may have one.
  EXPECT_GE(numbers.count(0), 20u);
  EXPECT_LE(numbers.count(0), 21u);
  numbers.erase(0);
  EXPECT_EQ(std::set<int>(numbers.begin(), numbers.end()).size(), numbers.size());
  EXPECT_EQ(NumbersOf(10).count(0), 0u) << "threads that have ended keep no number";
}

}  // namespace
}  // namespace llcl
