#include "apps/cholesky/factorize/factorize.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/cholesky/problem/matrix.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {
namespace {

// As many columns of devices as rows, or twice as many.
int ColumnsOf(int devices) {
  int columns = 1;
  while (columns * columns < devices) ++columns;
  while (devices % columns != 0) ++columns;
  return columns;
}

// All tasks, and waits for them. Counts in `row`.
absl::Status SubmitAll(const Setup& setup, const Problem& problem, Matrix& matrix, Row& row) {
  const int count = problem.blocks(), b = problem.block;
  const int devices = std::max(1, setup.devices);
  const int columns = ColumnsOf(devices), rows = devices / columns;
  std::vector<taskrt::Handle> handles(BlocksOf(count));
  for (int k = 0; k < count; ++k) {
    for (int i = k; i < count; ++i) {
      handles[BlockAt(k, i, count)] =
          setup.runtime->Register(absl::StrCat("A[", k, "][", i, "]"), matrix.BlockAt(k, i, b),
                                  k % rows * columns + i % columns);
    }
  }
  const auto begun = std::chrono::steady_clock::now();
  const absl::Status done = setup.runtime->Run([&](taskrt::Runtime& rt) {
    ForEachTask(count, [&](const Task& task) {
      std::vector<taskrt::Access> accesses;
      for (const taskrt::PlannedAccess& access : AccessesOf(task, count)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      const TaskScalars scalars = {.first_column = task.k * b, .side = b};
      rt.Submit(setup.kernels[static_cast<std::size_t>(task.kernel)], accesses,
                std::as_bytes(std::span(&scalars, 1)), {.priority = PriorityOf(task)});
      row.gemm_tasks += task.kernel == Kernel::kGemm;
      // Each block is read there, and one is written.
      if (setup.IsOffloaded(task.kernel)) row.accesses_on_devices += accesses.size() + 1;
    });
    return rt.Wait();
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  row.seconds = setup.is_virtual ? setup.runtime->pool().simulated_ns() * 1e-9 : took.count();
  return done;
}

absl::Status CheckNumbers(const Problem& problem, const Matrix& matrix, Row& row) {
  if (const std::optional<int> column = matrix.NotPositive()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the matrix is not positive definite in column ", *column));
  }
  row.residual = matrix.Residual();
  const double precision = problem.precision == Precision::kF32 ? 6e-8 : 1.2e-16;
  const double bound = 10 * precision * std::sqrt(static_cast<double>(problem.n));
  if (row.residual <= bound) return absl::OkStatus();  // False for what is no number.
  return absl::InternalError(
      absl::StrCat("the answer is wrong: residual ", row.residual, ", at most ", bound));
}

absl::Status CheckCounts(const Problem& problem, const SetupOptions& options, const Row& row) {
  // Elsewhere others than the least are right, which the plan knows.
  if (options.mover.across != taskrt::Across::kCopy) {
    const absl::StatusOr<taskrt::CopyPlan> plan = PlanFor(problem, options);
    return plan.ok() ? CheckPlan(*plan, row) : plan.status();
  }
  const std::uint64_t expected =
      options.mover.optimizes ? row.least.copies : row.accesses_on_devices;
  if (row.copies.copies() == expected) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("there were ", row.copies.copies(), " copies, not the ",
                                          expected, " that these places need"));
}

}  // namespace

absl::StatusOr<Row> Factorize(const Problem& problem, const SetupOptions& options) {
  Matrix matrix(problem.n, problem.precision, problem.seed, problem.is_dry);
  if (problem.spoiled && !problem.is_dry) matrix.Spoil(*problem.spoiled);
  const absl::StatusOr<Setup> setup = SetUp(problem, options, Purpose::kRun);
  if (!setup.ok()) return setup.status();
  Row row = {.devices = setup->devices, .notes = setup->notes};
  absl::Status status = SubmitAll(*setup, problem, matrix, row);
  if (!status.ok()) return status;
  const taskrt::RuntimeCounts counts = setup->runtime->counts();
  row.tasks = counts.tasks;
  row.copies = counts.copies;
  row.least = counts.least;
  row.places = setup->runtime->places();
  row.trace = setup->runtime->trace();
  row.gflop_per_s = std::pow(problem.n, 3) / 3 / row.seconds * 1e-9;
  if (setup->replay != nullptr && setup->replay->others() > 0) {
    return absl::FailedPreconditionError(absl::StrCat("--schedule: ", setup->replay->others(),
                                                      " of the tasks cannot run where \"",
                                                      options.schedule.file, "\" says"));
  }
  status = problem.is_dry ? CheckCounts(problem, options, row) : CheckNumbers(problem, matrix, row);
  if (!status.ok()) return status;
  return row;
}

absl::StatusOr<Row> FactorizeRepeatedly(const Problem& problem, const SetupOptions& options,
                                        int repetitions) {
  std::vector<Row> rows;
  std::vector<double> speeds;
  for (int i = 0; i < repetitions; ++i) {
    absl::StatusOr<Row> row = Factorize(problem, options);
    if (!row.ok()) return row;
    speeds.push_back(row->gflop_per_s);
    rows.push_back(*std::move(row));
  }
  Row middle = std::move(rows[program::MiddleOf(speeds)]);
  if (speeds.size() > 1) middle.gflop_per_s_spread = program::SpreadOf(speeds);
  return middle;
}

absl::StatusOr<taskrt::CopyPlan> PlanFor(const Problem& problem, const SetupOptions& options) {
  constexpr bool kIsDry = true;  // The numbers are not used.
  Matrix matrix(problem.n, problem.precision, problem.seed, kIsDry);
  const absl::StatusOr<Setup> setup = SetUp(problem, options, Purpose::kPlan);
  if (!setup.ok()) return setup.status();
  Row row;
  if (absl::Status done = SubmitAll(*setup, problem, matrix, row); !done.ok()) return done;
  return setup->runtime->Plan();
}

absl::Status CheckPlan(const taskrt::CopyPlan& plan, const Row& row) {
  if (plan.copies == row.copies) return absl::OkStatus();
  const auto words = [](const taskrt::CopyCounts& counts) {
    return absl::StrCat(counts.h2d.copies, " to devices, ", counts.d2h.copies, " to the host and ",
                        counts.d2d.copies, " across");
  };
  return absl::InternalError(
      absl::StrCat("the copies were ", words(row.copies), "; the plan said ", words(plan.copies)));
}

}  // namespace cholesky
