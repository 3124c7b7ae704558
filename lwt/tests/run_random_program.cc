#include "lwt/tests/run_random_program.h"

#include <memory>
#include <mutex>
#include <vector>

namespace lwt::random_program {
namespace {

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
    const bool is_free = mutexes_[i].TryLock();
    Require(is_free, "every mutex is free at the end");
    if (is_free) mutexes_[i].Unlock();
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
    // As a thread that has something better to do than to wait.
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
  // This thread runs: the report may be of any other.
  (void)pool_.BlockedThreads();
  Require(pool_.stacks().made >= 1, "a thread runs on a stack");
  for (int i = 0; i < pool_.workers(); ++i) {
    const Counters& counters = pool_.worker(i).counters();
    Require(counters.spawns.value() >= 0 && counters.steals.value() >= 0, "counters count up");
  }
}

}  // namespace lwt::random_program
