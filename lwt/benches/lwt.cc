// lwt's side of the benches; problems.h says what each measures.
#include "lwt/lwt.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace lwt {
namespace {

int Fib(int n) {
  if (n < 2) return n;
  int left;
  Thread child = Spawn([&] { left = Fib(n - 1); });
  const int right = Fib(n - 2);
  child.Join();
  return left + right;
}

int ForkedFib(int n) {
  if (n < 2) return n;
  int left, right;
  ForkJoin([&] { left = ForkedFib(n - 1); }, [&] { right = ForkedFib(n - 2); });
  return left + right;
}

std::unique_ptr<Pool> MakePool(int workers) { return *Pool::Create({.workers = workers}); }

void BM_Fib(benchmark::State& state) {
  auto pool = MakePool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    int result = pool->Run([] { return Fib(27); });
    if (result != 196418) state.SkipWithError("wrong");
  }
  state.counters["ns"] = benchmark::Counter(
      317810e-9 * state.iterations(), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Fib)->Name("fib/lwt/workers")->Arg(1)->Arg(2)->UseRealTime();

void BM_ForkedFib(benchmark::State& state) {
  auto pool = MakePool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    int result = pool->Run([] { return ForkedFib(27); });
    if (result != 196418) state.SkipWithError("wrong");
  }
  state.counters["ns"] = benchmark::Counter(
      317810e-9 * state.iterations(), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_ForkedFib)->Name("fork_join/lwt/workers")->Arg(1)->Arg(2)->UseRealTime();

void BM_CreateJoin(benchmark::State& state) {
  auto pool = MakePool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    pool->Run([] {
      for (int i = 0; i < 100000; ++i) Spawn([] {}).Join();
    });
  }
  state.counters["ns"] = benchmark::Counter(
      100000e-9 * state.iterations(), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_CreateJoin)->Name("create_join/lwt/workers")->Arg(1)->Arg(2)->UseRealTime();

void BM_Yield(benchmark::State& state) {
  auto pool = MakePool(1);
  for (auto _ : state) {
    pool->Run([] {
      std::vector<Thread> threads;
      for (int i = 0; i < 10; ++i) {
        threads.push_back(Spawn([] {
          for (int i = 0; i < 10000; ++i) Yield();
        }));
      }
    });
  }
  state.counters["ns"] = benchmark::Counter(
      100000e-9 * state.iterations(), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Yield)->Name("yield/lwt");

}  // namespace
}  // namespace lwt

BENCHMARK_MAIN();
