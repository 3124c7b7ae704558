#include "lwt/tests/run_random_program.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace lwt::random_program {
namespace {

struct Thrown {
  std::uint64_t value;
};

// What kTouch uses.
alignas(4096) std::byte pages[8 * 4096];

}  // namespace

void Execution::Require(bool holds, const char* what) {
  if (!holds) failure_ = what;
}

Result Execution::Run(const Body& program) {
  Result result;
  result.value = pool_.Run([&] { return Value(program); });
  for (std::size_t i = 0; i < kMutexes; ++i) {
    Require(mutexes_[i].TryLock(), "every mutex is free at the end");
    result.counters[i] = counters_[i];
  }
  return result;
}

std::uint64_t Execution::ValueOrThrow(const Body& body) {
  std::uint64_t value = body.seed;
  for (const Op& op : body.ops) value = Mix(value, Perform(op));
  if (body.throws) throw Thrown{~value};
  return value;
}

std::uint64_t Execution::Value(const Body& body) {
  try {
    return ValueOrThrow(body);
  } catch (const Thrown& thrown) {
    Require(body.throws, "an exception reaches the body's own joiner");
    return thrown.value;
  }
}

Thread Execution::Start(Random& random, std::function<void()> f) {
  const int way = random.Between(0, 7);
  if (way == 0) {
    auto [dropped, ready] = Create([] {});
    ready = ReadyThread();  // The old one goes with the temporary.
    try {
      dropped.Join();
      Require(false, "who joins a dropped thread gets Dropped");
    } catch (const Dropped&) {
    }
  }
  switch (way) {
    case 1:
      return SpawnWithHint(Depth(), std::move(f), {.name = "of a narrow hint"});
    case 2:
      return SpawnWithHint(WideHint::Of(random.Next()), std::move(f), {.name = "of a wide hint"});
    case 3: {
      auto [thread, ready] = Create(std::move(f), {.name = "pushed"});
      Worker::Here().Push(std::move(ready));
      return std::move(thread);
    }
    case 4: {
      auto [thread, ready] = CreateWithHint(Depth(), std::move(f), {.name = "put"});
      const int worker = random.Between(0, Worker::Here().workers() - 1);
      Worker::Here().victim(worker).Put(std::move(ready));
      return std::move(thread);
    }
    case 5: {
      Thread thread;
      if (TrySpawn(thread, std::move(f)) != SpawnResult::kSpawned) {
        Require(false, "there is memory for a thread");
      }
      return thread;
    }
    case 6: {
      auto [thread, ready] = Create(std::move(f), {.name = "distributed"});
      Distribute({&ready, 1});
      return std::move(thread);
    }
    default:
      return Spawn(std::move(f));
  }
}

std::uint64_t Execution::Perform(const Op& op) {
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  const auto then = [&](std::uint64_t next) { return Mix(value, next); };
  switch (op.kind) {
    case Kind::kCompute:
      Compute(op.n);
      return value;
    case Kind::kTouch:
      Touch(pages + op.seed % 4 * 4096, static_cast<std::size_t>(op.n) * 800,
            op.seed % 3 == 0 ? Access::kWrite : Access::kRead);
      return value;
    case Kind::kYield:
      for (int i = 0; i < op.n; ++i) Yield();
      return value;
    case Kind::kSleep:
      Sleep(op);
      return value;
    case Kind::kStack:
      KeepStack(op);
      return value;
    case Kind::kThreads:
      return Threads(op);
    case Kind::kDetached:
      return Detached(op);
    case Kind::kForkJoin:
      return Fork(op);
    case Kind::kTaskGroup:
      return Group(op);
    case Kind::kReduce:
      return then(ParallelReduce(
          1, op.n + 1, op.m, std::uint64_t{0},
          [&](std::int64_t begin, std::int64_t end) {
            Compute(static_cast<double>(end - begin) * 50);
            std::uint64_t sum = 0;
            for (std::int64_t i = begin; i < end; ++i) sum += static_cast<std::uint64_t>(i);
            return sum;
          },
          [](std::uint64_t a, std::uint64_t b) { return a + b; }));
    case Kind::kLocked:
      return Locked(op);
    case Kind::kLockedBoth:
      return LockedBoth(op);
    case Kind::kTurns:
      return then(Turns(op));
    case Kind::kPipeline:
      return then(Pipeline(op));
    case Kind::kMarket:
      return then(Market(op));
    case Kind::kCells:
      return then(Cells(op));
    case Kind::kBarrier:
      return then(Rounds(op));
    case Kind::kEvent:
      return Happen(op);
    case Kind::kJoinCounter:
      return then(Decrements(op));
    case Kind::kRethrow:
      return Rethrow(op);
    case Kind::kNestedRun:
      return then((other_ != nullptr && op.seed % 2 == 0 ? *other_ : pool_).Run([&] {
        return Value(op.bodies[0]);
      }));
    case Kind::kSetPolicy: {
      Random random(op.seed);
      pool_.SetPolicy(RandomPolicy(random, pool_.workers()));
      return value;
    }
    case Kind::kReport:
      Report();
      return value;
    case Kind::kOutside:
      return then(Outside(op));
    case Kind::kPipe:
      return then(Pipe(op));
  }
  return value;
}

std::uint64_t Execution::Threads(const Op& op) {
  Random random(op.seed);
  const std::size_t bodies = op.bodies.size();
  std::vector<std::uint64_t> values(bodies);
  std::vector<Thread> threads(bodies);
  for (std::size_t i = 0; i + 1 < bodies || i == 0; ++i) {
    threads[i] = Start(random, [this, &values, &op, i] { values[i] = ValueOrThrow(op.bodies[i]); });
  }
  if (bodies > 1) values.back() = Value(op.bodies.back());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bodies; ++i) {
    if (threads[i].joinable()) order.push_back(i);
  }
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.Between(0, static_cast<int>(i) - 1))]);
  }
  const auto join_all = [&] {
    for (const std::size_t i : order) {
      try {
        threads[i].Join();
        Require(!op.bodies[i].throws, "what a body throws comes out of the join");
      } catch (const Thrown& thrown) {
        Require(op.bodies[i].throws, "only what a body throws comes out of the join");
        values[i] = thrown.value;
      }
    }
  };
  if (random.OneIn(4)) {
    Spawn(join_all, {.name = "joiner"}).Join();
  } else {
    join_all();
  }
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  for (const std::uint64_t one : values) value = Mix(value, one);
  return value;
}

std::uint64_t Execution::Detached(const Op& op) {
  const auto bodies = static_cast<int>(op.bodies.size());
  struct Shared {
    explicit Shared(int bodies)
        : latch(bodies), counter(bodies), barrier(bodies + 1), values(bodies) {}
    Latch latch;
    JoinCounter counter;
    Event event;
    Barrier barrier;
    std::atomic<int> ended{0};
    std::vector<std::uint64_t> values;
  };
  const auto shared = std::make_shared<Shared>(bodies);
  Random random(op.seed);
  for (int i = 0; i < bodies; ++i) {
    const Body& body = op.bodies[static_cast<std::size_t>(i)];
    Start(random, [this, shared, i, bodies, how = op.n, &body] {
      shared->values[static_cast<std::size_t>(i)] = Value(body);
      // Once the last of them has said that it is through, only `shared` is sure to be there.
      if (how == 0) shared->latch.CountDown();
      if (how == 1) shared->counter.Decrement();
      if (how == 2 && shared->ended.fetch_add(1) + 1 == bodies) shared->event.Set();
      if (how == 3) shared->barrier.ArriveAndWait();
    }).Detach();
  }
  if (op.n == 0) shared->latch.Wait();
  if (op.n == 1) shared->counter.Wait();
  if (op.n == 2) shared->event.Wait();
  if (op.n == 3) shared->barrier.ArriveAndWait();
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  for (const std::uint64_t one : shared->values) value = Mix(value, one);
  return value;
}

std::uint64_t Execution::Fork(const Op& op) {
  std::uint64_t first = 0, second = 0;
  try {
    // The second may throw; if the first did, the second would perhaps not run.
    ForkJoin([&] { first = Value(op.bodies[0]); }, [&] { second = ValueOrThrow(op.bodies[1]); },
             Depth());
    Require(!op.bodies[1].throws, "what a forked call throws comes out of the join");
  } catch (const Thrown& thrown) {
    second = thrown.value;
  }
  return Mix(Mix(static_cast<std::uint64_t>(op.kind), first), second);
}

std::uint64_t Execution::Group(const Op& op) {
  std::vector<std::uint64_t> values(op.bodies.size());
  bool throws = false;
  {
    TaskGroup group;
    for (std::size_t i = 0; i < op.bodies.size(); ++i) {
      throws = throws || op.bodies[i].throws;
      // What is larger than a record's room lies elsewhere.
      std::array<std::uint64_t, 10> ballast = {op.seed};
      const auto run = [this, &op, &values, i] {
        values[i] = Value(op.bodies[i]);
        if (op.bodies[i].throws) throw Thrown{values[i]};
      };
      if (op.seed % 2 == 0) {
        group.Run(run, Depth());
      } else {
        group.Run([run, ballast, this, &op] {
          Require(ballast[0] == op.seed, "a function is what was given to Run");
          run();
        });
      }
    }
    try {
      group.Wait();
      Require(!throws, "what one of a group throws comes out of Wait");
    } catch (const Thrown&) {
      Require(throws, "only what one of a group throws comes out of Wait");
    }
  }
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  for (const std::uint64_t one : values) value = Mix(value, one);
  return value;
}

// With `mutex` held.
std::uint64_t Execution::Inside(const Op& op, int mutex) {
  const auto at = static_cast<std::size_t>(mutex);
  Require(++inside_[at] == 1, "one thread holds a mutex");
  const std::int64_t before = counters_[at];
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  for (const Body& body : op.bodies) value = Mix(value, Value(body));
  Require(counters_[at] == before, "what a mutex guards does not change under it");
  counters_[at] = before + 1;
  --inside_[at];
  return value;
}

std::uint64_t Execution::Locked(const Op& op) {
  Mutex& mutex = mutexes_[op.n];
  if (op.seed % 3 == 0) {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) lock.lock();
    return Inside(op, op.n);
  }
  if (op.seed % 3 == 1) {
    // As who has something better to do than to wait.
    for (int i = 0; i < 20; ++i) {
      if (!mutex.TryLock()) {
        Yield();
        continue;
      }
      const std::lock_guard lock(mutex, std::adopt_lock);
      return Inside(op, op.n);
    }
  }
  const std::lock_guard lock(mutex);
  return Inside(op, op.n);
}

std::uint64_t Execution::LockedBoth(const Op& op) {
  const auto both = [&] {
    const auto at = static_cast<std::size_t>(op.m);
    Require(++inside_[at] == 1, "one thread holds a mutex");
    const std::uint64_t value = Inside(op, op.n);
    ++counters_[at];
    --inside_[at];
    return value;
  };
  if (op.seed % 2 == 0) {
    // std::lock takes one and tries the other: no order of the two deadlocks.
    const std::scoped_lock lock(mutexes_[op.m], mutexes_[op.n]);
    return both();
  }
  const std::lock_guard first(mutexes_[op.n]);
  const std::lock_guard second(mutexes_[op.m]);
  return both();
}

std::uint64_t Execution::Rethrow(const Op& op) {
  std::uint64_t value = 0;
  try {
    try {
      throw Thrown{op.seed};
    } catch (const Thrown&) {
      Yield();
      value = Value(op.bodies[0]);
      throw;
    }
  } catch (const Thrown& again) {
    Require(again.value == op.seed, "what is thrown again is what was caught");
  }
  return Mix(static_cast<std::uint64_t>(op.kind), value);
}

std::uint64_t Execution::Happen(const Op& op) {
  Event event;
  std::atomic<bool> happened{false};
  std::vector<Thread> waiters;
  Random random(op.seed);
  for (int i = 0; i < op.n; ++i) {
    const int patience_us = random.OneIn(2) ? random.Between(0, 100) : -1;
    waiters.push_back(Start(random, [&, patience_us] {
      if (patience_us < 0) {
        event.Wait();
      } else if (patience_us % 4 == 0) {
        while (!event.IsSet()) Yield();
      } else {
        const std::chrono::microseconds patience(patience_us);
        for (Deadline start = Now(); !event.WaitFor(patience); start = Now()) {
          Require(Now() - start >= patience, "nobody gives up before the deadline");
          Compute(100);
          Yield();
        }
      }
      Require(happened, "nobody passes an event that is not set");
    }));
  }
  const std::uint64_t value = Value(op.bodies[0]);
  happened = true;
  event.Set();
  for (Thread& waiter : waiters) waiter.Join();
  return Mix(static_cast<std::uint64_t>(op.kind), value);
}

void Execution::KeepStack(const Op& op) {
  volatile char kept[4000];
  Random random(op.seed);
  const auto n = static_cast<std::size_t>(op.n);
  for (std::size_t i = 0; i < n; ++i) kept[i] = static_cast<char>(random.Next());
  if (op.seed % 3 == 0) Yield();
  if (op.seed % 3 == 1) SleepFor(std::chrono::microseconds(op.seed % 20));
  if (op.seed % 3 == 2) Spawn([] { Yield(); }).Join();
  Random again(op.seed);
  for (std::size_t i = 0; i < n; ++i) {
    Require(kept[i] == static_cast<char>(again.Next()), "a stack is one thread's");
  }
}

void Execution::Sleep(const Op& op) {
  const std::chrono::microseconds asleep(op.n);
  const Deadline start = Now();
  if (op.seed % 2 == 0) {
    SleepFor(asleep);
  } else {
    Mutex mutex;
    ConditionVariable never;
    const std::lock_guard lock(mutex);
    Require(never.WaitFor(mutex, asleep) == Waited::kTimedOut, "nobody notifies");
  }
  Require(Now() - start >= asleep, "a sleep is never shorter");
}

void Execution::Report() {
  Require(WorkerIndex() >= 0 && WorkerIndex() < Worker::Here().workers(),
          "a thread is on a worker");
  // This one runs: the report may be of anybody else.
  (void)pool_.BlockedThreads();
  Require(pool_.stacks().made >= 1, "a thread runs on a stack");
  for (int i = 0; i < pool_.workers(); ++i) {
    const Counters& counters = pool_.worker(i).counters();
    Require(counters.spawns.value() >= 0 && counters.steals.value() >= 0, "counters count up");
  }
}

}  // namespace lwt::random_program
