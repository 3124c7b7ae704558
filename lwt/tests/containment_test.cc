// What looks like a misuse and is none: what is thrown, refused or nested stays where it
// belongs.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

std::unique_ptr<Pool> Real(int workers = 2) { return *Pool::Create({.workers = workers}); }
std::unique_ptr<Pool> Virtual(int workers = 2) {
  return *Pool::Create({.workers = workers, .simulation = SimulationOptions{}});
}

// Its copies throw.
struct ThrowsWhenItEnds {
  ThrowsWhenItEnds() = default;
  ThrowsWhenItEnds(const ThrowsWhenItEnds&) noexcept {}
  ~ThrowsWhenItEnds() noexcept(false) {
    if (armed) throw std::runtime_error("at its end");
  }
  void operator()() { armed = true; }
  bool armed = false;
};

TEST(Containment, AnExceptionOfABodysDestructorReachesTheJoiner) {
  const auto pool = Real(1);
  EXPECT_THROW(pool->Run([] { Spawn(ThrowsWhenItEnds()).Join(); }), std::runtime_error);
}

TEST(Containment, APredicateThatThrowsLeavesTheThreadAndTheTail) {
  const auto pool = Real(1);
  pool->Run([] {
    bool ran = false;
    auto [thread, ready] = Create([&] { ran = true; });
    const Victim self = Worker::Here().victim(0);
    self.Put(std::move(ready));
    EXPECT_THROW((void)self.TakeIf([](Descriptor&) -> bool { throw 7; }), int);
    Worker::Here().Push(self.Take());
    thread.Join();
    EXPECT_TRUE(ran);
  });
}

TEST(Containment, APolicyWhoseCopyThrowsLeavesThePoolItsOwn) {
  static std::atomic<int> copies{0};
  struct Fragile {
    Fragile() = default;
    Fragile(const Fragile&) {
      if (++copies > 3) throw std::runtime_error("no more copies");
    }
    ReadyThread Steal(Worker& /*self*/) {
      ADD_FAILURE() << "a policy that was refused is asked";
      return {};
    }
  };
  const auto pool = Real(4);
  const Fragile policy;
  EXPECT_THROW(pool->SetPolicy(policy), std::runtime_error);
  for (int i = 0; i < 100; ++i) {
    pool->Run([] {
      Thread child = Spawn([] { Yield(); });
      child.Join();
    });
  }
}

TEST(Containment, ATaskGroupMayGoOnInAnotherThreadOnceItIsEmpty) {
  const auto pool = Real();
  int ran = 0;
  pool->Run([&] {
    TaskGroup group;
    group.Run([&] { ++ran; });
    group.Wait();
    Spawn([&] {
      group.Run([&] { ++ran; });
      group.Wait();
    }).Join();
  });
  EXPECT_EQ(ran, 2);
}

TEST(Containment, RunOfAnotherPoolHoldsUpTheThreadAndNotItsWorker) {
  const auto mine = Real(1), other = Real(1);
  Event of_mine, of_other;
  std::vector<int> order;
  mine->Run([&] {
    Thread caller = Spawn([&] {
      EXPECT_EQ(other->Run([&] {
        of_other.Set();
        of_mine.Wait();
        return 7;
      }),
                7);
    });
    // The only worker of this pool goes on, or no thread would set it.
    of_other.Wait();
    of_mine.Set();
    caller.Join();
  });
}

TEST(Containment, RunOfAnotherPoolIsNoDeadlockOfTheCallersPool) {
  const auto mine = *Pool::Create({.workers = 1, .woken_from_outside = false});
  const auto other = Real(1);
  mine->Run([&] { other->Run([&] { SleepFor(std::chrono::milliseconds(300)); }); });
}

TEST(Containment, PoolsMayRunInEachOther) {
  const auto a = Real(1), b = Real(1);
  const int result = a->Run(
      [&] { return b->Run([&] { return a->Run([&] { return b->Run([] { return 7; }); }); }); });
  EXPECT_EQ(result, 7);
  EXPECT_THROW(a->Run([&] { b->Run([] { throw std::runtime_error("far"); }); }),
               std::runtime_error);
}

TEST(Containment, SimulatedAndRealPoolsMayRunInEachOther) {
  const auto real = Real(), simulated = Virtual(), also = Virtual();
  const auto spawn = [] {
    int sum = 0;
    Thread child = Spawn([&] {
      Compute(100);
      Yield();
      sum += 3;
    });
    child.Join();
    return sum;
  };
  EXPECT_EQ(real->Run([&] { return simulated->Run(spawn) + spawn(); }), 6);
  EXPECT_EQ(simulated->Run([&] { return real->Run(spawn) + spawn(); }), 6);
  EXPECT_EQ(simulated->Run([&] { return also->Run(spawn) + spawn(); }), 6);
  EXPECT_THROW(real->Run([&] { simulated->Run([] { Event().Wait(); }); }), Deadlock);
}

TEST(Containment, APoolInWhichAThreadDrivesASimulatedOneRunsForOthers) {
  const auto real = Real(2), simulated = Virtual(), also = Virtual(), other = Real(1);
  real->Run([&] {
    simulated->Run([&] {
      EXPECT_EQ(other->Run([] { return 7; }), 7);
      EXPECT_EQ(also->Run([&] { return other->Run([] { return 8; }); }), 8);
    });
    EXPECT_EQ(other->Run([&] { return real->Run([] { return 9; }); }), 9);
  });
  EXPECT_EQ(real->Run([] { return 10; }), 10);
}

TEST(Containment, AWaitForWhatHasNoNameIsOneForSomething) {
  const auto pool = Real(1);
  pool->Run([&] {
    Suspended waiting;
    Thread suspended = Spawn([&] { Suspend(nullptr, [&](Suspended self) { waiting = self; }); });
    Event event;
    Thread waiter = Spawn([&] {
      event.Wait(nullptr);
      EXPECT_FALSE(Event().WaitFor(std::chrono::milliseconds(1), nullptr));
    });
    EXPECT_EQ(pool->BlockedThreads(),
              "thread (depth 1) waits for something without a name\n"
              "thread (depth 1) waits for something without a name\n");
    waiting.Resume();
    event.Set();
    suspended.Join();
    waiter.Join();
  });
}

TEST(Containment, IoThatWouldWaitOnSimulatedWorkersIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto pool = Virtual();
  pool->Run([&] {
    std::byte byte[1] = {};
    EXPECT_EQ(Read(ends[0], byte).error, EOPNOTSUPP);
    EXPECT_EQ(Write(ends[1], byte).value, 1) << "what needs no waiting is done";
    EXPECT_EQ(Read(ends[0], byte).value, 1);
    pollfd readable = {ends[0], POLLIN, 0};
    EXPECT_EQ(Poll({&readable, 1}).error, EOPNOTSUPP);
  });
  close(ends[0]);
  close(ends[1]);
}

TEST(Containment, APoolIsDestroyedByAThreadOfAnother) {
  const auto mine = Real(1);
  int ended = 0;
  mine->Run([&] {
    Event go;
    auto other = Real(1);
    other->Run([&] {
      Spawn([&] {
        go.Wait();
        ++ended;
      }).Detach();
    });
    // Sets it while the destructor waits: the worker is not held up.
    Thread later = Spawn([&] {
      Yield();
      go.Set();
    });
    other.reset();
    EXPECT_EQ(ended, 1);
    later.Join();
  });
}

}  // namespace
}  // namespace lwt
