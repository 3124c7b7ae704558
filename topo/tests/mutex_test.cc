#include "topo/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "topo/spin_lock.h"

namespace topo {
namespace {

template <typename M>
class AMutex : public testing::Test {};
using Mutexes = testing::Types<Mutex, SpinLock>;
TYPED_TEST_SUITE(AMutex, Mutexes);

template <typename M>
struct Count {
  M mutex;
  int count ABSL_GUARDED_BY(mutex) = 0;
};

TYPED_TEST(AMutex, LetsOneThreadInAtATime) {
  constexpr int kThreads = 4, kRounds = 10'000;
  Count<TypeParam> shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const Lock lock(shared.mutex);
        ++shared.count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Lock lock(shared.mutex);
  EXPECT_EQ(shared.count, kThreads * kRounds);
}

TYPED_TEST(AMutex, IsFreeAfterItsLockHasEndedOrLetItGo) {
  TypeParam mutex;
  const auto is_free = [&] {
    if (!mutex.TryLock()) return false;
    mutex.Unlock();
    return true;
  };
  {
    UniqueLock lock(mutex);
    EXPECT_FALSE(is_free());
    lock.Unlock();
    EXPECT_TRUE(is_free());
    lock.Lock();
    EXPECT_FALSE(is_free());
  }
  EXPECT_TRUE(is_free());
  {
    UniqueLock lock(mutex);
    lock.Unlock();
  }
  EXPECT_TRUE(is_free());
}

TEST(AConditionVariable, LetsTheMutexGoWhileItWaitsAndHoldsItAfterwards) {
  Count<Mutex> shared;
  ConditionVariable changed;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      const Lock lock(shared.mutex);
      ++shared.count;
      changed.NotifyOne();
    }
  });
  {
    const Lock lock(shared.mutex);
    while (shared.count < 3) changed.Wait(shared.mutex);
    EXPECT_EQ(shared.count, 3);
  }
  other.join();
}

TEST(AConditionVariable, ReturnsWhenNobodyNotifiesItInTime) {
  Mutex mutex;
  ConditionVariable never;
  const Lock lock(mutex);
  never.WaitFor(mutex, std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace topo
