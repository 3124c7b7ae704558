#include "apps/sdpa/solve/solve.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/problem/check_problem.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/solve/attempts.h"
#include "apps/sdpa/solve/memory.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

absl::StatusOr<topo::Mapping> MappingOf(const Options& options) {
  if (options.mapping) return *options.mapping;
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const int threads = options.threads == 0 ? topology->default_threads() : options.threads;
  const auto mapping = topo::Plan(*topology, topo::Policy::kNone, threads,
                                  {.oversubscribe = topo::PlanOptions::Oversubscribe::kAllow});
  if (!mapping.ok() || topology->this_machine()) return mapping;
  return mapping->Unbound();
}

absl::StatusOr<std::unique_ptr<taskrt::Runtime>> MakeRuntime(const taskrt::DeviceCounts& devices,
                                                             const topo::Mapping& mapping) {
  taskrt::RuntimeOptions options;
  options.pool.workers = mapping.size();
  options.pool.placement = mapping.policy();
  options.devices = taskrt::MakeDevices(devices, {}).devices;
  if (devices.is_virtual()) {
    options.pool.placement = topo::Policy::kNone;
    // Tasks take long: as apps/cholesky.
    options.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  }
  return taskrt::Runtime::Create(std::move(options));
}

absl::Status CheckInitial(const Problem& problem, const SolutionValues& initial) {
  const auto fault = [](const std::string& part, std::size_t size, std::size_t expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("the initial point has ", size, " numbers ", part, ", expected ", expected));
  };
  if (initial.x.size() != problem.constraints()) {
    return fault("x", initial.x.size(), problem.constraints());
  }
  for (const auto& [name, matrix] :
       {std::pair("X", &initial.slack), std::pair("Y", &initial.dual)}) {
    if (matrix->size() != problem.blocks.size()) {
      return fault(absl::StrCat("as blocks of ", name), matrix->size(), problem.blocks.size());
    }
    for (std::size_t l = 0; l < matrix->size(); ++l) {
      const auto size = static_cast<std::size_t>(problem.blocks[l].size);
      const std::size_t expected = problem.blocks[l].shape == Shape::kDense ? size * size : size;
      if ((*matrix)[l].size() != expected) {
        return fault(absl::StrCat("in block ", l, " of ", name), (*matrix)[l].size(), expected);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const Options& options) {
  const auto is_in = [](double value, double least, double most) {
    return value >= least && value <= most;
  };
  if (options.tolerance && !is_in(*options.tolerance, kLeastTolerance, 1)) {
    return absl::InvalidArgumentError(absl::StrCat("the tolerance is ", *options.tolerance,
                                                   ", expected ", kLeastTolerance, " to 1"));
  }
  if (options.iterations && *options.iterations < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(*options.iterations, " iterations, expected at least 1"));
  }
  if (options.seconds && !(*options.seconds >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat(*options.seconds, " seconds is no time"));
  }
  if (options.start && !is_in(*options.start, 1e-30, 1e30)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the start is ", *options.start, ", expected 1e-30 to 1e30"));
  }
  if (options.precision == Precision::kDoubleDouble &&
      (options.schur == SchurKind::kSparse || options.devices.all() > 0)) {
    return absl::InvalidArgumentError(
        "a sparse Schur complement's matrix and devices work with doubles only");
  }
  return absl::OkStatus();
}

void Multiply(std::vector<double>& numbers, double factor) {
  for (double& number : numbers) number *= factor;
}

// The point of a proof, in the units that are usual for one: F_0.Y is 1, or c'x is -1.
void ScaleProof(const Problem& problem, Outcome& outcome) {
  SolutionValues& point = outcome.solution;
  Certificate& certificate = outcome.judgement.certificate;
  point.low = {};
  if (IsPrimalInfeasible(outcome.judgement.status)) {
    for (auto& block : point.dual) Multiply(block, 1 / certificate.dual);
  } else {
    Multiply(point.x, -1 / certificate.primal);
    for (auto& block : point.slack) Multiply(block, -1 / certificate.primal);
  }
  certificate = Certify(problem, point);
}

// `seconds`: in the future, or a time too far to be counted.
Clock::time_point DeadlineAfter(std::optional<double> seconds) {
  constexpr double kForever = 1e9;
  if (!seconds || *seconds > kForever) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
}

absl::StatusOr<SolverOptions> MethodOf(const Problem& problem, const Options& options) {
  SolverOptions method;
  method.most_iterations = options.iterations_or_default();
  method.tolerance = options.tolerance_or_default();
  method.start = options.start.value_or(0);
  method.initial = options.initial;
  method.resumes = options.resumes;
  method.schur = options.devices.all() > 0 ? SchurKind::kDense : options.schur;
  method.cuda_devices = options.devices.cuda;
  const auto bytes =
      BytesLeft(problem, options.precision == Precision::kDoubleDouble, options.most_bytes);
  if (!bytes.ok()) return bytes.status();
  method.most_bytes = *bytes;
  return method;
}

absl::Status Check(const Problem& problem, const Options& options) {
  absl::Status status = CheckProblem(problem);
  if (status.ok()) status = CheckOptions(options);
  if (status.ok() && options.initial != nullptr) status = CheckInitial(problem, *options.initial);
  return status;
}

}  // namespace

absl::StatusOr<Outcome> Solve(const Problem& problem, const Options& options) try {
  const auto begun = Clock::now();
  if (absl::Status status = Check(problem, options); !status.ok()) return status;
  const auto mapping = MappingOf(options);
  if (!mapping.ok()) return mapping.status();
  absl::StatusOr<SolverOptions> method = MethodOf(problem, options);
  if (!method.ok()) return method.status();
  auto runtime = MakeRuntime(options.devices, *mapping);
  if (!runtime.ok()) return runtime.status();

  const Clock::time_point deadline = DeadlineAfter(options.seconds);
  std::atomic<bool> is_stopped = false;
  method->stops = [&] { return is_stopped || Clock::now() >= deadline; };
  std::vector<Iteration> iterations;
  method->progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& point) -> absl::Status {
    iterations.push_back(iteration);
    if (options.progress && !options.progress(iteration, point)) is_stopped = true;
    return absl::OkStatus();
  };
  absl::StatusOr<Outcome> outcome =
      MakeAttempts(**runtime, Run{problem, options, *method, deadline});
  if (!outcome.ok()) return outcome;
  if (IsInfeasible(outcome->judgement.status)) ScaleProof(problem, *outcome);
  outcome->seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (options.devices.is_virtual()) outcome->seconds = (*runtime)->pool().simulated_ns() * 1e-9;
  outcome->policy = mapping->policy();
  outcome->threads = mapping->size();
  outcome->iterations = std::move(iterations);
  outcome->counts = (*runtime)->counts();
  return outcome;
} catch (const std::bad_alloc&) {
  return absl::ResourceExhaustedError("there is not enough memory");
}

}  // namespace sdpa
