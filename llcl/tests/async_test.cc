// Futures, coroutines and parked threads over an endpoint of the simulated network.
#include "llcl/async.h"

#include <gtest/gtest.h>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <semaphore>
#include <vector>

#include "llcl/endpoint.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

// A coroutine that no other waits for.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Event {
  void Set() { semaphore.release(); }
  void Wait() { semaphore.acquire(); }
  std::binary_semaphore semaphore{0};
};

class AsyncTest : public testing::Test {
 protected:
  explicit AsyncTest(bool has_thread = true) {
    EndpointOptions options;
    options.executor.has_thread = has_thread;
    for (int rank = 0; rank < 2; ++rank) {
      endpoints_.push_back(
          std::make_unique<Endpoint>(MakeSimConduit(fabric_, Rank{rank}), options));
    }
    there_ = *endpoints_[1]->Allocate(8);
  }
  Posted Add(std::uint64_t amount, Completion then) {
    return endpoints_[0]->TryAtomic<std::uint64_t>(
        {.target = {there_.remote()}, .operand = amount, .then = then});
  }
  std::uint64_t sum() const {
    return *reinterpret_cast<const std::uint64_t*>(there_.local().start);
  }

  SimFabric fabric_{{.ranks = 2}};
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  Region there_;
};

TEST_F(AsyncTest, AFutureHasTheOutcome) {
  PostedFuture add = AsFuture([&](Completion then) { return Add(5, then); });
  ASSERT_EQ(add.posted, Posted::kPosted);
  EXPECT_EQ(add.outcome.get(), Outcome::kDone);
  EXPECT_EQ(sum(), 5u);
}

TEST_F(AsyncTest, ARefusedOperationHasNoFuture) {
  const PostedFuture add = AsFuture([](Completion) { return Posted::kFull; });
  EXPECT_EQ(add.posted, Posted::kFull);
  EXPECT_FALSE(add.outcome.valid());
}

TEST_F(AsyncTest, AnOperationThatWasDoneAtOnceHasItsOutcome) {
  PostedFuture done = AsFuture([](Completion) { return Posted::kDone; });
  EXPECT_EQ(done.posted, Posted::kDone);
  EXPECT_EQ(done.outcome.get(), Outcome::kDone);
  bool went_on = false;
  const auto run = [&]() -> Detached {
    const Awaited awaited = co_await Async([](Completion) { return Posted::kDone; });
    EXPECT_EQ(awaited.outcome, Outcome::kDone);
    went_on = true;
  };
  run();
  EXPECT_TRUE(went_on);
}

TEST_F(AsyncTest, ACoroutineGoesOnWhenItsOperationHasEnded) {
  std::binary_semaphore ended{0};
  const auto add_ten_times = [&]() -> Detached {
    for (int i = 0; i < 10; ++i) {
      const Awaited add = co_await Async([&](Completion then) { return Add(1, then); });
      EXPECT_EQ(add.posted, Posted::kPosted);
      EXPECT_EQ(add.outcome, Outcome::kDone);
      EXPECT_EQ(sum(), static_cast<std::uint64_t>(i + 1));
    }
    ended.release();
  };
  add_ten_times();
  ended.acquire();
}

TEST_F(AsyncTest, ACoroutineGoesOnAtOnceWhereItWasRefusedOrHasEndedAlready) {
  int steps = 0;
  const auto run = [&]() -> Detached {
    EXPECT_EQ((co_await Async([](Completion) { return Posted::kBadRange; })).posted,
              Posted::kBadRange);
    ++steps;
    const Awaited at_once = co_await Async([](Completion then) {
      then.Complete(Outcome::kRefused);
      return Posted::kPosted;
    });
    EXPECT_EQ(at_once.outcome, Outcome::kRefused);
    ++steps;
  };
  run();
  EXPECT_EQ(steps, 2);
}

TEST_F(AsyncTest, AParkedThreadIsWokenWithTheOutcome) {
  Parked<Event> done;
  ASSERT_EQ(Add(3, done.completion()), Posted::kPosted);
  EXPECT_EQ(done.Wait(), Outcome::kDone);
  EXPECT_EQ(sum(), 3u);
}

}  // namespace
}  // namespace llcl
