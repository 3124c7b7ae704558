// Circles of threads that wait for each other's mutexes and for forked calls: found as the last
// of them begins to wait, whatever other threads do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/pools.h"

#if defined(LWT_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace lwt {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kCycle = "threads wait for each other in a cycle.\n";
constexpr const char* kForker =
    "Pool::Run (depth 0) waits for a forked call that record (depth 1) runs\n";
constexpr const char* kCalled =
    "record \\(depth 1\\) waits for the mutex at 0x[0-9a-f]+ that Pool::Run \\(depth 0\\) holds\n";

// A forker that holds a mutex, and a function that wants it and that it forks.
struct Holder {
  Mutex mutex;
  Event begun;
  // The function becomes a thread, as it is taken while the forker waits for its beginning.
  void Called() {
    begun.Set();
    const std::lock_guard lock(mutex);
  }
};

void HoldAndForkJoin() {
  Holder holder;
  const std::lock_guard lock(holder.mutex);
  ForkJoin([&] { holder.begun.Wait(); }, [&] { holder.Called(); });
}
void HoldAndForkJoinThatThrows() {
  Holder holder;
  const std::lock_guard lock(holder.mutex);
  ForkJoin(
      [&] {
        holder.begun.Wait();
        throw 7;
      },
      [&] { holder.Called(); });
}
void HoldAndWaitForAGroup() {
  Holder holder;
  const std::lock_guard lock(holder.mutex);
  TaskGroup group;
  group.Run([&] { holder.Called(); });
  holder.begun.Wait();
  group.Wait();
}
void HoldAndLoop() {
  Holder holder;
  const std::lock_guard lock(holder.mutex);
  ParallelFor(0, 2, 1, [&](std::int64_t begin, std::int64_t) {
    begin == 0 ? holder.begun.Wait() : holder.Called();
  });
}
// The function wants the mutex only once the forker waits for its end.
void HoldAndForkJoinAndWaitFirst() {
  Holder holder;
  const std::lock_guard lock(holder.mutex);
  ForkJoin([&] { holder.begun.Wait(); },
           [&] {
             holder.begun.Set();
             Pool& pool = Worker::Here().pool();
             while (pool.BlockedThreads().find("waits for a forked call") == std::string::npos) {
               Yield();
             }
             holder.Called();
           });
}

struct Program {
  const char* name;
  void (*run)();
};
void PrintTo(const Program& program, std::ostream* to) { *to << program.name; }

class ForkedDeadlock : public testing::TestWithParam<Program> {};
class ForkedDeadlockDeathTest : public testing::TestWithParam<Program> {
 protected:
  ForkedDeadlockDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(ForkedDeadlockDeathTest, IsReportedWithBothNamesWhileAThirdThreadSleeps) {
  for (const int workers : {1, 3}) {
    EXPECT_DEATH(
        {
          alarm(60);  // For what would hang.
          const auto pool = MakePool(workers);
          pool->Run([] {
            Thread sleeper = Spawn([] { SleepFor(std::chrono::seconds(50)); });
            GetParam().run();
          });
        },
        AllOf(HasSubstr(kCycle), HasSubstr(kForker), ContainsRegex(kCalled)));
  }
}

// What the threads of a dead pool have on the heap is lost with them: none of them goes on.
#if defined(LWT_ASAN)
using LeaksAreExpected = __lsan::ScopedDisabler;
#else
struct LeaksAreExpected {
  LeaksAreExpected() {}
};
#endif

TEST_P(ForkedDeadlock, IsThrownByRunOnSimulatedWorkersThoughAThirdThreadSleeps) {
  const LeaksAreExpected leaks;
  for (const int workers : {1, 3}) {
    const auto pool = *Pool::Create({.workers = workers, .simulation = SimulationOptions{}});
    std::string told;
    try {
      pool->Run([] {
        Thread sleeper = Spawn([] { SleepFor(std::chrono::hours(1)); });
        GetParam().run();
      });
    } catch (const Deadlock& deadlock) {
      told = deadlock.what();
    }
    EXPECT_THAT(told, AllOf(HasSubstr(kCycle), HasSubstr(kForker), ContainsRegex(kCalled)));
  }
}

const Program kPrograms[] = {{"OfForkJoin", &HoldAndForkJoin},
                             {"OfForkJoinThatThrows", &HoldAndForkJoinThatThrows},
                             {"OfATaskGroup", &HoldAndWaitForAGroup},
                             {"OfAParallelLoop", &HoldAndLoop},
                             {"WhereTheForkerWaitsFirst", &HoldAndForkJoinAndWaitFirst}};
std::string NameOf(const testing::TestParamInfo<Program>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(, ForkedDeadlock, testing::ValuesIn(kPrograms), NameOf);
INSTANTIATE_TEST_SUITE_P(, ForkedDeadlockDeathTest, testing::ValuesIn(kPrograms), NameOf);

// A forker that holds the mutex while it waits for calls that end, and threads that want it: so
// many at a time that some get what was the thread of such a call.
void ForkUnderALockBesideOthersThatWantIt(int rounds) {
  Mutex mutex;
  bool done = false;  // under mutex
  int count = 0;      // under mutex
  Thread forker = Spawn([&] {
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard lock(mutex);
      ForkJoin([] { Yield(); },
               [] {
                 for (int turn = 0; turn < 3; ++turn) Yield();
               });
      done = i + 1 == rounds;
    }
  });
  int spawned = 0;
  for (bool goes_on = true; goes_on;) {
    std::vector<Thread> adders;
    for (int i = 0; i < 200; ++i, ++spawned) {
      adders.push_back(Spawn([&] {
        const std::lock_guard lock(mutex);
        ++count;
      }));
    }
    Yield();
    adders.clear();
    const std::lock_guard lock(mutex);
    goes_on = !done;
  }
  forker.Join();
  EXPECT_EQ(count, spawned);
}

// ThreadSanitizer keeps a frame of each spawn whose child blocked, and has room for 65,536.
#if defined(LWT_TSAN)
constexpr int kRounds = 50;
#else
constexpr int kRounds = 2'000;
#endif

TEST(ForkedCalls, ThatHaveEndedAreInNoCircle) {
  for (const int workers : {1, 2, 4}) {
    MakePool(workers)->Run([] { ForkUnderALockBesideOthersThatWantIt(kRounds); });
  }
}

TEST(ForkedCalls, ThatHaveEndedAreInNoCircleOnSimulatedWorkers) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto pool = *Pool::Create({.workers = 1 + static_cast<int>(seed % 4),
                                     .seed = seed,
                                     .simulation = SimulationOptions{}});
    pool->Run([] { ForkUnderALockBesideOthersThatWantIt(20); });
  }
}

}  // namespace
}  // namespace lwt
