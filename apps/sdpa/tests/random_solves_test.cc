// Random programs: a problem of a family whose answer is known, in other words, solved with any
// options. Each ends with the right answer or says that it stalled.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/certify.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/generate/transform.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem.h"
#include "apps/sdpa/solver/interior_point.h"
#include "taskrt/runtime.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

// A value.
struct Program {
  std::string words;  // all that was chosen
  Problem problem;
  Answer answer = Answer::kSolvable;
  std::optional<double> value;
  SolverOptions options;
  bool is_double_double = false, is_limited = false;
  int threads = 1;
};

std::string RandomBlocks(Random& random) {
  std::string blocks;
  for (int l = 1 + random.Below(4); l > 0; --l) {
    const int size = 1 + random.Below(8);
    absl::StrAppend(&blocks, blocks.empty() ? "" : "+", random.Below(3) == 0 ? "d" : "", size,
                    random.Below(4) == 0 ? "x3" : "");
  }
  return blocks;
}

std::string RandomText(Random& random) {
  const int seed = random.Below(1 << 30);
  switch (random.Below(8)) {
    case 0:
      return absl::StrCat("theta:cycle,n=", 3 + random.Below(8));
    case 1:
      return absl::StrCat("bordered-theta:kneser,n=", 4 + random.Below(2), ",k=2");
    case 2:
      return absl::StrCat("max-cut:cycle,n=", 4 + 2 * random.Below(5));
    case 3:
      return absl::StrCat("infeasible:primal,n=", 1 + random.Below(8), ",m=1,seed=", seed);
    case 4:
      return absl::StrCat("infeasible:dual,n=", 2 + random.Below(8), ",seed=", seed);
    default:
      break;
  }
  const std::string blocks = RandomBlocks(random);
  const std::string rest = absl::StrCat(",kind=", random.Coin() ? "sparse" : "rank-one",
                                        ",elements=", 1 + random.Below(10), ",seed=", seed,
                                        random.Coin() ? ",touched=1" : "");
  // As many constraints as there may be, or fewer.
  std::string text = absl::StrCat("random:blocks=", blocks, ",m=1", rest);
  for (int m = 1 + random.Below(40); m > 0; m /= 2) {
    const std::string larger = absl::StrCat("random:blocks=", blocks, ",m=", m, rest);
    if (Generate(larger).ok()) return larger;
  }
  return text;
}

// F_0 and c in other units, and with them the value; false where they stay as they were. Not in
// larger units where there is no solution: of numbers that are small against 1, errors are, too.
bool InOtherUnits(bool is_exact, Random& random, Program& program) {
  const int least = program.answer == Answer::kSolvable ? -9 : 0;
  const auto factor = [&] { return std::pow(is_exact ? 8 : 10, least + random.Below(10 - least)); };
  const bool scales_constant = random.Below(4) == 0, scales_costs = random.Below(4) == 0;
  if (scales_constant) {
    const double of_constant = factor();
    absl::StrAppend(&program.words, ", F_0 times ", of_constant);
    program.problem = ScaleConstant(program.problem, of_constant).problem;
    if (program.value) *program.value *= of_constant;
  }
  if (scales_costs) {
    const double of_costs = factor();
    absl::StrAppend(&program.words, ", c times ", of_costs);
    program.problem = ScaleCosts(program.problem, of_costs).problem;
    if (program.value) *program.value *= of_costs;
  }
  return scales_constant || scales_costs;
}

// With `is_exact` nothing is rounded: of constraints that follow from others, rounded ones
// contradict them, which pairs of doubles see.
Problem InOtherWords(Problem problem, bool is_exact, Random& random, std::string& words) {
  if (random.Coin()) {
    words += ", constraints permuted";
    problem =
        PermuteConstraints(problem, random.Order(static_cast<int>(problem.constraints()))).problem;
  }
  if (random.Coin()) {
    words += ", blocks permuted";
    problem = PermuteBlocks(problem, random.Order(static_cast<int>(problem.blocks.size()))).problem;
  }
  if (random.Below(3) == 0) {
    words += ", scaled";
    std::vector<double> scales;
    for (std::size_t i = 0; i < problem.constraints(); ++i) {
      const int power = random.Below(5) - 2;
      scales.push_back(random.NonZero(8) * std::pow(is_exact ? 8 : 10, power));
    }
    problem = ScaleConstraints(problem, scales).problem;
  }
  if (random.Below(3) == 0) {
    words += ", congruent";
    std::vector<std::vector<double>> factors;
    for (const auto& [shape, size] : problem.blocks) {
      const auto n = static_cast<std::size_t>(size);
      std::vector<double> factor(shape == Shape::kDense ? n * n : n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        factor[shape == Shape::kDense ? i * n + i : i] = random.Positive();
        for (std::size_t j = 0; j < (shape == Shape::kDense ? i : 0); ++j) {
          factor[i * n + j] = random.Fraction() / 2;
        }
      }
      factors.push_back(std::move(factor));
    }
    problem = Congruent(problem, factors).problem;
  }
  return problem;
}

Program ProgramOf(std::uint64_t seed) {
  Random random(seed);
  Program program;
  const auto made = Generate(RandomText(random));
  EXPECT_TRUE(made.ok()) << made.status();
  program.words = made->name;
  program.answer = made->answer;
  program.value = made->value;
  program.is_double_double = random.Below(6) == 0;
  program.problem = InOtherWords(made->problem, program.is_double_double, random, program.words);
  const bool is_in_other_units = InOtherUnits(program.is_double_double, random, program);
  SolverOptions& options = program.options;
  options.schur = std::array{SchurKind::kChosen, SchurKind::kDense,
                             SchurKind::kSparse}[static_cast<std::size_t>(random.Below(3))];
  // A start is of a problem's own units.
  options.start =
      is_in_other_units
          ? 0
          : std::array{0.0, 0.0, 0.0, 1.0, 100.0, 1e4}[static_cast<std::size_t>(random.Below(6))];
  program.is_limited = random.Below(6) == 0;
  if (program.is_limited) options.most_iterations = 1 + random.Below(8);
  options.tolerance = program.is_double_double && random.Coin() ? 1e-14 : 1e-7;
  program.threads = 1 + random.Below(3);
  absl::StrAppend(&program.words, "; schur ", static_cast<int>(options.schur), ", start ",
                  options.start, ", at most ", options.most_iterations, ", tolerance ",
                  options.tolerance, program.is_double_double ? ", dd, " : ", ", program.threads,
                  " threads");
  return program;
}

// A value: how it ended.
struct End {
  Phase phase = Phase::kStalled;
  Quality quality;
  SolutionValues values;
  int iterations = 0;
};

template <typename Real>
End EndOf(const Program& program) {
  taskrt::RuntimeOptions options;
  options.pool.workers = program.threads;
  auto runtime = taskrt::Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  const absl::StatusOr<Solution<Real>> solution = (*runtime)->Run(
      [&](taskrt::Runtime& rt) { return Solve<Real>(rt, program.problem, program.options); });
  EXPECT_TRUE(solution.ok()) << solution.status();
  return {solution->phase, solution->quality, ValuesOf(solution->point), solution->iterations};
}

void ExpectWhatIsSaid(const Program& program, const End& end) {
  for (const double x : end.values.x) EXPECT_TRUE(std::isfinite(x));
  const Certificate certificate = Certify(program.problem, end.values);
  EXPECT_FALSE(std::isnan(certificate.largest_error()));
  switch (end.phase) {
    case Phase::kStalled:
    case Phase::kTooManyIterations:
    case Phase::kStopped:
      return;
    case Phase::kOptimal: {
      EXPECT_EQ(program.answer, Answer::kSolvable);
      EXPECT_LT(certificate.largest_error(), 1e-5);
      if (!program.value) return;
      const double error = 1e-5 * (1 + std::abs(*program.value));
      EXPECT_NEAR(end.quality.primal, *program.value, error);
      EXPECT_NEAR(end.quality.dual, *program.value, error);
      return;
    }
    case Phase::kPrimalInfeasible:
      EXPECT_EQ(program.answer, Answer::kPrimalInfeasible);
      EXPECT_GT(ProvePrimalInfeasible(program.problem, end.values).least_size, 1e7);
      return;
    case Phase::kDualInfeasible:
      EXPECT_EQ(program.answer, Answer::kDualInfeasible);
      EXPECT_GT(ProveDualInfeasible(program.problem, end.values).least_size, 1e7);
  }
}

TEST(RandomSolves, EndWithTheRightAnswerOrSayThatTheyStalled) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(120);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t unlimited = 0, stalled = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const Program program = ProgramOf(seed);
    const End end =
        program.is_double_double ? EndOf<DoubleDouble>(program) : EndOf<double>(program);
    ExpectWhatIsSaid(program, end);
    if (!program.is_limited) ++unlimited;
    if (!program.is_limited &&
        (end.phase == Phase::kStalled || end.phase == Phase::kTooManyIterations)) {
      ++stalled;
      std::printf("seed %ju stalled after %d iterations, errors %g, %g, gap %g: %s\n",
                  static_cast<std::uintmax_t>(seed), end.iterations, end.quality.primal_error,
                  end.quality.dual_error, end.quality.gap, program.words.c_str());
    }
    EXPECT_FALSE(HasFailure()) << "seed " << seed << ": " << program.words;
    if (HasFailure()) return;
  }
  std::printf("%ju of %ju stalled\n", static_cast<std::uintmax_t>(stalled),
              static_cast<std::uintmax_t>(unlimited));
  EXPECT_LE(stalled * 20, unlimited);
}

}  // namespace
}  // namespace sdpa
