// Ours: full threads where the problem is about them, forked calls elsewhere.
#include "lwt/lwt.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "lwt/benches/io.h"
#include "lwt/benches/problems.h"
#include "lwt/benches/resident.h"

namespace {

class WithPool {
 public:
  static constexpr const char* kName = "lwt";
  static constexpr int kMostWorkers = problems::kMostWorkers;
  static constexpr int kIterationsDividedBy = 1;

  explicit WithPool(int workers) : pool_(*lwt::Pool::Create({.workers = workers})) {}

  template <typename F>
  auto Run(F f) {
    return pool_->Run(f);
  }

 private:
  std::unique_ptr<lwt::Pool> pool_;
};

struct Threads : WithPool {
  using WithPool::WithPool;

  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
    lwt::Thread child = lwt::Spawn([&f] { f(); });
    g();
    child.Join();
  }
  template <typename F>
  static void CreateJoin(F&& f) {
    lwt::Spawn([&f] { f(); }).Join();
  }
};

struct ForkedCalls : WithPool {
  using WithPool::WithPool;

  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
    lwt::ForkJoin(f, g);
  }
  template <typename F>
  static void Each(int count, F&& f) {
    if (count > 0) EachFrom(0, count, f);
  }

 private:
  // Halves, so that a thief takes many at once.
  template <typename F>
  static void EachFrom(int first, int end, F& f) {
    if (end - first == 1) return f(first);
    const int middle = (first + end) / 2;
    lwt::ForkJoin([&f, first, middle] { EachFrom(first, middle, f); },
                  [&f, middle, end] { EachFrom(middle, end, f); });
  }
};

void Yield(benchmark::State& state) {
  constexpr int kThreads = 10, kYields = 10'000;
  WithPool pool(1);
  problems::Measure(state, kThreads * kYields, kThreads * kYields, [&] {
    int turns = 0;
    pool.Run([&] {
      std::vector<lwt::Thread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.push_back(lwt::Spawn([&turns] {
          for (int turn = 0; turn < kYields; ++turn, ++turns) lwt::Yield();
        }));
      }
    });
    return turns;
  });
}
BENCHMARK(Yield)->Name("yield/lwt")->Iterations(10)->UseManualTime();

void BlockedThread(benchmark::State& state) {
  WithPool pool(1);
  for (auto _ : state) {
    state.SetIterationTime(1);
    pool.Run([&] {
      std::vector<lwt::Suspended> blocked;
      std::vector<lwt::Thread> threads;
      blocked.reserve(problems::kBlocked);
      threads.reserve(problems::kBlocked);
      const double before = problems::ResidentBytes();
      for (int i = 0; i < problems::kBlocked; ++i) {
        threads.push_back(lwt::Spawn([&blocked] {
          lwt::Suspend("the end of the bench",
                       [&blocked](lwt::Suspended self) { blocked.push_back(self); });
        }));
      }
      problems::ReportBytesEach(state, before, problems::ResidentBytes());
      if (blocked.size() != problems::kBlocked) state.SkipWithError("not all are blocked");
      for (const lwt::Suspended& thread : blocked) thread.Resume();
      for (lwt::Thread& thread : threads) thread.Join();
    });
  }
}
BENCHMARK(BlockedThread)->Name("blocked_thread/lwt")->Iterations(1)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  problems::RegisterFib<Threads>("fib");
  problems::RegisterCreateJoin<Threads>();
  problems::RegisterFib<ForkedCalls>("fork_join");
  problems::RegisterSkynet<ForkedCalls>();
  problems::RegisterQueens<ForkedCalls>();
  problems::RegisterUts<ForkedCalls>();
  problems::RegisterMatmul<Threads>();
  problems::io::RegisterAll("lwt", lwt::IoBackend::kEpoll);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
