// Bodies that throw, and handles of threads that are used wrongly.
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

// Exceptions that no caller can catch.

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
         {"the policy of worker ", " threw std::logic_error (no victim is good enough)",
          "A stealing policy must not throw: no caller can catch it."}},
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
         {"by a thread that waits for a thing threw std::runtime_error (in between)"}},
    }),
    NameOf);

// Handles.

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
         // The thread may have ended or not, which Join finds in different places.
         {"Join", "was called by an OS thread outside of pools", "Pool::Run starts the first"}},
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
         {"Worker::Push is called on that worker"}},
        {"AWorkersHeadIsPoppedFromOutside",
         [] { (void)Real()->worker(0).Pop(); },
         {"Worker::Pop is called on that worker"}},
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
        {"NobodyIsResumed", [] { Suspended().Resume(); }, {"this Suspended is empty"}},
    }),
    NameOf);

}  // namespace
}  // namespace lwt
