// Mutexes that threads take in different orders, but never at the same time: nothing waits, so no
// cycle is found, and yet the program may deadlock one day. ThreadSanitizer reports it, as it does
// for std::mutex.
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>

#include "lwt/lwt.h"
#include "lwt/machine/sanitizer.h"

namespace lwt {
namespace {

#if defined(LWT_TSAN)
constexpr int kStatus = 66;
constexpr const char* kReport = "lock-order-inversion";
#else
constexpr int kStatus = 0;
constexpr const char* kReport = "";
#endif

void LockInOrder(Mutex& outer, Mutex& inner) {
  Spawn([&] {
    const std::lock_guard outer_lock(outer);
    const std::lock_guard inner_lock(inner);
  }).Join();
}

class LockOrderDeathTest : public testing::Test {
 protected:
  LockOrderDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LockOrderDeathTest, MutexesThatAreLockedInTwoOrdersAreReportedByThreadSanitizerOnly) {
  EXPECT_EXIT(
      {
        const auto pool = *Pool::Create({.workers = 2});
        Mutex first;
        Mutex second;
        pool->Run([&] {
          LockInOrder(first, second);
          LockInOrder(second, first);
        });
        std::exit(0);
      },
      testing::ExitedWithCode(kStatus), kReport);
}

TEST_F(LockOrderDeathTest, ATryOrAMutexAtAnotherOnesAddressIsNoOrder) {
  EXPECT_EXIT(
      {
        const auto pool = *Pool::Create({.workers = 2});
        Mutex first;
        Mutex second;
        pool->Run([&] {
          LockInOrder(first, second);
          Spawn([&] {
            const std::lock_guard outer(second);
            if (first.TryLock()) first.Unlock();
          }).Join();
          first.~Mutex();
          ::new (&first) Mutex;
          LockInOrder(second, first);
        });
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lwt
