// oneTBB's task groups.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstddef>

#include "lwt/benches/problems.h"

namespace {

class Tbb {
 public:
  static constexpr const char* kName = "tbb";
  static constexpr int kMostWorkers = problems::kMostWorkers;
  static constexpr int kIterationsDividedBy = 1;

  explicit Tbb(int workers)
      : control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)),
        arena_(workers) {}

  template <typename F>
  void Run(F f) {
    arena_.execute(f);
  }

  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
    tbb::task_group group;
    group.run([&f] { f(); });
    g();
    group.wait();
  }

  template <typename F>
  static void Each(int count, F&& f) {
    tbb::task_group group;
    for (int i = 1; i < count; ++i) group.run([&f, i] { f(i); });
    if (count > 0) f(0);
    group.wait();
  }

  template <typename F>
  static void CreateJoin(F&& f) {
    tbb::task_group group;
    group.run([&f] { f(); });
    group.wait();
  }

 private:
  tbb::global_control control_;
  tbb::task_arena arena_;
};

}  // namespace

int main(int argc, char** argv) {
  problems::RegisterAll<Tbb>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
