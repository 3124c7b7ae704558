// What lwt's functions were not made for: each ends with a sentence that names what
// was done, where and when it is done. None hangs, and none ends by a signal that
// says nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Pool> Real(int workers = 2) { return *Pool::Create({.workers = workers}); }
std::unique_ptr<Pool> Virtual(int workers = 2) {
  return *Pool::Create({.workers = workers, .simulation = SimulationOptions{}});
}

struct Misuse {
  const char* name;
  void (*run)();
  std::vector<std::string> says;  // all of these
};
void PrintTo(const Misuse& misuse, std::ostream* to) { *to << misuse.name; }

class MisuseDeathTest : public testing::TestWithParam<Misuse> {
 protected:
  MisuseDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(MisuseDeathTest, EndsWithASentenceThatNamesIt) {
  std::vector<testing::Matcher<const std::string&>> parts;
  for (const std::string& part : GetParam().says) parts.push_back(HasSubstr(part));
  EXPECT_EXIT(
      {
        alarm(60);  // For what would hang.
        GetParam().run();
      },
      testing::KilledBySignal(SIGABRT), testing::AllOfArray(parts));
}

std::string NameOf(const testing::TestParamInfo<Misuse>& info) { return info.param.name; }

// Exceptions that have nobody to go to.

struct ThrowingPolicy {
  ReadyThread Steal(Worker& /*self*/) { throw std::logic_error("no victim is good enough"); }
};
struct ThrowingHasWork {
  ReadyThread Steal(Worker& /*self*/) { return {}; }
  bool HasWork(Worker& /*self*/) { throw 7; }
};

INSTANTIATE_TEST_SUITE_P(
    Exceptions, MisuseDeathTest,
    testing::ValuesIn(std::vector<Misuse>{
        {"OfADetachedThread",
         [] {
           Real()->Run([] {
             Spawn([] { throw std::runtime_error("nobody sees this"); }, {.name = "the careless"})
                 .Detach();
             SleepFor(std::chrono::seconds(50));
           });
         },
         {"thread \"the careless\" (depth 1), which was detached, threw std::runtime_error (nobody "
          "sees this)"}},
        {"OfAThreadThatIsDetachedLater",
         [] {
           Real(1)->Run([] {
             Event go;
             Thread thread = Spawn(
                 [&] {
                   go.Wait();
                   throw 7;
                 },
                 {.name = "the late"});
             thread.Detach();
             go.Set();
             Yield();
           });
         },
         {"thread \"the late\" (depth 1), which was detached, threw int"}},
        {"OfASimulatedDetachedThread",
         [] {
           Virtual()->Run([] {
             Spawn([] { throw std::runtime_error("nobody sees this"); }, {.name = "the careless"})
                 .Detach();
           });
         },
         {"thread \"the careless\" (depth 1), which was detached, threw std::runtime_error"}},
        {"OfAPolicy",
         [] {
           const auto pool = *Pool::Create({.workers = 2, .policy = ThrowingPolicy()});
           SleepFor(std::chrono::seconds(50));
         },
         {"the policy of worker ", " threw std::logic_error (no victim is good enough)"}},
        {"OfASimulatedPolicy",
         [] {
           const auto pool = *Pool::Create(
               {.workers = 2, .policy = ThrowingPolicy(), .simulation = SimulationOptions{}});
           pool->Run([] { Compute(1e6); });
         },
         {"the policy of worker 1 threw std::logic_error (no victim is good enough)"}},
        {"OfHasWorkOfAPolicy",
         [] {
           const auto pool = *Pool::Create({.workers = 2, .policy = ThrowingHasWork()});
           SleepFor(std::chrono::seconds(50));
         },
         {"HasWork of the policy of worker ", " threw int"}},
        {"OfWhatSuspendCalls",
         [] {
           Real()->Run([] {
             Suspend("a thing", [](Suspended) { throw std::runtime_error("in between"); });
           });
         },
         {"for a thread that waits for a thing threw std::runtime_error (in between)"}},
    }),
    NameOf);

// Handles.

Thread in_static;

INSTANTIATE_TEST_SUITE_P(
    Handles, MisuseDeathTest,
    testing::ValuesIn(std::vector<Misuse>{
        {"AThreadIsJoinedTwice",
         [] {
           Real()->Run([] {
             Thread thread = Spawn([] {});
             thread.Join();
             thread.Join();
           });
         },
         {"joined or detached once"}},
        {"AThreadIsJoinedAfterItWasDetached",
         [] {
           Real()->Run([] {
             Thread thread = Spawn([] {});
             thread.Detach();
             thread.Join();
           });
         },
         {"joined or detached once"}},
        {"AThreadIsDetachedTwice",
         [] {
           Real()->Run([] {
             Thread thread = Spawn([] {});
             thread.Detach();
             thread.Detach();
           });
         },
         {"joined or detached once"}},
        {"AMovedThreadIsJoined",
         [] {
           Real()->Run([] {
             Thread thread = Spawn([] {});
             Thread other = std::move(thread);
             thread.Join();
           });
         },
         {"joined or detached once"}},
        {"AnEmptyThreadIsAskedWhetherItHasEnded",
         [] { (void)Thread().ended(); },
         {"joined or detached once"}},
        {"AThreadIsJoinedByAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Thread thread = Spawn([] {});
             other->Run([&] { thread.Join(); });
           });
         },
         {"Join", "was called on a worker of another pool"}},
        {"AThreadThatRunsIsJoinedByAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Event never;
             Thread thread = Spawn([&] { never.Wait(); });
             other->Run([&] { thread.Join(); });
           });
         },
         {"was called on a worker of another pool"}},
        {"AThreadIsDetachedByAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Thread thread = Spawn([] {});
             other->Run([&] { thread.Detach(); });
           });
         },
         {"Detach was called on a worker of another pool"}},
        {"AHandleGoesInAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Thread thread = Spawn([] {});
             other->Run([&] { const Thread gone = std::move(thread); });
           });
         },
         {"the destructor of a thread's handle) was called on a worker of another pool"}},
        {"AThreadIsJoinedOutsideOfPools",
         [] {
           const auto pool = Real();
           Thread thread = pool->Run([] { return Spawn([] {}); });
           thread.Join();
         },
         {"Join was called by an OS thread outside of pools", "Pool::Run starts the first"}},
        {"AnEmptyReadyThreadIsPushed",
         [] { Real()->Run([] { Worker::Here().Push(ReadyThread()); }); },
         {"Worker::Push was given no thread"}},
        {"AnEmptyReadyThreadIsPut",
         [] { Real()->Run([] { Worker::Here().victim(0).Put(ReadyThread()); }); },
         {"Victim::Put was given no thread"}},
        {"AnEmptyReadyThreadIsMailed",
         [] { Real()->Run([] { Mailboxes(2).Mail(1, ReadyThread()); }); },
         {"Mailboxes::Mail was given no thread"}},
        {"MailGoesToAWorkerThatIsNotThere",
         [] {
           Real()->Run([] {
             auto [thread, ready] = Create([] {});
             Mailboxes(2).Mail(2, std::move(ready));
           });
         },
         {"mail goes to a worker that has a mailbox"}},
        {"AnEmptyReadyThreadIsAskedForItsDepth",
         [] { (void)ReadyThread().depth(); },
         {"a ReadyThread that is empty"}},
        {"AnEmptyReadyThreadIsAskedForItsHint",
         [] { (void)ReadyThread().hint<int>(); },
         {"a ReadyThread that is empty"}},
        {"AThreadIsPushedInAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Created made = Create([] {});
             other->Run([&] { Worker::Here().Push(std::move(made.ready)); });
           });
         },
         {"Worker::Push was given a thread of another pool"}},
        {"AThreadIsPutInAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           mine->Run([&] {
             Created made = Create([] {});
             other->Run([&] { Worker::Here().victim(0).Put(std::move(made.ready)); });
           });
         },
         {"Victim::Put was given a thread of another pool"}},
        {"AWorkersHeadIsPushedToFromOutside",
         [] {
           const auto pool = Real();
           ReadyThread kept;
           Thread thread;
           pool->Run([&] {
             std::tie(thread, kept) = [] {
               auto [thread, ready] = Create([] {});
               return std::tuple(std::move(thread), std::move(ready));
             }();
           });
           pool->worker(0).Push(std::move(kept));
         },
         {"Worker::Push is for that worker"}},
        {"AWorkersHeadIsPoppedFromOutside",
         [] { (void)Real()->worker(0).Pop(); },
         {"Worker::Pop is for that worker"}},
        {"AThreadIsTakenOutsideOfPools",
         [] { (void)Real()->worker(0).victim(1).Take(); },
         {"Victim::Take was called by an OS thread outside of pools"}},
        {"AThreadIsTakenByAnotherPool",
         [] {
           const auto mine = Real(), other = Real();
           other->Run([&] { (void)mine->worker(0).victim(1).Take(); });
         },
         {"Victim::Take was called on a worker of another pool"}},
        {"AVictimIsNotThere",
         [] { (void)Real()->worker(0).victim(2); },
         {"a victim is a worker of the pool"}},
        {"AWorkerIsNotThere",
         [] { (void)Real()->worker(-1); },
         {"a pool's workers have numbers from 0"}},
        {"AThreadIsResumedTwice",
         [] {
           Real(1)->Run([] {
             Suspended waiting;
             Thread thread =
                 Spawn([&] { Suspend("a thing", [&](Suspended self) { waiting = self; }); });
             waiting.Resume();
             thread.Join();
             waiting.Resume();
           });
         },
         {"a suspended thread is resumed once"}},
        {"NobodyIsResumed", [] { Suspended().Resume(); }, {"this one is empty"}},
    }),
    NameOf);

// Calls that come from where they cannot.

// A policy that calls a function which only threads may call, once.
struct Calling {
  void (*call)();
  ReadyThread Steal(Worker& /*self*/) {
    call();
    return {};
  }
};
template <typename F>
void InAPolicy(F call) {
  const auto pool = *Pool::Create({.workers = 1, .policy = Calling{call}});
  SleepFor(std::chrono::seconds(50));
}
Pool* calling_pool = nullptr;
Mutex held;

INSTANTIATE_TEST_SUITE_P(
    Places, MisuseDeathTest,
    testing::ValuesIn(std::vector<Misuse>{
        {"SpawnOutsideOfPools",
         [] { Spawn([] {}).Join(); },
         {"Spawn was called by an OS thread outside of pools"}},
        {"CreateOutsideOfPools",
         [] { (void)Create([] {}); },
         {"Create was called by an OS thread outside of pools"}},
        {"ForkJoinOutsideOfPools",
         [] { ForkJoin([] {}, [] {}); },
         {"ForkJoin was called by an OS thread outside of pools"}},
        {"ATaskGroupOutsideOfPools",
         [] { TaskGroup().Run([] {}); },
         {"TaskGroup::Run was called by an OS thread outside of pools"}},
        {"YieldOutsideOfPools",
         [] { Yield(); },
         {"Yield was called by an OS thread outside of pools"}},
        {"SuspendOutsideOfPools",
         [] { Suspend("a thing", [](Suspended) {}); },
         {"was called by an OS thread outside of pools"}},
        {"ComputeOutsideOfPools",
         [] { Compute(1); },
         {"Compute was called by an OS thread outside of pools"}},
        {"TouchOutsideOfPools",
         [] { Touch("", 1, Access::kRead); },
         {"Touch was called by an OS thread outside of pools"}},
        {"DepthOutsideOfPools",
         [] { (void)Depth(); },
         {"Depth was called by an OS thread outside of pools"}},
        {"AHintOutsideOfPools",
         [] { (void)SetHint(1); },
         {"SetHintBytes was called by an OS thread outside of pools"}},
        {"DistributeOutsideOfPools",
         [] {
           ReadyThread none[1];
           Distribute(none);
         },
         {"Distribute was called by an OS thread outside of pools"}},
        {"SpawnByAPolicy",
         [] { InAPolicy([] { Spawn([] {}).Join(); }); },
         {"Spawn was called by a policy"}},
        {"CreateByAPolicy",
         [] { InAPolicy([] { (void)Create([] {}); }); },
         {"Create was called by a policy"}},
        {"ForkJoinByAPolicy",
         [] { InAPolicy([] { ForkJoin([] {}, [] {}); }); },
         {"ForkJoin was called by a policy"}},
        {"YieldByAPolicy", [] { InAPolicy([] { Yield(); }); }, {"Yield was called by a policy"}},
        {"DepthByAPolicy",
         [] { InAPolicy([] { (void)Depth(); }); },
         {"Depth was called by a policy"}},
        {"AWaitByAPolicy",
         [] { InAPolicy([] { Event().Wait(); }); },
         {"was called by a policy", "an event"}},
        {"ASleepByAPolicy",
         [] { InAPolicy([] { SleepFor(std::chrono::seconds(1)); }); },
         {"was called by a policy"}},
        {"ALockByAPolicy",
         [] {
           held.Lock();
           InAPolicy([] { held.Lock(); });
         },
         {"was called by a policy", "a mutex"}},
        {"RunByAPolicyOfThePool",
         [] { InAPolicy([] { Worker::Here().pool().Run([] {}); }); },
         {"Pool::Run was called by a policy"}},
        {"RunByAPolicyOfAnotherPool",
         [] {
           const auto other = Real();
           calling_pool = other.get();
           InAPolicy([] { calling_pool->Run([] {}); });
         },
         {"Pool::Run was called by a policy"}},
        {"AnOsThreadTakesAMutexTwice",
         [] {
           Mutex mutex;
           mutex.Lock();
           mutex.Lock();
         },
         {"an OS thread outside of pools waits for a mutex that it holds itself"}},
        {"AnOsThreadThatIsNotMainTakesAMutexTwice",
         [] {
           std::thread([] {
             Mutex mutex;
             const std::lock_guard once(mutex);
             const std::lock_guard again(mutex);
           }).join();
         },
         {"an OS thread outside of pools waits for a mutex that it holds itself"}},
        {"ATaskGroupIsUsedByItsOwnFunction",
         [] {
           Real(1)->Run([] {
             TaskGroup group;
             group.Run([&] { group.Run([] {}); });
             group.Wait();
           });
         },
         {"a function of a task group has a group of its own"}},
        {"ATaskGroupIsUsedByAnotherThread",
         [] {
           Real(1)->Run([] {
             TaskGroup group;
             group.Run([] {});
             Spawn([&] { group.Run([] {}); }).Join();
           });
         },
         {"a task group is for the thread that gave it its first function"}},
        {"ATaskGroupIsAwaitedByAnotherThread",
         [] {
           Real(1)->Run([] {
             TaskGroup group;
             group.Run([] {});
             Spawn([&] { group.Wait(); }).Join();
           });
         },
         {"a task group is for the thread that gave it its first function"}},
    }),
    NameOf);

// Pools.

INSTANTIATE_TEST_SUITE_P(
    Pools, MisuseDeathTest,
    testing::ValuesIn(std::vector<Misuse>{
        {"APoolIsDestroyedWhileSomebodyIsInRun",
         [] {
           Event entered, never;
           auto pool = Real();
           std::thread caller([&] {
             pool->Run([&] {
               entered.Set();
               never.Wait();
             });
           });
           entered.Wait();
           pool.reset();
         },
         {"a pool is destroyed while 1 of its calls of Run goes on"}},
        {"APoolIsDestroyedByItsOwnThread",
         [] {
           auto pool = Real();
           pool->Run([&] { pool.reset(); });
         },
         {"a pool is destroyed from outside of it, not by one of its own threads"}},
        {"ASimulatedPoolIsDestroyedByItsOwnThread",
         [] {
           auto pool = Virtual();
           pool->Run([&] { pool.reset(); });
         },
         {"a pool is destroyed from outside of it, not by one of its own threads"}},
        {"APoolIsDestroyedWhileAThreadOfItWaitsThatNobodyJoined",
         [] {
           auto pool = Real();
           static Event never;
           in_static =
               pool->Run([] { return Spawn([] { never.Wait("godot"); }, {.name = "left"}); });
           pool.reset();
         },
         {"each of its threads has been joined or detached", "left (depth 1) waits for godot"}},
        {"ASimulatedPoolRunsForTwoCallersAtOnce",
         [] {
           auto pool = Virtual();
           pool->Run([&] { std::thread([&] { pool->Run([] {}); }).join(); });
         },
         {"a simulated pool runs for one caller at a time"}},
        {"ASimulatedPoolIsRunByWhatItRuns",
         [] {
           const auto pool = Virtual(), other = Virtual();
           pool->Run([&] { other->Run([&] { pool->Run([] {}); }); });
         },
         {"a simulated pool runs for one caller at a time"}},
        {"APoolIsRunThroughASimulatedOneByItsOnlyWorker",
         [] {
           const auto real = Real(1), simulated = Virtual();
           real->Run([&] { simulated->Run([&] { real->Run([] {}); }); });
         },
         {"a pool's own thread that drives a simulated pool"}},
        {"APoolIsRunThroughASimulatedOneByOneOfItsWorkers",
         [] {
           const auto real = Real(3), simulated = Virtual();
           real->Run([&] { simulated->Run([&] { real->Run([] {}); }); });
         },
         {"a pool's own thread that drives a simulated pool"}},
        {"APoolIsRunThroughTwoSimulatedOnes",
         [] {
           const auto real = Real(1), simulated = Virtual(), other = Virtual();
           real->Run([&] { simulated->Run([&] { other->Run([&] { real->Run([] {}); }); }); });
         },
         {"a pool's own thread that drives a simulated pool"}},
        {"APoolIsGivenNoPolicy", [] { Real()->SetPolicy(AnyPolicy()); }, {"a pool needs a policy"}},
        {"APolicyReturnsAThreadOfAnotherPool",
         [] {
           static ReadyThread foreign;
           struct Foreign {
             ReadyThread Steal(Worker& /*self*/) { return std::move(foreign); }
           };
           const auto mine = Real();
           mine->Run([&] {
             auto [thread, ready] = Create([] {});
             foreign = std::move(ready);
             const auto other = *Pool::Create({.workers = 1, .policy = Foreign()});
             SleepFor(std::chrono::seconds(50));
           });
         },
         {"a worker, by its policy, was given a thread of another pool"}},
    }),
    NameOf);

}  // namespace
}  // namespace lwt
