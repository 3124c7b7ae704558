// Boost.Fiber, one OS thread: its schedulers share work between OS threads that
// are set up once in a process, so it has no rows with two.
#include <benchmark/benchmark.h>

#include <boost/fiber/all.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "lwt/benches/problems.h"
#include "lwt/benches/resident.h"

namespace {

// The child first, on a stack as large as lwt's, without a guard.
template <typename F>
boost::fibers::fiber Start(F&& f) {
  static boost::fibers::fixedsize_stack stacks(64 << 10);
  return boost::fibers::fiber(boost::fibers::launch::dispatch, std::allocator_arg, stacks,
                              std::forward<F>(f));
}

struct Fiber {
  static constexpr const char* kName = "fiber";
  static constexpr int kMostWorkers = 1;
  // Two hundred times as slow as others.
  static constexpr int kIterationsDividedBy = 10;

  explicit Fiber(int) {}

  template <typename F>
  void Run(F f) {
    f();
  }
  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
    boost::fibers::fiber child = Start([&f] { f(); });
    g();
    child.join();
  }
  template <typename F>
  static void CreateJoin(F&& f) {
    Start([&f] { f(); }).join();
  }
};

void Yield(benchmark::State& state) {
  constexpr int kThreads = 10, kYields = 10'000;
  problems::Measure(state, kThreads * kYields, kThreads * kYields, [] {
    int turns = 0;
    std::vector<boost::fibers::fiber> fibers;
    for (int i = 0; i < kThreads; ++i) {
      fibers.push_back(Start([&turns] {
        for (int turn = 0; turn < kYields; ++turn, ++turns) boost::this_fiber::yield();
      }));
    }
    for (boost::fibers::fiber& fiber : fibers) fiber.join();
    return turns;
  });
}
BENCHMARK(Yield)->Name("yield/fiber")->Iterations(10)->UseManualTime();

void BlockedThread(benchmark::State& state) {
  for (auto _ : state) {
    state.SetIterationTime(1);
    boost::fibers::mutex mutex;
    boost::fibers::condition_variable changed;
    bool over = false;
    int blocked = 0;
    std::vector<boost::fibers::fiber> fibers;
    fibers.reserve(problems::kBlocked);
    const double before = problems::ResidentBytes();
    for (int i = 0; i < problems::kBlocked; ++i) {
      fibers.push_back(Start([&] {
        std::unique_lock<boost::fibers::mutex> lock(mutex);
        ++blocked;
        changed.wait(lock, [&] { return over; });
      }));
    }
    problems::ReportBytesEach(state, before, problems::ResidentBytes());
    if (blocked != problems::kBlocked) state.SkipWithError("not all are blocked");
    over = true;
    changed.notify_all();
    for (boost::fibers::fiber& fiber : fibers) fiber.join();
  }
}
BENCHMARK(BlockedThread)->Name("blocked_thread/fiber")->Iterations(1)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  problems::RegisterFib<Fiber>("fib");
  problems::RegisterCreateJoin<Fiber>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
