#include "apps/sdpa/problem/solution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/program/output_file.h"
#include "apps/sdpa/c/objects.h"
#include "apps/sdpa/c/sdpa.h"
#include "apps/sdpa/files/read_bytes.h"
#include "apps/sdpa/files/solution_formats.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {
namespace {

static_assert(static_cast<int>(Status::kOptimal) == SDPA_OPTIMAL &&
              static_cast<int>(Status::kReducedAccuracy) == SDPA_REDUCED_ACCURACY &&
              static_cast<int>(Status::kStalled) == SDPA_STALLED &&
              static_cast<int>(Status::kInterrupted) == SDPA_INTERRUPTED);

sdpa_solution* NewSolution(const sdpa_problem& problem, SolutionValues values) {
  auto* const solution = new sdpa_solution;
  solution->blocks = problem.problem.blocks;
  solution->judgement.certificate.errors.fill(std::numeric_limits<double>::quiet_NaN());
  solution->values = std::move(values);
  return solution;
}

// `blocks`: of X or of Y.
const double* BlockOf(const std::vector<std::vector<double>>& blocks, int block) {
  if (Done(CheckNumber("block", block, 1, blocks.size())) != 0) return nullptr;
  return blocks[static_cast<std::size_t>(block - 1)].data();
}

absl::Status CheckSymmetric(const Block& block, const double* values) {
  if (block.shape == Shape::kDiagonal) return absl::OkStatus();
  for (int i = 0; i < block.size; ++i) {
    for (int j = 0; j < i; ++j) {
      const double one = values[static_cast<std::ptrdiff_t>(i) * block.size + j],
                   other = values[static_cast<std::ptrdiff_t>(j) * block.size + i];
      if (one == other) continue;
      return absl::InvalidArgumentError(absl::StrCat("row ", i + 1, ", column ", j + 1, " is ", one,
                                                     ", and its mirror image is ", other));
    }
  }
  return absl::OkStatus();
}

int SetBlock(std::vector<std::vector<double>> SolutionValues::*blocks, sdpa_solution* solution,
             int block, const double* values) {
  if (Done(CheckPointers({{"solution", solution}, {"values", values}})) != 0) return -1;
  auto& all = solution->values.*blocks;
  if (Done(CheckNumber("block", block, 1, all.size())) != 0) return -1;
  if (Done(CheckSymmetric(solution->blocks[static_cast<std::size_t>(block - 1)], values)) != 0) {
    return -1;
  }
  auto& numbers = all[static_cast<std::size_t>(block - 1)];
  std::copy_n(values, numbers.size(), numbers.begin());
  solution->values.low = {};
  return 0;
}

Options OptionsOf(const sdpa_options& given) {
  constexpr std::array kPrecisions = {Precision::kChosen, Precision::kDouble,
                                      Precision::kDoubleDouble};
  Options options;
  options.precision = kPrecisions[static_cast<std::size_t>(given.precision)];
  if (given.tolerance != 0) options.tolerance = given.tolerance;
  if (given.iterations != 0) options.iterations = given.iterations;
  if (given.seconds != 0) options.seconds = given.seconds;
  options.threads = given.threads;
  if (given.initial != nullptr) options.initial = &given.initial->values;
  if (given.progress != nullptr) {
    options.progress = [&given](const Iteration& iteration, const auto&) {
      const auto& [number, quality, primal_step, dual_step] = iteration;
      const sdpa_iteration shown = {
          number,     quality.primal, quality.dual, quality.primal_error, quality.dual_error,
          quality.mu, primal_step,    dual_step};
      return given.progress(&shown, given.progress_data) == 0;
    };
  }
  return options;
}

}  // namespace
}  // namespace sdpa

using sdpa::CheckPointers;
using sdpa::Done;
using sdpa::Guarded;
using sdpa::Refuse;

const char* sdpa_status_name(sdpa_status status) {
  if (status < SDPA_OPTIMAL || status > SDPA_INTERRUPTED) return "";
  // The words of constants, which end with a zero.
  return ToString(static_cast<sdpa::Status>(status)).data();
}

sdpa_solution* sdpa_solve(const sdpa_problem* problem, const sdpa_options* options) {
  return Guarded([&]() -> sdpa_solution* {
    if (Done(CheckPointers({{"problem", problem}})) != 0) return nullptr;
    const sdpa_options given = options == nullptr ? sdpa_options{} : *options;
    if (given.precision < SDPA_AUTO || given.precision > SDPA_DOUBLE_DOUBLE) {
      Refuse(absl::InvalidArgumentError(
          absl::StrCat("precision ", static_cast<int>(given.precision), " is none")));
      return nullptr;
    }
    absl::StatusOr<sdpa::Outcome> outcome = sdpa::Solve(problem->Whole(), sdpa::OptionsOf(given));
    if (!outcome.ok()) {
      Refuse(outcome.status());
      return nullptr;
    }
    return new sdpa_solution{problem->problem.blocks, outcome->judgement,
                             std::move(outcome->solution),
                             static_cast<int>(outcome->iterations.size()), outcome->seconds};
  });
}

sdpa_solution* sdpa_solution_new(const sdpa_problem* problem) {
  return Guarded([&]() -> sdpa_solution* {
    if (Done(CheckPointers({{"problem", problem}})) != 0) return nullptr;
    return sdpa::NewSolution(*problem, sdpa::ZerosFor(problem->problem));
  });
}

sdpa_solution* sdpa_solution_read(const sdpa_problem* problem, const char* file) {
  return Guarded([&]() -> sdpa_solution* {
    if (Done(CheckPointers({{"problem", problem}, {"file", file}})) != 0) return nullptr;
    const auto bytes = sdpa::ReadBytes(file);
    auto values = bytes.ok() ? sdpa::ParseSolution(sdpa::FormatOfSolution(file, *bytes),
                                                   problem->problem, file, *bytes)
                             : absl::StatusOr<sdpa::SolutionValues>(bytes.status());
    if (values.ok()) return sdpa::NewSolution(*problem, *std::move(values));
    Refuse(values.status());
    return nullptr;
  });
}

int sdpa_solution_write(const sdpa_solution* solution, const sdpa_problem* problem,
                        const char* file) {
  return Guarded([&] {
    absl::Status status =
        CheckPointers({{"solution", solution}, {"problem", problem}, {"file", file}});
    if (status.ok()) status = sdpa::CheckSizes(*problem, *solution);
    if (!status.ok()) return Done(status);
    auto output = program::OutputFile::Open(file);
    return Done(output.ok()
                    ? output->Commit(sdpa::CsdpSolutionText(problem->problem, solution->values))
                    : output.status());
  });
}

void sdpa_solution_free(sdpa_solution* solution) { delete solution; }

int sdpa_certify(const sdpa_problem* problem, double tolerance, sdpa_solution* solution) {
  return Guarded([&] {
    absl::Status status = CheckPointers({{"problem", problem}, {"solution", solution}});
    if (status.ok()) status = sdpa::CheckSizes(*problem, *solution);
    if (status.ok() && !(tolerance > 0 && tolerance <= 1)) {
      status = absl::InvalidArgumentError(
          absl::StrCat("the tolerance is ", tolerance, ", expected more than 0, and at most 1"));
    }
    if (!status.ok()) return Done(status);
    solution->judgement =
        sdpa::Judge(problem->Whole(), solution->values, sdpa::Phase::kStalled, tolerance);
    return 0;
  });
}

sdpa_status sdpa_solution_status(const sdpa_solution* solution) {
  return static_cast<sdpa_status>(solution->judgement.status);
}

double sdpa_solution_primal(const sdpa_solution* solution) {
  return solution->judgement.certificate.primal;
}

double sdpa_solution_dual(const sdpa_solution* solution) {
  return solution->judgement.certificate.dual;
}

const double* sdpa_solution_errors(const sdpa_solution* solution) {
  return solution->judgement.certificate.errors.data();
}

int sdpa_solution_iterations(const sdpa_solution* solution) { return solution->iterations; }

double sdpa_solution_seconds(const sdpa_solution* solution) { return solution->seconds; }

const double* sdpa_solution_x(const sdpa_solution* solution) { return solution->values.x.data(); }

const double* sdpa_solution_primal_block(const sdpa_solution* solution, int block) {
  return sdpa::BlockOf(solution->values.slack, block);
}

const double* sdpa_solution_dual_block(const sdpa_solution* solution, int block) {
  return sdpa::BlockOf(solution->values.dual, block);
}

int sdpa_solution_set_x(sdpa_solution* solution, const double* values) {
  if (Done(CheckPointers({{"solution", solution}, {"values", values}})) != 0) return -1;
  std::copy_n(values, solution->values.x.size(), solution->values.x.begin());
  solution->values.low = {};
  return 0;
}

int sdpa_solution_set_primal_block(sdpa_solution* solution, int block, const double* values) {
  return sdpa::SetBlock(&sdpa::SolutionValues::slack, solution, block, values);
}

int sdpa_solution_set_dual_block(sdpa_solution* solution, int block, const double* values) {
  return sdpa::SetBlock(&sdpa::SolutionValues::dual, solution, block, values);
}
