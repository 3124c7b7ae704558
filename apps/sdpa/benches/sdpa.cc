// The program's own ways: what it solves and how long the parts of an iteration take.
#include <chrono>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/sdpa/benches/blas_of.h"
#include "apps/sdpa/benches/elements.h"
#include "apps/sdpa/benches/rows.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/measure/measure_elements.h"
#include "apps/sdpa/run/resolve.h"
#include "apps/sdpa/schur/make.h"
#include "apps/sdpa/solve/solve.h"
#include "taskrt/runtime.h"

namespace {

using Clock = std::chrono::steady_clock;

// From the problem in memory to its solution; what checks it comes after.
absl::StatusOr<double> Solve(const sdpa::BenchProblem& problem, int threads) {
  const auto resolved = sdpa::ResolveFor(problem, threads);
  if (!resolved.ok()) return resolved.status();
  sdpa::Options options = resolved->options;
  options.mapping = resolved->mappings.front();
  const auto outcome = sdpa::Solve(resolved->problem, options);
  if (!outcome.ok()) return outcome.status();
  constexpr double kMostError = 1e-6;
  const absl::Status status =
      sdpa::CheckValue(problem, outcome->judgement.certificate.primal, kMostError);
  if (!status.ok()) return status;
  return outcome->seconds;
}

// What the factorization adds to an iteration: the two are done by tasks between which no barrier
// is, so the time of elements and factorization less that of the elements alone.
absl::StatusOr<double> Factorization(const sdpa::BenchProblem& problem, int threads) {
  const auto resolved = sdpa::ResolveFor(problem, threads);
  if (!resolved.ok()) return resolved.status();
  const sdpa::Problem ordered =
      sdpa::Reordered(resolved->problem, sdpa::FullestFirst(resolved->problem));
  const auto layout = std::make_shared<const sdpa::Layout>(ordered.blocks);
  const sdpa::Columns columns(ordered, layout);
  // Y and X^-1: positive definite, and so is B then.
  sdpa::BlockMatrix<double> matrix(layout);
  for (double& element : matrix.elements()) element = 1.0 / static_cast<double>(layout->rows);
  matrix.AddToDiagonal(1);

  taskrt::RuntimeOptions options;
  options.pool.workers = threads;
  const auto runtime = taskrt::Runtime::Create(std::move(options));
  if (!runtime.ok()) return runtime.status();
  sdpa::UseOneThread();
  double seconds = 0;
  const absl::Status status = (*runtime)->Run([&](taskrt::Runtime& rt) -> absl::Status {
    const auto schur = sdpa::MakeSchur<double>(rt, columns, sdpa::SchurKind::kDense,
                                               resolved->elements.most_bytes);
    if (!schur.ok()) return schur.status();
    // The first time memory is touched, and not counted.
    absl::Status done = (*schur)->Compute(matrix.elements(), matrix.elements());
    constexpr int kRepetitions = 3;
    const auto begun = Clock::now();
    for (int i = 0; i < kRepetitions && done.ok(); ++i) {
      done = (*schur)->Compute(matrix.elements(), matrix.elements());
    }
    const auto computed = Clock::now();
    for (int i = 0; i < kRepetitions && done.ok(); ++i) {
      done = (*schur)->Factor(matrix.elements(), matrix.elements(), 0);
    }
    const auto elements = computed - begun, all = Clock::now() - computed;
    seconds = std::chrono::duration<double>(all - elements).count() / kRepetitions;
    return done;
  });
  if (!status.ok()) return status;
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<sdpa::Row> rows;
  sdpa::AddElementsRows(sdpa::Method::kTerms, rows);
  for (const sdpa::BenchProblem& problem : sdpa::BenchProblems()) {
    if (problem.has_cholesky_row) sdpa::AddRows("cholesky_", problem, Factorization, rows);
    sdpa::AddRows("solve_", problem, Solve, rows);
  }
  return sdpa::RunRows(argc, argv, "sdpa",
                       "sdpa: BLAS " + sdpa::BlasOf("/proc/self/exe") + ", one thread a task",
                       rows);
}
