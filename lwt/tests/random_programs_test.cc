// Random programs on simulated and on real workers, against what they must result
// in (random_program.h).
// tools/random/seeds.h says how to run others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "lwt/machine/sanitizer.h"
#include "lwt/tests/run_random_program.h"
#include "tools/random/seeds.h"

namespace lwt::random_program {
namespace {

int Programs(int otherwise) {
#if defined(LWT_TSAN)
  otherwise = otherwise / 8 + 1;  // It makes them as much slower.
#endif
  return static_cast<int>(random_programs::Programs(static_cast<std::uint64_t>(otherwise)));
}

// Ends the test program, with the seed, should a program never end.
class Watchdog {
 public:
  // `pool`: asked for what its threads wait for.
  Watchdog(Pool& pool, std::uint64_t seed) : watcher_([this, &pool, seed] { Watch(pool, seed); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    watcher_.join();
  }

 private:
  void Watch(Pool& pool, std::uint64_t seed) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(60), [this] { return done_; })) return;
    std::fprintf(stderr, "random program %llu does not end; its threads:\n%s",
                 static_cast<unsigned long long>(seed), pool.BlockedThreads().c_str());
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;  // under mutex_
  std::thread watcher_;
};

PoolOptions RandomOptions(std::uint64_t seed, int most_workers) {
  Random random(~seed);
  PoolOptions options;
  options.workers = random.Between(1, most_workers);
  // Checked builds have larger frames.
  const int least = kSanitizersFollowStacks ? 8 : 6;
  options.stack_bytes = std::size_t{1024} << random.Between(least, 10);
  options.policy = RandomPolicy(random, options.workers);
  options.seed = random.Next();
  options.trace_events = random.OneIn(2) ? 0 : 1000;
  return options;
}

PoolOptions RandomSimulation(std::uint64_t seed) {
  PoolOptions options = RandomOptions(seed, 12);
  Random random(seed * 3);
  SimulationOptions& simulation = options.simulation.emplace();
  if (random.OneIn(2)) {
    const int nodes = random.Between(1, 4);
    for (int i = 0; i < options.workers; ++i) {
      simulation.node_of.push_back(i < nodes ? nodes - 1 - i : random.Between(0, nodes - 1));
    }
    if (options.workers >= nodes && random.OneIn(2)) {
      for (int i = 0; i < nodes * nodes; ++i) {
        simulation.node_distances.push_back(
            i % (nodes + 1) == 0 ? 10 : static_cast<std::uint64_t>(random.Between(10, 40)));
      }
    }
  }
  simulation.costs.jitter = random.Between(0, 9) / 10.0;
  simulation.costs.switch_ns = random.Between(1, 200);
  simulation.costs.spawn_ns = random.Between(0, 200);
  simulation.costs.steal_ns = random.Between(1, 5'000);
  simulation.costs.look_ns = random.Between(1, 500);
  simulation.costs.peek_ns = random.OneIn(2) ? 0 : random.Between(1, 500);
  simulation.costs.lock_ns = random.OneIn(2) ? 0 : random.Between(1, 5'000);
  simulation.costs.node_block_ns = random.OneIn(2) ? 0 : random.Between(1, 2'000);
  if (!simulation.node_of.empty() && random.OneIn(2)) simulation.home_node = 0;
  simulation.costs.private_blocks = static_cast<std::size_t>(random.Between(1, 8));
  simulation.costs.shared_blocks = static_cast<std::size_t>(random.Between(1, 16));
  return options;
}

struct Outcome {
  Result result;
  std::string failure;
  double simulated_ns = 0;
  std::string trace;
};

Outcome RunOnce(const Body& program, const PoolOptions& options, std::uint64_t seed) {
  Outcome outcome;
  auto made = Pool::Create(options);
  if (!made.ok()) {
    outcome.failure = made.status().ToString();
    return outcome;
  }
  Pool& pool = **made;
  const Watchdog watchdog(pool, seed);
  try {
    Execution execution(pool);
    outcome.result = execution.Run(program);
    if (execution.failure() != nullptr) {
      outcome.failure = std::string("violated: ") + execution.failure();
    }
  } catch (const std::exception& error) {
    outcome.failure = error.what();
  }
  outcome.simulated_ns = pool.simulated_ns();
  if (options.simulation) {
    outcome.trace = ToChromeTrace(pool.TraceEvents(), outcome.simulated_ns);
  }
  return outcome;
}

// The program's text, where it is short enough to be read.
std::string Shown(const Body& program) {
  const std::string text = ToText(program);
  return text.size() > 4000 ? text.substr(0, 4000) + "...\n" : text;
}

// To stderr, before they run: there it is also where one ends the test.
void PrintSeeds(std::uint64_t first, std::uint64_t count) {
  std::fprintf(stderr, "random programs %llu to %llu\n", static_cast<unsigned long long>(first),
               static_cast<unsigned long long>(first + count - 1));
}

template <typename Options>
void RunPrograms(int otherwise, const Limits& limits, Options options_of, int times) {
  const std::uint64_t first = random_programs::FirstSeed();
  const int programs = Programs(otherwise);
  for (int i = 0; i < programs; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    constexpr int kLine = 10;
    if (i % kLine == 0) PrintSeeds(seed, static_cast<std::uint64_t>(std::min(kLine, programs - i)));
    const Body program = Generate(seed, limits);
    const Result expected = Expect(program);
    const PoolOptions options = options_of(seed);
    std::optional<Outcome> before;
    for (int time = 0; time < times; ++time) {
      const Outcome outcome = RunOnce(program, options, seed);
      ASSERT_EQ(outcome.failure, "") << "seed " << seed << ":\n" << Shown(program);
      ASSERT_EQ(outcome.result.value, expected.value) << "seed " << seed << ":\n" << Shown(program);
      ASSERT_EQ(outcome.result.counters, expected.counters) << "seed " << seed << ":\n"
                                                            << Shown(program);
      if (before && options.simulation) {
        ASSERT_EQ(outcome.simulated_ns, before->simulated_ns) << "seed " << seed;
        ASSERT_EQ(outcome.trace, before->trace) << "seed " << seed;
      }
      before = outcome;
    }
    ASSERT_EQ(TornHints(), 0) << "seed " << seed;
  }
}

TEST(RandomPrograms, ResultInWhatTheyMustOnSimulatedWorkersAndTheirScheduleIsReplayedByTheSeed) {
  RunPrograms(150, Limits{}, RandomSimulation, 2);
}

TEST(RandomPrograms, ResultInWhatTheyMustOnRealWorkers) {
  RunPrograms(
      100, Limits{.outside = true}, [](std::uint64_t seed) { return RandomOptions(seed, 5); }, 1);
}

// As RunOnce, but of several programs that are called from as many OS threads.
TEST(RandomPrograms, ResultInWhatTheyMustWhereSeveralRunOnOnePoolAndVisitAnother) {
  constexpr std::uint64_t kAtOnce = 4;
  const std::uint64_t first = random_programs::FirstSeed();
  const int rounds = Programs(20);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(round) * kAtOnce;
    PrintSeeds(seed, kAtOnce);
    const auto pool = *Pool::Create(RandomOptions(seed, 5));
    const Watchdog watchdog(*pool, seed);
    const auto other = *Pool::Create(RandomOptions(seed + 1, 3));
    std::vector<std::thread> callers;
    std::vector<std::string> failures(kAtOnce);
    for (std::uint64_t i = 0; i < kAtOnce; ++i) {
      callers.emplace_back([&, i] {
        const Body program = Generate(seed + i, Limits{.outside = true});
        Execution execution(*pool, other.get());
        if (execution.Run(program) != Expect(program)) failures[i] = "another result";
        if (execution.failure() != nullptr) failures[i] = execution.failure();
      });
    }
    for (std::thread& caller : callers) caller.join();
    ASSERT_EQ(failures, std::vector<std::string>(kAtOnce)) << "seeds " << seed << " and following";
  }
}

TEST(RandomProgram, HasAnOperationOfEachKindInSomeSeedOfThoseThatAlwaysRun) {
  std::array<int, kKinds> seen = {};
  const auto count = [&seen](const auto& self, const Body& body) -> void {
    for (const Op& op : body.ops) {
      ++seen[static_cast<std::size_t>(op.kind)];
      for (const Body& below : op.bodies) self(self, below);
    }
  };
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    count(count, Generate(seed, Limits{.outside = true}));
  }
  for (int kind = 0; kind < kKinds; ++kind) {
    EXPECT_GE(seen[static_cast<std::size_t>(kind)], 10) << kind;
  }
}

}  // namespace
}  // namespace lwt::random_program
