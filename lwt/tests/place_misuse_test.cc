// Functions that are called where they cannot be, and pools that end while they are used.
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/misuse.h"

namespace lwt {
namespace {

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
Thread in_static;

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
         {"a function of a task group makes its own group"}},
        {"ATaskGroupIsUsedByAnotherThread",
         [] {
           Real(1)->Run([] {
             TaskGroup group;
             group.Run([] {});
             Spawn([&] { group.Run([] {}); }).Join();
           });
         },
         {"a task group belongs to the thread that gave it its first function"}},
        {"ATaskGroupIsAwaitedByAnotherThread",
         [] {
           Real(1)->Run([] {
             TaskGroup group;
             group.Run([] {});
             Spawn([&] { group.Wait(); }).Join();
           });
         },
         {"a task group belongs to the thread that gave it its first function"}},
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
         {"each of its threads was joined or detached", "left (depth 1) waits for godot"}},
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
         {"from a simulated pool that a thread of the called pool drives"}},
        {"APoolIsRunThroughASimulatedOneByOneOfItsWorkers",
         [] {
           const auto real = Real(3), simulated = Virtual();
           real->Run([&] { simulated->Run([&] { real->Run([] {}); }); });
         },
         {"from a simulated pool that a thread of the called pool drives"}},
        {"APoolIsRunThroughTwoSimulatedOnes",
         [] {
           const auto real = Real(1), simulated = Virtual(), other = Virtual();
           real->Run([&] { simulated->Run([&] { other->Run([&] { real->Run([] {}); }); }); });
         },
         {"from a simulated pool that a thread of the called pool drives"}},
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
