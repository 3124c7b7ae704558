// The serial program, beside every number of workers: the ratio is the speed-up.
#include <benchmark/benchmark.h>

#include "lwt/benches/problems.h"

namespace {

struct Serial {
  static constexpr const char* kName = "serial";
  static constexpr int kMostWorkers = problems::kMostWorkers;
  static constexpr int kIterationsDividedBy = 1;

  explicit Serial(int) {}

  template <typename F>
  void Run(F f) {
    f();
  }
  template <typename F, typename G>
  static void Both(F&& f, G&& g) {
    f();
    g();
  }
  template <typename F>
  static void Each(int count, F&& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
};

}  // namespace

int main(int argc, char** argv) {
  problems::RegisterQueens<Serial>();
  problems::RegisterUts<Serial>();
  problems::RegisterMatmul<Serial>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
