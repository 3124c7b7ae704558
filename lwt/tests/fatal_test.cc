#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lwt/contract.h"
#include "lwt/lwt.h"
#include "lwt/tests/stuck.h"

namespace lwt {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// So deep that no stack of 64 KB holds it.
int Recurse(int n) {
  volatile char frame[256] = {};
  frame[0] = static_cast<char>(n);
  return n == 0 ? frame[0] : Recurse(n - 1) + frame[0];
}

testing::Matcher<const std::string&> ListsStuckThreads() {
  std::vector<testing::Matcher<const std::string&>> lines;
  for (const char* line : kStuckThreads) lines.push_back(HasSubstr(line));
  return testing::AllOfArray(lines);
}

class FatalDeathTest : public testing::Test {
 protected:
  FatalDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FatalDeathTest, AStackOverflowEndsWithTheThreadsNameAndDepth) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] {
          Thread child = Spawn([] { Recurse(1'000'000); }, {.name = "the deep one"});
          child.Join();
        });
      },
      "stack overflow in thread \"the deep one\" \\(depth 1");
}

// Frames larger than a page must not step over the guard. Each looks at the one above, so
// that no compiler makes a loop of them.
int RecurseInSteps(int n, const volatile char* above) {
  volatile char frame[16 << 10];
  frame[0] = static_cast<char>(n);
  const int below = n == 0 ? 0 : RecurseInSteps(n - 1, frame);
  return below + frame[0] + *above;
}

TEST_F(FatalDeathTest, AnOverflowByLargeFramesIsCaughtToo) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] {
          Thread child = Spawn([] { RecurseInSteps(100, ""); }, {.name = "of large frames"});
          child.Join();
        });
      },
      "stack overflow in thread \"of large frames\" \\(depth 1");
}

TEST_F(FatalDeathTest, AnExceptionOfADetachedThreadEndsTheProgram) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([] { Spawn([] { throw std::runtime_error("nobody sees this"); }).Detach(); });
      },
      "nobody sees this");
}

TEST_F(FatalDeathTest, AYieldOutsideOfAPoolSaysSo) {
  EXPECT_DEATH(Yield(),
               "only lightweight threads may make this call, and Pool::Run starts the first");
}

TEST_F(FatalDeathTest, AnotherFaultIsNotCalledAnOverflow) {
  EXPECT_DEATH(
      {
        void* const forbidden = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const auto pool = *Pool::Create({.workers = 1});
        pool->Run([&] { *static_cast<volatile int*>(forbidden) = 1; });
      },
      Not(HasSubstr("stack overflow in thread")));
}

TEST_F(FatalDeathTest, ASpawnOutsideOfAPoolSaysWhoMaySpawn) {
  EXPECT_DEATH(Spawn([] {}).Join(),
               "only lightweight threads may make this call, and Pool::Run starts the first");
}

TEST_F(FatalDeathTest, ThreadsThatAllWaitForEachOtherAreReported) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2});
        pool->Run([] {
          Thread stuck = Spawn(
              [] {
                Suspend(
                    "what never comes", [](Suspended) {}, WokenBy::kThreads);
              },
              {.name = "the stuck one"});
          stuck.Join();
        });
      },
      "deadlock: every thread waits, and no thread is left to wake one.\n(.*\n)*the stuck one "
      "\\(depth 1\\) waits for what never comes");
}

TEST_F(FatalDeathTest, ThreadsThatOnlyEachOtherCouldWakeAreReported) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
        pool->Run([] { StuckThreads().Join(); });
      },
      AllOf(HasSubstr("deadlock: every thread waits, and no thread is left to wake one.\n"),
            ListsStuckThreads()));
}

// A mutex each, then that of the other; while a third thread never stops.
void TakeEachOthersMutex(bool third_sleeps) {
  static Mutex of_left, of_right;
  Latch both(2);
  Thread third = Spawn([=] {
    while (true) third_sleeps ? SleepFor(std::chrono::milliseconds(1)) : (void)Yield();
  });
  Thread left = Spawn(
      [&] {
        const std::lock_guard mine(of_left);
        both.ArriveAndWait();
        const std::lock_guard other(of_right);
      },
      {.name = "the left"});
  Thread right = Spawn(
      [&] {
        const std::lock_guard mine(of_right);
        both.ArriveAndWait();
        const std::lock_guard other(of_left);
      },
      {.name = "the right"});
  left.Join();
}

constexpr const char* kCycle = "deadlock: threads wait for each other in a cycle.\n";
constexpr const char* kLeft =
    "the left \\(depth 1\\) waits for the mutex at 0x[0-9a-f]+ that the right \\(depth 1\\) "
    "holds\n";
constexpr const char* kRight =
    "the right \\(depth 1\\) waits for the mutex at 0x[0-9a-f]+ that the left \\(depth 1\\) "
    "holds\n";

TEST_F(FatalDeathTest, ADeadlockOfMutexesIsReportedWithBothNamesWhileAThirdThreadSleeps) {
  for (const int workers : {1, 3}) {
    EXPECT_DEATH(
        {
          alarm(60);
          const auto pool = *Pool::Create({.workers = workers});
          pool->Run([] { TakeEachOthersMutex(true); });
        },
        AllOf(HasSubstr(kCycle), ContainsRegex(kLeft), ContainsRegex(kRight)));
  }
}

TEST_F(FatalDeathTest, ADeadlockOfMutexesIsReportedWithBothNamesWhileAThirdThreadWorks) {
  for (const int workers : {1, 3}) {
    EXPECT_DEATH(
        {
          alarm(60);
          const auto pool = *Pool::Create({.workers = workers});
          pool->Run([] { TakeEachOthersMutex(false); });
        },
        AllOf(HasSubstr(kCycle), ContainsRegex(kLeft), ContainsRegex(kRight)));
  }
}

TEST_F(FatalDeathTest, AThreadThatLocksAMutexTwiceIsReportedAtOnce) {
  EXPECT_DEATH(
      {
        alarm(60);
        const auto pool = *Pool::Create({.workers = 2});
        pool->Run([] {
          Thread sleeper = Spawn([] { SleepFor(std::chrono::seconds(50)); });
          Thread twice = Spawn(
              [] {
                Mutex mutex;
                const std::lock_guard once(mutex);
                const std::lock_guard again(mutex);
              },
              {.name = "the forgetful"});
          twice.Join();
        });
      },
      AllOf(HasSubstr(kCycle),
            ContainsRegex(
                "the forgetful \\(depth 1\\) waits for the mutex at 0x[0-9a-f]+ that it holds "
                "itself\n")));
}

TEST_F(FatalDeathTest, AThreadThatJoinsAWaiterForItsMutexIsReportedAtOnce) {
  EXPECT_DEATH(
      {
        alarm(60);
        const auto pool = *Pool::Create({.workers = 2});
        pool->Run([] {
          Thread sleeper = Spawn([] { SleepFor(std::chrono::seconds(50)); });
          Mutex mutex;
          const std::lock_guard lock(mutex);
          Thread child = Spawn([&] { const std::lock_guard other(mutex); }, {.name = "the child"});
          child.Join();
        });
      },
      AllOf(
          HasSubstr(kCycle),
          HasSubstr("Pool::Run (depth 0) waits for the end of the child (depth 1)\n"),
          ContainsRegex("the child \\(depth 1\\) waits for the mutex at 0x[0-9a-f]+ that Pool::Run "
                        "\\(depth 0\\) holds\n")));
}

TEST_F(FatalDeathTest, AMutexWhoseHolderHasEndedIsReportedWithTheHolder) {
  EXPECT_DEATH(
      {
        alarm(60);
        const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
        pool->Run([] {
          Mutex mutex;
          Thread holder = Spawn([&] { mutex.lock(); }, {.name = "the holder"});
          while (!holder.ended()) Yield();
          mutex.lock();
        });
      },
      HasSubstr("Pool::Run (depth 0) waits for a mutex whose holder has ended: the holder "));
}

TEST_F(FatalDeathTest, AHundredPhilosophersInACycleAreReported) {
  EXPECT_DEATH(
      {
        alarm(60);
        const auto pool = *Pool::Create({.workers = 2});
        pool->Run([] {
          constexpr int kSeats = 100;
          static Mutex forks[kSeats];
          Latch all(kSeats);
          std::vector<Thread> seats;
          for (int i = 0; i < kSeats; ++i) {
            seats.push_back(Spawn([&, i] {
              const std::lock_guard mine(forks[i]);
              all.ArriveAndWait();
              const std::lock_guard next(forks[(i + 1) % kSeats]);
            }));
          }
        });
      },
      HasSubstr(kCycle));
}

TEST_F(FatalDeathTest, ADetachedThreadThatIsNeverWokenIsReportedByThePoolsDestructor) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
        static Event never;
        pool->Run([] { Spawn([] { never.Wait(); }, {.name = "left behind"}).Detach(); });
      },
      "deadlock(.*\n)*left behind \\(depth 1\\) waits for an event");
}

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

TEST(Deadlock, AThreadThatSleepsOrHasADeadlineIsNotDeadlocked) {
  const auto pool = *Pool::Create({.workers = 2, .woken_from_outside = false});
  pool->Run([] {
    Event awake;
    Thread sleeper = Spawn([&] {
      SleepFor(200ms);
      awake.Set();
    });
    awake.Wait();
    Mutex mutex;
    ConditionVariable never;
    const std::lock_guard lock(mutex);
    EXPECT_EQ(never.WaitFor(mutex, 100ms), Waited::kTimedOut);
  });
}

// What is printed to stderr while `run` runs.
template <typename Run>
std::string Printed(Run run) {
  testing::internal::CaptureStderr();
  run();
  return testing::internal::GetCapturedStderr();
}

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Returns after the only worker has gone to sleep so often that it has slept for
// long, though not how long.
void WaitForSleeps(const Pool& pool) {
  const auto parks = [&] { return pool.worker(0).counters().parks.value(); };
  const std::int64_t before = parks();
  while (parks() < before + 8) std::this_thread::yield();
}

TEST(Stall, IsPrintedOnceAndThePoolGoesOn) {
  const auto pool = *Pool::Create({.workers = 1, .stall_report_after = 10ms});
  Event ready[2], go[2];
  std::thread outside([&] {
    for (int stall = 0; stall < 2; ++stall) {
      ready[stall].Wait();
      WaitForSleeps(*pool);
      go[stall].Set();
    }
  });
  const std::string printed = Printed([&] {
    pool->Run([&] {
      for (int stall = 0; stall < 2; ++stall) {
        ready[stall].Set();
        go[stall].Wait(stall == 0 ? "the first time" : "the second time");
      }
    });
    outside.join();
  });
  EXPECT_EQ(Count(printed, "a stall: every thread waits, unless an OS thread outside"), 2);
  EXPECT_EQ(Count(printed, "Pool::Run (depth 0) waits for the first time\n"), 1);
  EXPECT_EQ(Count(printed, "Pool::Run (depth 0) waits for the second time\n"), 1);
}

TEST(Stall, IsNoneWhileATimerOrIoIsAwaitedOrNoThreadWaits) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto pool = *Pool::Create({.workers = 1, .stall_report_after = 1us});
  const std::string printed = Printed([&] {
    Event timed;
    pool->Run([&] {
      Thread sleeper = Spawn([&] {
        SleepFor(200ms);
        timed.Set();
      });
      timed.Wait();
    });
    WaitForSleeps(*pool);
    Event reading;
    std::thread outside([&] {
      reading.Wait();
      WaitForSleeps(*pool);
      EXPECT_EQ(write(ends[1], "x", 1), 1);
    });
    pool->Run([&] {
      std::byte byte[1];
      Event got;
      Thread reader = Spawn([&] {
        reading.Set();
        EXPECT_EQ(Read(ends[0], byte).value, 1);
        got.Set();
      });
      got.Wait();
    });
    outside.join();
  });
  EXPECT_EQ(printed, "");
  close(ends[0]);
  close(ends[1]);
}

TEST(Stall, IsNotPrintedWhereNobodyAskedForIt) {
  const auto pool = *Pool::Create({.workers = 1, .stall_report_after = 0ms});
  Event go;
  std::thread outside([&] {
    WaitForSleeps(*pool);
    go.Set();
  });
  EXPECT_EQ(Printed([&] { pool->Run([&] { go.Wait(); }); }), "");
  outside.join();
}

TEST(Deadlock, AThreadThatAnOutsideThreadMayWakeIsNoDeadlock) {
  const auto pool = *Pool::Create({.workers = 2});
  std::atomic<Descriptor*> suspended{nullptr};
  std::thread outside([&] {
    while (suspended.load() == nullptr ||
           pool->worker(0).counters().parks.value() + pool->worker(1).counters().parks.value() <
               6) {
      std::this_thread::yield();
    }
    Suspended(*suspended.load()).Resume();
  });
  pool->Run([&] {
    Suspend("somebody outside", [&](Suspended thread) { suspended = &thread.descriptor(); });
  });
  outside.join();
}

}  // namespace
}  // namespace lwt
