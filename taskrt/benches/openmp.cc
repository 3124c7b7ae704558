// OpenMP's tasks with `depend`: of the compiler's runtime, or of clang's where that is linked.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "taskrt/benches/dags.h"
#include "taskrt/benches/factorization.h"

namespace {

class OpenMp {
 public:
  static constexpr const char* kName = VICINITY_CONTESTANT;
  static constexpr int kIterationsDividedBy = 1;

  OpenMp(int workers, std::span<std::uint64_t> cells) : workers_(workers), cells_(cells) {}

  void Run(const dags::Dag& dag, dags::Work work) {
    // The tasks' own copies of these are what they need.
    const std::span<std::uint64_t> all = cells_;
    [[maybe_unused]] std::uint64_t* const cells = cells_.data();
#pragma omp parallel num_threads(workers_)
#pragma omp single
    for (const dags::Task& task : dag.tasks) {
      [[maybe_unused]] const auto [a, b, c] = task.blocks;
      const dags::Task* const computed = work == dags::Work::kMix ? &task : nullptr;
      switch (task.count) {
        case 0:
#pragma omp task firstprivate(computed)
          if (computed != nullptr) dags::Mix(all, *computed);
          break;
        case 1:
#pragma omp task firstprivate(computed) depend(inout : cells[a])
          if (computed != nullptr) dags::Mix(all, *computed);
          break;
        case 2:
#pragma omp task firstprivate(computed) depend(in : cells[a]) depend(inout : cells[b])
          if (computed != nullptr) dags::Mix(all, *computed);
          break;
        default:
#pragma omp task firstprivate(computed) depend(in : cells[a], cells[b]) depend(inout : cells[c])
          if (computed != nullptr) dags::Mix(all, *computed);
          break;
      }
    }
  }

  explicit OpenMp(int workers) : workers_(workers) {}

  void Factorize(factorization::Problem& problem) {
#pragma omp parallel num_threads(workers_)
#pragma omp single
    problem.ForEachStep([](const factorization::Step& step) {
      const char* const a = step.read(0);
      const char* const b = step.read(1);
      char* const c = step.changed();
      switch (step.count) {
        case 1:
#pragma omp task firstprivate(step) depend(inout : *c)
          step.Run();
          break;
        case 2:
#pragma omp task firstprivate(step) depend(in : *a) depend(inout : *c)
          step.Run();
          break;
        default:
#pragma omp task firstprivate(step) depend(in : *a, *b) depend(inout : *c)
          step.Run();
          break;
      }
    });
  }

 private:
  int workers_;
  std::span<std::uint64_t> cells_;
};

}  // namespace

int main(int argc, char** argv) {
  dags::RegisterDags<OpenMp>();
  factorization::Register<OpenMp>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
