#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "apps/sdpa/solver/components.h"
#include "apps/sdpa/solver/interior_point.h"

namespace sdpa {

template <typename Real>
absl::StatusOr<Solution<Real>> Solve(taskrt::Runtime& runtime, const Problem& problem,
                                     const SolverOptions& options) {
  const std::optional<Components> components = Components::Of(problem);
  if (!components) return SolveBlocks<Real>(runtime, problem, options);
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = components->Split(*options.initial);
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] { return components->Whole(values()); });
    };
  }
  absl::StatusOr<Solution<Real>> solution = SolveBlocks<Real>(runtime, components->split(), inner);
  if (!solution.ok()) return solution;
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  solution->point.slack = components->Whole(solution->point.slack, layout);
  solution->point.dual = components->Whole(solution->point.dual, layout);
  return solution;
}

template absl::StatusOr<Solution<double>> Solve(taskrt::Runtime& runtime, const Problem& problem,
                                                const SolverOptions& options);
template absl::StatusOr<Solution<DoubleDouble>> Solve(taskrt::Runtime& runtime,
                                                      const Problem& problem,
                                                      const SolverOptions& options);

absl::StatusOr<Solution<double>> Solve(const Problem& problem, const SolverOptions& options,
                                       int threads) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.pool.workers = threads;
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  if (!runtime.ok()) return runtime.status();
  return (*runtime)->Run([&](taskrt::Runtime& rt) { return Solve<double>(rt, problem, options); });
}

}  // namespace sdpa
