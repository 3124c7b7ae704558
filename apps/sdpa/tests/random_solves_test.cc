// Random programs: a problem of a family whose answer is known, in other words, solved with any
// options. Each ends with the right answer or says that it has none.
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
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/generate/transform.h"
#include "apps/sdpa/interior_point/options.h"
#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/reduce/solve_reduced.h"
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
  bool is_double_double = false, is_limited = false, is_on_face = false;
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

// Some rows more, which are sums of others in each Y.
Problem OnARandomFace(const Problem& problem, Random& random, std::string& words) {
  std::vector<int> dense;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    if (problem.blocks[l].shape == Shape::kDense) dense.push_back(static_cast<int>(l));
  }
  if (dense.empty()) return problem;
  const int block = dense[static_cast<std::size_t>(random.Below(static_cast<int>(dense.size())))];
  const int rows = problem.blocks[static_cast<std::size_t>(block)].size, more = 1 + random.Below(3);
  const auto numbers = [&](int count, int nonzero) {
    std::vector<double> all(static_cast<std::size_t>(count), 0.0);
    for (double& number : all) number = random.Below(nonzero) == 0 ? random.Below(3) - 1 : 0;
    return all;
  };
  std::vector<std::vector<double>> parts, extra;
  for (int row = 0; row < more; ++row) parts.push_back(numbers(rows, 2));
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    extra.push_back(numbers(more * (rows + more), 4));
  }
  absl::StrAppend(&words, ", on a face with ", more, " rows more of block ", block);
  Problem on_face = OnAFace(problem, block, parts, extra);
  std::vector<std::vector<int>> orders;
  for (const Block& each : on_face.blocks) orders.push_back(random.Order(each.size));
  return PermuteRows(on_face, orders).problem;
}

// Some x more, which equalities give.
Program WithEqualities(Program program, Random& random) {
  const int more = 1 + random.Below(3);
  absl::StrAppend(&program.words, ", with ", more, " equalities");
  const std::vector<Block> blocks = program.problem.blocks;
  for (int i = 0; i < more; ++i) {
    std::vector<double> factors(program.problem.constraints(), 0.0);
    for (double& factor : factors) factor = random.Below(3) == 0 ? random.Below(5) - 2 : 0;
    MatrixBuilder matrix;
    for (int elements = random.Below(4); elements > 0; --elements) {
      const int block = random.Below(static_cast<int>(blocks.size()));
      const auto [shape, size] = blocks[static_cast<std::size_t>(block)];
      const int row = random.Below(size);
      matrix.Add(block, row, shape == Shape::kDense ? random.Below(size) : row,
                 random.Below(5) - 2);
    }
    const double constant = random.Below(5) - 2, cost = random.Below(5) - 2;
    const auto form = std::array{EqualityForm::kRows, EqualityForm::kBlocks, EqualityForm::kFactors,
                                 EqualityForm::kDense}[static_cast<std::size_t>(random.Below(4))];
    program.problem = WithEquality(program.problem, factors, constant, matrix.Build(), cost, form);
    if (program.value) *program.value += cost * constant;
  }
  return program;
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
  program.is_on_face = random.Below(4) == 0;
  program.problem =
      program.is_on_face ? OnARandomFace(made->problem, random, program.words) : made->problem;
  program.problem =
      InOtherWords(std::move(program.problem), program.is_double_double, random, program.words);
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
  if (random.Below(3) == 0) program = WithEqualities(std::move(program), random);
  absl::StrAppend(&program.words, "; schur ", static_cast<int>(options.schur), ", start ",
                  options.start, ", at most ", options.most_iterations, ", tolerance ",
                  options.tolerance, program.is_double_double ? ", dd, " : ", ", program.threads,
                  " threads");
  return program;
}

// A value: how it ended.
struct End {
  Phase phase = Phase::kStalled;
  SolutionValues values;
  int iterations = 0;
};

template <typename Real>
End EndOf(const Program& program) {
  taskrt::RuntimeOptions options;
  options.pool.workers = program.threads;
  auto runtime = taskrt::Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  const absl::StatusOr<Solution<Real>> solution = (*runtime)->Run([&](taskrt::Runtime& rt) {
    return SolveReduced<Real>(rt, program.problem, program.options);
  });
  EXPECT_TRUE(solution.ok()) << solution.status();
  return {solution->phase, ValuesOf(solution->point), solution->iterations};
}

// Returns whether the end is an answer.
bool ExpectWhatIsSaid(const Program& program, const End& end) {
  for (const double x : end.values.x) EXPECT_TRUE(std::isfinite(x));
  const Judgement judgement =
      Judge(program.problem, end.values, end.phase, program.options.tolerance);
  EXPECT_FALSE(std::isnan(judgement.certificate.largest_error()));
  switch (judgement.status) {
    case Status::kOptimal: {
      EXPECT_EQ(program.answer, Answer::kSolvable);
      if (!program.value) return true;
      const double error = 1e-5 * (1 + std::abs(*program.value));
      EXPECT_NEAR(judgement.certificate.primal, *program.value, error);
      EXPECT_NEAR(judgement.certificate.dual, *program.value, error);
      return true;
    }
    case Status::kPrimalInfeasible:
      EXPECT_EQ(program.answer, Answer::kPrimalInfeasible);
      return true;
    case Status::kDualInfeasible:
      EXPECT_EQ(program.answer, Answer::kDualInfeasible);
      return true;
    default:
      return false;
  }
}

TEST(RandomSolves, EndWithTheRightAnswerOrSayThatThereIsNone) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(120);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t unlimited = 0, unanswered = 0, on_faces = 0, unanswered_on_faces = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const Program program = ProgramOf(seed);
    const End end =
        program.is_double_double ? EndOf<DoubleDouble>(program) : EndOf<double>(program);
    const bool is_answer = ExpectWhatIsSaid(program, end);
    EXPECT_FALSE(HasFailure()) << "seed " << seed << ": " << program.words;
    if (HasFailure()) return;
    if (program.is_limited) continue;
    ++(program.is_on_face ? on_faces : unlimited);
    if (!is_answer) {
      ++(program.is_on_face ? unanswered_on_faces : unanswered);
      std::printf("seed %ju: %s after %d iterations: %s\n", static_cast<std::uintmax_t>(seed),
                  std::string(ToString(end.phase)).c_str(), end.iterations, program.words.c_str());
    }
  }
  std::printf("%ju of %ju without an answer\n", static_cast<std::uintmax_t>(unanswered),
              static_cast<std::uintmax_t>(unlimited));
  std::printf("%ju of %ju on faces without an answer\n",
              static_cast<std::uintmax_t>(unanswered_on_faces),
              static_cast<std::uintmax_t>(on_faces));
  EXPECT_LE(unanswered * 20, unlimited);
  EXPECT_LE(unanswered_on_faces * 2, on_faces);
}

}  // namespace
}  // namespace sdpa
