#include "lwt/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

int Fib(int n, int depth = 0) {
  if (n < 2) return n;
  int left = 0;
  Thread child = SpawnWithHint(depth + 1, [&] { left = Fib(n - 1, depth + 1); });
  const int right = Fib(n - 2, depth + 1);
  child.Join();
  return left + right;
}

std::vector<std::vector<Ring>> RingsOfAll(int workers) {
  const std::vector<std::uint64_t> distances(static_cast<std::size_t>(workers * workers), 1);
  std::vector<std::vector<Ring>> rings;
  for (int i = 0; i < workers; ++i) rings.push_back(RingsOf(i, workers, distances));
  return rings;
}

// Each policy by name, for real and simulated workers alike.
struct Named {
  const char* name;
  AnyPolicy policy;
};
class EachPolicy : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(
    Policies, EachPolicy,
    testing::Values(Named{"Random", RandomVictim()}, Named{"Shallowest", ShallowestOf{4}},
                    Named{"Nearest", NearestFirst(RingsOfAll(4))},
                    Named{"Weighted", WeightedVictim(4, std::vector<double>(16, 1.0))},
                    Named{"Half", HalfOfVictim()}, Named{"Mailboxes", Mailboxes(4)}),
    [](const auto& info) { return info.param.name; });

TEST_P(EachPolicy, BringsAProgramToItsEndOnRealWorkers) {
  const auto pool = Pool::Create({.workers = 4, .policy = GetParam().policy});
  ASSERT_TRUE(pool.ok());
  EXPECT_EQ((*pool)->Run([] { return Fib(18); }), 2584);
}

TEST_P(EachPolicy, KeepsAllSimulatedWorkersBusy) {
  const auto pool =
      Pool::Create({.workers = 4, .policy = GetParam().policy, .simulation = SimulationOptions{}});
  ASSERT_TRUE(pool.ok());
  EXPECT_EQ((*pool)->Run([] { return Fib(14); }), 377);
  for (int i = 0; i < 4; ++i) EXPECT_GT((*pool)->worker(i).counters().spawns.value(), 0) << i;
}

// A pool in which only the running worker moves: workers 1, 2, ... never get a turn
// until the running thread spends time.
class Victims : public testing::Test {
 protected:
  Victims()
      : pool_(*Pool::Create(
            {.workers = 4, .simulation = SimulationOptions{.costs = {.steal_ns = 0}}})) {}

  // A thread with that hint at the tail of a worker.
  Thread PutAt(int worker, int hint) {
    auto [thread, ready] = Create([] {}, {}, std::as_bytes(std::span<const int, 1>(&hint, 1)));
    Worker::Current()->victim(worker).Put(std::move(ready));
    return std::move(thread);
  }

  const std::unique_ptr<Pool> pool_;
};

TEST_F(Victims, PeekShowsTheHintAtTheTailAndTakesNothing) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    const int other = (self.index() + 1) % 4;
    EXPECT_EQ(self.victim(other).Peek<int>(), std::nullopt);
    Thread one = PutAt(other, 5);
    Thread two = PutAt(other, 3);
    EXPECT_EQ(self.victim(other).Peek<int>(), 3);
    EXPECT_EQ(self.victim(other).size(), 2);
    ReadyThread taken = self.victim(other).Take();
    EXPECT_EQ(taken.hint<int>(), 3);
    self.Push(std::move(taken));
  });
}

TEST_F(Victims, AHintOfAnotherSizeOrNoneIsNotPeeked) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    const int other = (self.index() + 1) % 4;
    auto [without, ready] = Create([] {});
    self.victim(other).Put(std::move(ready));
    EXPECT_EQ(self.victim(other).Peek<int>(), std::nullopt);
    auto [with, also_ready] = CreateWithHint(std::int64_t{7} << 32 | 9, [] {});
    self.victim(other).Put(std::move(also_ready));
    EXPECT_EQ(self.victim(other).Peek<int>(), std::nullopt);
    EXPECT_EQ(self.victim(other).Peek<std::int64_t>(), std::int64_t{7} << 32 | 9);
    without.Join();
    with.Join();
  });
}

TEST(OneWorker, AThreadMayChangeItsOwnHint) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([&] {
    const int me = Worker::Here().index();
    SetHint(1);
    Thread child = SpawnWithHint(2, [me] {
      // The parent is at the tail.
      EXPECT_EQ(Worker::Here().victim(me).Peek<int>(), 1);
    });
    child.Join();
    SetHint(std::int64_t{5});
    Thread second = Spawn([me] {
      EXPECT_EQ(Worker::Here().victim(me).Peek<int>(), std::nullopt);
      EXPECT_EQ(Worker::Here().victim(me).Peek<std::int64_t>(), 5);
    });
    second.Join();
  });
}

TEST(OneWorker, ARecordKeepsItsHintWhenItBecomesAThread) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([&] {
    const int me = Worker::Here().index();
    TaskGroup group;
    ForkJoin(
        [me] {
          const Victim own = Worker::Here().victim(me);
          EXPECT_EQ(own.Peek<int>(), 42);
          ReadyThread taken = own.Take();
          EXPECT_EQ(taken.hint<int>(), 42);
          own.Put(std::move(taken));
          EXPECT_EQ(own.Peek<int>(), 42);
        },
        [] {}, 42);
    group.Run([] {}, std::int64_t{43});
    EXPECT_EQ(Worker::Here().victim(me).Peek<std::int64_t>(), 43);
    group.Wait();
  });
}

TEST(OneWorker, AWaiterForADroppedRecordGetsDropped) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([&] {
    const int me = Worker::Here().index();
    EXPECT_THROW(ForkJoin([me] { (void)Worker::Here().victim(me).Take(); }, [] { ADD_FAILURE(); }),
                 Dropped);
  });
}

TEST(Mailboxes, ThreadsInAMailboxThatIsNotReadAreDropped) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([] {
    auto [thread, ready] = Create([] { ADD_FAILURE() << "nobody looks there"; });
    {
      const Mailboxes boxes(1);
      boxes.Mail(0, std::move(ready));
    }
    EXPECT_THROW(thread.Join(), Dropped);
  });
}

TEST(Refusal, AWorkerSleepsThoughThereIsWorkThatItsPolicyDoesNotTake) {
  const std::vector<double> never(4, 0.0);
  const auto pool = *Pool::Create({.workers = 2, .policy = WeightedVictim(2, never)});
  const auto looks = [&] {
    std::int64_t looks = 0;
    for (int i = 0; i < 2; ++i) {
      looks += pool->worker(i).counters().parks.value();
    }
    return looks;
  };
  pool->Run([&] {
    Thread child = Spawn([&] {
      // The parent is there to be stolen for 200 ms; sleeps are of 2 ms and longer.
      const std::int64_t before = looks();
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200)) Pause();
      EXPECT_LT(looks() - before, 120);
    });
    child.Join();
  });
}

TEST(Refusal, TheOwnerOfTheQueueRunsIt) {
  const std::vector<double> never(9, 0.0);
  const auto pool = *Pool::Create({.workers = 3, .policy = WeightedVictim(3, never)});
  pool->Run([&] {
    for (int i = 0; i < 50; ++i) {
      const int other = (Worker::Here().index() + 1 + i % 2) % 3;
      int ran_on = -1;
      auto [thread, ready] = Create([&] { ran_on = WorkerIndex(); });
      Worker::Here().victim(other).Put(std::move(ready));
      thread.Join();
      EXPECT_EQ(ran_on, other);
    }
  });
}

TEST_F(Victims, ALargeHintIsPeekedWhole) {
  struct Large {
    int values[12];
  };
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    const int other = (self.index() + 1) % 4;
    Large large;
    for (int i = 0; i < 12; ++i) large.values[i] = i * i;
    auto [thread, ready] = Create([] {}, {}, std::as_bytes(std::span<const Large, 1>(&large, 1)));
    self.victim(other).Put(std::move(ready));
    const auto peeked = self.victim(other).Peek<Large>();
    ASSERT_TRUE(peeked);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(peeked->values[i], i * i);
    EXPECT_FALSE((self.victim(other).Peek<std::array<int, 20>>())) << "of another size";
    thread.Join();
  });
}

TEST_F(Victims, ShallowestOfTakesTheThreadWithTheSmallestHint) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    std::vector<Thread> threads;
    for (int i = 1; i < 4; ++i) threads.push_back(PutAt((self.index() + i) % 4, 10 - i));
    ShallowestOf policy{.candidates = 100};
    ReadyThread taken = policy.Steal(self);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken.hint<int>(), 7);
    self.Push(std::move(taken));
  });
}

TEST_F(Victims, NearestFirstGoesFurtherOnlyWhereTheNearHaveNothing) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    const int me = self.index();
    std::vector<std::vector<Ring>> rings(4);
    rings[static_cast<std::size_t>(me)] = {{1, {(me + 1) % 4}}, {20, {(me + 2) % 4}}};
    NearestFirst policy(rings);
    Thread far = PutAt((me + 2) % 4, 2);
    Thread near = PutAt((me + 1) % 4, 1);
    for (const int expected : {1, 2}) {
      ReadyThread taken = policy.Steal(self);
      ASSERT_TRUE(taken);
      EXPECT_EQ(taken.hint<int>(), expected);
      self.Push(std::move(taken));
    }
  });
}

TEST_F(Victims, WeightedVictimNeverRobsAWeightOfZero) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    const int me = self.index();
    std::vector<double> weights(16, 0.0);
    weights[static_cast<std::size_t>(me * 4 + (me + 2) % 4)] = 1;
    WeightedVictim policy(4, weights);
    Thread never = PutAt((me + 1) % 4, 1);
    EXPECT_FALSE(policy.Steal(self));
    Thread always = PutAt((me + 2) % 4, 2);
    ReadyThread taken = policy.Steal(self);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken.hint<int>(), 2);
    self.Push(std::move(taken));
  });
}

TEST_F(Victims, HalfOfVictimLeavesTheOtherHalf) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    HalfOfVictim policy;
    std::vector<Thread> threads;
    for (int victim = 0; victim < 4; ++victim) {
      if (victim == self.index()) continue;
      for (int i = 0; i < 8; ++i) threads.push_back(PutAt(victim, i));
    }
    ReadyThread taken = policy.Steal(self);
    ASSERT_TRUE(taken);
    std::int64_t left = 0;
    for (int victim = 0; victim < 4; ++victim) {
      if (victim != self.index()) left += self.victim(victim).size();
    }
    EXPECT_EQ(left + self.victim(self.index()).size(), 23);
    EXPECT_EQ(self.victim(self.index()).size(), 3) << "of eight one is in hand, three are mine";
    self.Push(std::move(taken));
  });
}

TEST_F(Victims, DistributeGivesEachWorkerItsPart) {
  pool_->Run([&] {
    Worker& self = *Worker::Current();
    std::vector<Thread> threads;
    std::vector<ReadyThread> ready;
    for (int i = 0; i < 8; ++i) {
      auto [thread, one] = Create([] {});
      threads.push_back(std::move(thread));
      ready.push_back(std::move(one));
    }
    Distribute(ready);
    for (int worker = 0; worker < 4; ++worker) EXPECT_EQ(self.victim(worker).size(), 2);
  });
}

TEST(MailboxesTest, AMailedThreadRunsWhereItWasSentUnlessThatWorkerIsBusy) {
  Mailboxes boxes(2);
  const auto pool =
      *Pool::Create({.workers = 2, .policy = boxes, .simulation = SimulationOptions{}});
  pool->Run([&] {
    const int me = WorkerIndex();
    int ran_on = -1;
    auto [thread, ready] = Create([&] { ran_on = WorkerIndex(); });
    boxes.Mail(1 - me, std::move(ready));
    Compute(100'000);
    thread.Join();
    EXPECT_EQ(ran_on, 1 - me);
  });
}

TEST(SetPolicy, AWorkerTakesTheNewPolicyBeforeItsNextSteal) {
  struct Counting {
    std::atomic<int>* calls;
    ReadyThread Steal(Worker& self) {
      ++*calls;
      return RandomVictim().Steal(self);
    }
  };
  std::atomic<int> first{0}, second{0};
  const auto pool =
      *Pool::Create({.workers = 2, .policy = Counting{&first}, .simulation = SimulationOptions{}});
  pool->Run([] { Compute(10'000); });
  EXPECT_GT(first, 0);
  pool->SetPolicy(Counting{&second});
  const int before = first;
  pool->Run([] { Compute(10'000); });
  EXPECT_EQ(first, before);
  EXPECT_GT(second, 0);
}

TEST(LostThreads, APolicyThatDropsARunningThreadEndsTheProgramWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        struct Losing {
          ReadyThread Steal(Worker& self) {
            (void)self.victim(self.RandomPeer()).Take();
            return {};
          }
        };
        const auto pool =
            *Pool::Create({.workers = 2, .policy = Losing(), .simulation = SimulationOptions{}});
        pool->Run([] { Fib(10); });
      },
      "a scheduling policy lost thread");
}

}  // namespace
}  // namespace lwt
