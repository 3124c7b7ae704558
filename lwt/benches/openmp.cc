// Tasks of an OpenMP runtime: of the compiler's, or of clang's where that is linked.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "lwt/benches/problems.h"

namespace {

class OpenMp {
 public:
  static constexpr const char* kName = VICINITY_CONTESTANT;
  static constexpr int kMostWorkers = problems::kMostWorkers;
  static constexpr int kIterationsDividedBy = 1;

  explicit OpenMp(int workers) : workers_(workers) {}

  template <typename F>
  void Run(F f) {
#pragma omp parallel num_threads(workers_)
#pragma omp single
    f();
  }

  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
#pragma omp task default(none) shared(f)
    f();
    g();
#pragma omp taskwait
  }

  template <typename F>
  static void Each(int count, F&& f) {
    for (int i = 1; i < count; ++i) {
#pragma omp task default(none) shared(f) firstprivate(i)
      f(i);
    }
    if (count > 0) f(0);
#pragma omp taskwait
  }

  template <typename F>
  static void CreateJoin(F&& f) {
#pragma omp task default(none) shared(f)
    f();
#pragma omp taskwait
  }

 private:
  int workers_;
};

}  // namespace

int main(int argc, char** argv) {
  problems::RegisterAll<OpenMp>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
