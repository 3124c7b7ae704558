// Every field of every options struct at its extremes: each pool works, or is
// refused by a Status that names the field and its value; so for what lwt's other
// functions are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lwt/lwt.h"
#include "lwt/machine/sanitizer.h"
#include "lwt/trace.h"

namespace lwt {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostSize = std::numeric_limits<std::size_t>::max();

struct Case {
  std::string name;
  PoolOptions options;
  std::string refused;  // by a Status that says so; empty: it works
};

PoolOptions Real() { return {.workers = 2}; }
PoolOptions Simulated() { return {.workers = 2, .simulation = SimulationOptions{}}; }

// `Field` of `options` is `value`.
template <typename Set>
Case With(const char* name, PoolOptions options, Set set, std::string refused = "") {
  set(options);
  return {name, std::move(options), std::move(refused)};
}

// All of `costs`, one after the other.
void AddCosts(std::vector<Case>& cases) {
  struct Cost {
    const char* name;
    double CostModel::*ns;
    double least_ns;
  };
  for (const Cost& cost :
       {Cost{"spawn_ns", &CostModel::spawn_ns, 0}, Cost{"switch_ns", &CostModel::switch_ns, 1},
        Cost{"look_ns", &CostModel::look_ns, 1}, Cost{"peek_ns", &CostModel::peek_ns, 0},
        Cost{"steal_ns", &CostModel::steal_ns, 0}, Cost{"lock_ns", &CostModel::lock_ns, 0},
        Cost{"shared_ns", &CostModel::shared_ns, 0}, Cost{"memory_ns", &CostModel::memory_ns, 0},
        Cost{"node_block_ns", &CostModel::node_block_ns, 0}}) {
    for (const double ns : {0.0, -0.0, 1.0, 1e9, -1.0, 1e9 + 1, -kInfinity, kInfinity, std::nan(""),
                            1e300, std::numeric_limits<double>::denorm_min()}) {
      PoolOptions options = Simulated();
      options.simulation->costs.look_ns = 1e6;  // Fewer, while others take long.
      options.simulation->costs.*cost.ns = ns;
      const bool works = ns >= cost.least_ns && ns <= 1e9;
      cases.push_back({absl::StrCat(cost.name, " ", ns), options,
                       works ? "" : absl::StrCat("simulation.costs.", cost.name, " = ")});
    }
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const int workers : {0, 1, 64}) {
    cases.push_back(With("workers", Real(), [&](auto& o) { o.workers = workers; }));
    cases.push_back(With("workers", Simulated(), [&](auto& o) { o.workers = workers; }));
  }
  for (const int workers : {-1, 4097, INT_MIN, INT_MAX}) {
    const std::string refused = absl::StrCat("workers = ", workers);
    cases.push_back(With(
        "workers", Real(), [&](auto& o) { o.workers = workers; }, refused));
    cases.push_back(With(
        "workers", Simulated(), [&](auto& o) { o.workers = workers; }, refused));
  }
  for (const std::size_t bytes :
       {std::size_t{1}, (std::size_t{16} << 10) - 1, (std::size_t{1} << 36) + 1,
        std::size_t{1} << 47, static_cast<std::size_t>(-4096), kMostSize}) {
    const std::string refused = absl::StrCat("stack_bytes = ", bytes);
    cases.push_back(With(
        "stack_bytes", Real(), [&](auto& o) { o.stack_bytes = bytes; }, refused));
    cases.push_back(With(
        "stack_bytes", Simulated(), [&](auto& o) { o.stack_bytes = bytes; }, refused));
  }
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{64} << 10, (std::size_t{64} << 10) + 1, std::size_t{1} << 30,
        std::size_t{1} << 36}) {
    // A sanitizer writes what it knows of a stack for each of its bytes.
    if (kSanitizersFollowStacks && bytes > std::size_t{1} << 20) continue;
    cases.push_back(With("stack_bytes", Real(), [&](auto& o) { o.stack_bytes = bytes; }));
  }
  for (const int looks : {1, 1'000'000}) {
    cases.push_back(With("looks", Real(), [&](auto& o) { o.looks_before_sleep = looks; }));
    cases.push_back(With("looks", Simulated(), [&](auto& o) { o.looks_before_sleep = looks; }));
  }
  for (const int looks : {0, -1, 1'000'001, INT_MAX}) {
    cases.push_back(With(
        "looks", Real(), [&](auto& o) { o.looks_before_sleep = looks; },
        absl::StrCat("looks_before_sleep = ", looks)));
  }
  cases.push_back(With(
      "policy", Real(), [](auto& o) { o.policy = AnyPolicy(); }, "policy"));
  for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    cases.push_back(With("seed", Real(), [&](auto& o) { o.seed = seed; }));
    cases.push_back(With("seed", Simulated(), [&](auto& o) { o.seed = seed; }));
  }
  cases.push_back(With("trace_events", Real(), [](auto& o) { o.trace_events = 1; }));
  for (const std::size_t events : {(std::size_t{1} << 28) + 1, kMostSize}) {
    cases.push_back(With(
        "trace_events", Real(), [&](auto& o) { o.trace_events = events; },
        absl::StrCat("trace_events = ", events)));
  }
  using std::chrono::nanoseconds;
  for (const nanoseconds after : {nanoseconds(0), nanoseconds(1), nanoseconds::max()}) {
    cases.push_back(With("stall", Real(), [&](auto& o) { o.stall_report_after = after; }));
  }
  for (const nanoseconds after : {nanoseconds(-1), nanoseconds::min()}) {
    cases.push_back(With(
        "stall", Real(), [&](auto& o) { o.stall_report_after = after; },
        absl::StrCat("stall_report_after in nanoseconds = ", after.count())));
  }
  for (const IoBackend backend : {IoBackend::kEpoll, IoBackend::kAutomatic}) {
    cases.push_back(With("io_backend", Real(), [&](auto& o) { o.io_backend = backend; }));
    cases.push_back(With("io_backend", Simulated(), [&](auto& o) { o.io_backend = backend; }));
  }
  cases.push_back(With(
      "io_backend", Simulated(), [](auto& o) { o.io_backend = IoBackend::kIoUring; },
      "io_backend = kIoUring: simulated workers do no I/O"));
  for (const int number : {-1, 3, INT_MAX}) {
    cases.push_back(With(
        "io_backend", Real(), [&](auto& o) { o.io_backend = static_cast<IoBackend>(number); },
        absl::StrCat("io_backend = ", number)));
  }
  for (const topo::Policy placement : {topo::Policy::kNone, topo::Policy::kScatter}) {
    cases.push_back(With("placement", Real(), [&](auto& o) {
      o.workers = 1;
      o.placement = placement;
    }));
  }
  cases.push_back(
      With("woken_from_outside", Real(), [](auto& o) { o.woken_from_outside = false; }));

  AddCosts(cases);
  for (const double jitter : {0.0, 0.999}) {
    cases.push_back(
        With("jitter", Simulated(), [&](auto& o) { o.simulation->costs.jitter = jitter; }));
  }
  for (const double jitter : {-0.1, 1.0, kInfinity, std::nan("")}) {
    cases.push_back(With(
        "jitter", Simulated(), [&](auto& o) { o.simulation->costs.jitter = jitter; },
        "simulation.costs.jitter = "));
  }
  cases.push_back(With(
      "block_bytes", Simulated(), [](auto& o) { o.simulation->costs.block_bytes = 0; },
      "simulation.costs.block_bytes = 0"));
  for (const std::size_t size : {std::size_t{1}, kMostSize}) {
    cases.push_back(
        With("block_bytes", Simulated(), [&](auto& o) { o.simulation->costs.block_bytes = size; }));
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kMostSize}) {
    cases.push_back(With("private_blocks", Simulated(),
                         [&](auto& o) { o.simulation->costs.private_blocks = size; }));
    cases.push_back(With("shared_blocks", Simulated(),
                         [&](auto& o) { o.simulation->costs.shared_blocks = size; }));
  }
  for (const int node : {-1, 4096, INT_MIN, INT_MAX}) {
    cases.push_back(With(
        "node_of", Simulated(),
        [&](auto& o) {
          o.simulation->node_of = {0, node};
        },
        absl::StrCat("simulation.node_of = ", node)));
  }
  cases.push_back(With("node_of", Simulated(), [](auto& o) { o.simulation->node_of = {3, 0, 1}; }));
  cases.push_back(With("node_of", Simulated(), [](auto& o) { o.simulation->node_of = {4095}; }));
  for (const std::uint64_t distance : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
    cases.push_back(With("node_distances", Simulated(), [&](auto& o) {
      o.simulation->node_of = {0, 1};
      o.simulation->node_distances = {10, distance, distance, 10};
      o.simulation->costs.look_ns = 1e6;
    }));
  }
  for (const std::uint64_t distance : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    cases.push_back(With(
        "node_distances", Simulated(),
        [&](auto& o) {
          o.simulation->node_of = {0, 1};
          o.simulation->node_distances = {10, distance, distance, 10};
        },
        absl::StrCat("simulation.node_distances = ", distance)));
  }
  cases.push_back(With(
      "node_distances", Simulated(),
      [](auto& o) {
        o.simulation->node_of = {0, 1};
        o.simulation->node_distances = {10, 20};
      },
      "simulation.node_distances of size = 2"));
  cases.push_back(With(
      "node_distances", Simulated(),
      [](auto& o) {
        o.simulation->node_distances = {10, 20, 20, 10};
      },
      "simulation.node_distances of size = 4"));
  return cases;
}

// Threads, yields, fetches and a sleep: what options can spoil.
int Use(Pool& pool) {
  static std::byte touched[3];
  return pool.Run([&] {
    int ran = 0;
    for (int i = 0; i < 3; ++i) {
      Thread child = Spawn([&] {
        Compute(10);
        Touch(touched, sizeof touched, Access::kWrite);
        Yield();
        ++ran;
      });
      Touch(touched, sizeof touched, Access::kRead);
      child.Join();
    }
    SleepFor(std::chrono::microseconds(1));
    return ran;
  });
}

TEST(Options, EachExtremeWorksOrIsRefusedByFieldAndValue) {
  int refused = 0, worked = 0;
  for (const Case& one : Cases()) {
    const auto pool = Pool::Create(one.options);
    if (pool.ok()) {
      EXPECT_EQ(one.refused, "") << one.name;
      EXPECT_EQ(Use(**pool), 3) << one.name;
      EXPECT_GE((*pool)->stack_bytes(), one.options.stack_bytes) << one.name;
      ++worked;
    } else {
      EXPECT_NE(one.refused, "") << one.name << ": " << pool.status();
      EXPECT_THAT(std::string(pool.status().message()), HasSubstr(one.refused)) << one.name;
      EXPECT_EQ(pool.status().code(), absl::StatusCode::kInvalidArgument) << one.name;
      ++refused;
    }
  }
  EXPECT_GT(worked, 40);
  EXPECT_GT(refused, 50);
}

TEST(Options, DurationsThatNoClockCountsAreForEverOrNever) {
  using Centuries = std::chrono::duration<std::int64_t, std::ratio<3'155'760'000>>;
  using Doubles = std::chrono::duration<double>;
  EXPECT_EQ(ClockDuration(Centuries(1'000)), Clock::duration::max());
  EXPECT_EQ(ClockDuration(Centuries::max()), Clock::duration::max());
  EXPECT_EQ(ClockDuration(Centuries::min()), Clock::duration::min());
  EXPECT_EQ(ClockDuration(Doubles(kInfinity)), Clock::duration::max());
  EXPECT_EQ(ClockDuration(Doubles(-kInfinity)), Clock::duration::min());
  EXPECT_EQ(ClockDuration(Doubles(std::nan(""))), Clock::duration::max());
  EXPECT_EQ(ClockDuration(Doubles(1.5e-9)), Clock::duration(2)) << "never shorter";
  EXPECT_EQ(ClockDuration(std::chrono::hours(2)), std::chrono::hours(2));
  EXPECT_EQ(DeadlineAfter(Centuries(1'000)), Deadline::max());
  EXPECT_EQ(DeadlineAfter(std::chrono::hours::max()), Deadline::max());
}

TEST(Options, TimersTakeExtremeMoments) {
  for (const PoolOptions& options : {Real(), Simulated()}) {
    const auto pool = *Pool::Create(options);
    pool->Run([] {
      SleepUntil(Deadline::min());
      SleepFor(Clock::duration::min());
      SleepFor(std::chrono::hours::min());
      Event never;
      EXPECT_FALSE(never.WaitUntil(Deadline::min()));
      EXPECT_FALSE(never.WaitFor(std::chrono::hours::min()));
      EXPECT_FALSE(never.WaitFor(std::chrono::duration<double>(-kInfinity)));
      Mutex mutex;
      ConditionVariable changed;
      const std::lock_guard lock(mutex);
      EXPECT_EQ(changed.WaitUntil(mutex, Deadline::min()), Waited::kTimedOut);
      EXPECT_EQ(changed.WaitFor(mutex, std::chrono::hours::min()), Waited::kTimedOut);
      Event soon;
      Thread setter = Spawn([&] {
        SleepFor(std::chrono::microseconds(10));
        soon.Set();
      });
      EXPECT_TRUE(soon.WaitFor(std::chrono::hours::max()));
      EXPECT_TRUE(soon.WaitUntil(Deadline::max()));
      setter.Join();
    });
  }
}

TEST(Options, AVirtualClockAtTheEndOfTimeStaysThere) {
  const auto pool = *Pool::Create({.workers = 1, .simulation = SimulationOptions{}});
  pool->Run([] {
    for (int i = 0; i < 10; ++i) Compute(1e300);
    EXPECT_EQ(Now(), Deadline::max());
  });
}

TEST(Options, RangesMayHaveAllIndices) {
  const auto pool = *Pool::Create(Real());
  pool->Run([] {
    for (const std::int64_t grain : {INT64_MAX, INT64_MAX - 1, INT64_MAX / 2}) {
      std::uint64_t indices = 0;
      const std::uint64_t reduced = ParallelReduce(
          INT64_MIN, INT64_MAX, grain, std::uint64_t{0},
          [](std::int64_t begin, std::int64_t end) {
            return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
          },
          [](std::uint64_t a, std::uint64_t b) { return a + b; });
      EXPECT_EQ(reduced, UINT64_MAX);
      Mutex mutex;
      ParallelFor(INT64_MIN, INT64_MAX, grain, [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        indices += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
      });
      EXPECT_EQ(indices, UINT64_MAX);
    }
    ParallelFor(INT64_MAX, INT64_MIN, 1, [](auto, auto) { ADD_FAILURE() << "it is empty"; });
  });
}

TEST(Options, AChannelThatNoMemoryHoldsIsBadAlloc) {
  EXPECT_THROW(Channel<int>{kMostSize}, std::bad_alloc);
  EXPECT_THROW(Channel<int>{std::size_t{1} << 60}, std::bad_alloc);
}

TEST(Options, StealsByNoDepthsAreNone) {
  const TraceEvent steal{.kind = TraceEvent::Kind::kSteal};
  EXPECT_TRUE(StealsByDepth({&steal, 1}, 0).empty());
  EXPECT_TRUE(StealsByDepth({&steal, 1}, INT_MIN).empty());
}

class OptionsDeathTest : public testing::Test {
 protected:
  OptionsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Of constructors and functions that return no Status.
TEST_F(OptionsDeathTest, OfWhatReturnsNoStatusASentenceEndsTheProgram) {
  EXPECT_DEATH(Channel<int>(0), "a channel has room for one item or more");
  EXPECT_DEATH(Barrier(0), "a barrier is for one thread or more");
  EXPECT_DEATH(Barrier(INT_MIN), "a barrier is for one thread or more");
  EXPECT_DEATH(Latch(-1), "a latch counts down from 0 or more");
  EXPECT_DEATH(Latch(1).CountDown(INT64_MIN), "a latch is counted down by 1 or more");
  EXPECT_DEATH(Latch(1).CountDown(INT64_MAX), "a latch is counted down to 0 and no further");
  EXPECT_DEATH(JoinCounter(0), "a join counter waits for one decrement or more");
  EXPECT_DEATH(ParallelFor(0, 1, 0, [](auto, auto) {}), "a grain is at least one index");
  EXPECT_DEATH(ParallelFor(0, 1, INT64_MIN, [](auto, auto) {}), "a grain is at least one index");
  EXPECT_DEATH(Mailboxes(0), "mailboxes are for one worker or more");
  EXPECT_DEATH(WeightedVictim(0, {}), "a weight for each thief and victim");
  const double weights[] = {1, -1, 1, 1};
  EXPECT_DEATH(WeightedVictim(2, weights), "a weight is a number of 0 or more");
  EXPECT_DEATH(
      {
        const auto pool =
            *Pool::Create({.workers = 2, .policy = ShallowestOf{.candidates = INT_MIN}});
        SleepFor(std::chrono::seconds(50));
      },
      "ShallowestOf looks at one candidate or more");
  for (const double ns : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_DEATH((*Pool::Create(Simulated()))->Run([&] { Compute(ns); }),
                 "Compute takes a finite number of nanoseconds, 0 or more");
  }
  EXPECT_DEATH((*Pool::Create(Simulated()))->Run([] { Touch("", SIZE_MAX, Access::kRead); }),
               "the memory given to Touch ends inside the address space");
}

TEST(Options, AThreadWithoutANameIsCalledOne) {
  const auto pool = *Pool::Create(Simulated());
  try {
    pool->Run([] { Spawn([] { Event().Wait(); }, {.name = nullptr}).Join(); });
    FAIL() << "Run returned";
  } catch (const Deadlock& deadlock) {
    EXPECT_THAT(deadlock.what(), HasSubstr("thread (depth 1) waits for an event"));
  }
}

}  // namespace
}  // namespace lwt
