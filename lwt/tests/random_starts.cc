// The operations of random programs that start threads and forked calls.
#include <memory>
#include <utility>
#include <vector>

#include "lwt/tests/run_random_program.h"

namespace lwt::random_program {

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

}  // namespace lwt::random_program
