// Equalities that stand in problems as pairs of rows are found and put into the rest, and the whole
// problem is solved, or proved infeasible, from there.
#include "apps/sdpa/reduce/equalities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/generate/transform.h"
#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/reduce/solve_reduced.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

// A value: factors of x, and the sum's bound.
struct Row {
  std::vector<double> factors;
  double bound = 0;
};

// A linear program: the rows' sums are not below their bounds.
Problem Linear(const std::vector<double>& costs, const std::vector<Row>& rows) {
  std::vector<MatrixBuilder> builders(costs.size() + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const int row = static_cast<int>(r);
    builders[0].Add(0, row, row, rows[r].bound);
    for (std::size_t i = 0; i < rows[r].factors.size(); ++i) {
      builders[i + 1].Add(0, row, row, rows[r].factors[i]);
    }
  }
  Problem problem = {.blocks = {{Shape::kDiagonal, static_cast<int>(rows.size())}},
                     .costs = costs,
                     .matrices = {}};
  for (const MatrixBuilder& builder : builders) problem.matrices.push_back(builder.Build());
  return problem;
}

std::vector<Row> Opposite(std::vector<Row> rows) {
  for (Row& row : rows) {
    for (double& factor : row.factors) factor = -factor;
    row.bound = -row.bound;
  }
  return rows;
}

// x >= 0, the rows, and the equalities, all of one direction before all of the other.
Problem LinearWith(const std::vector<double>& costs, std::vector<Row> rows,
                   const std::vector<Row>& equalities) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Row row = {.factors = std::vector<double>(costs.size(), 0.0), .bound = 0};
    row.factors[i] = 1;
    rows.push_back(row);
  }
  rows.insert(rows.end(), equalities.begin(), equalities.end());
  for (const Row& row : Opposite(equalities)) rows.push_back(row);
  return Linear(costs, rows);
}

std::size_t ElementsOf(const Problem& problem) {
  std::size_t elements = 0;
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const BlockElements& block : matrix) elements += block.elements.size();
  }
  return elements;
}

// A value: how a run ended.
struct End {
  Judgement judgement;
  SolutionValues values;
  int iterations = 0;
};

template <typename Real = double>
End EndOf(const Problem& problem, const SolverOptions& options = {}) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.pool.workers = 2;
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  const auto solution = (*runtime)->Run(
      [&](taskrt::Runtime& rt) { return SolveReduced<Real>(rt, problem, options); });
  EXPECT_TRUE(solution.ok()) << solution.status();
  const SolutionValues values = ValuesOf(solution->point);
  return {Judge(problem, values, solution->phase, options.tolerance), values, solution->iterations};
}

void ExpectValue(const Problem& problem, double value, const std::string& name = "") {
  const End end = EndOf(problem), in_pairs = EndOf<DoubleDouble>(problem, {.tolerance = 1e-13});
  for (const End& each : {end, in_pairs}) {
    EXPECT_EQ(each.judgement.status, Status::kOptimal) << name;
  }
  EXPECT_NEAR(end.judgement.certificate.dual, value, 1e-6 * (1 + std::abs(value))) << name;
  EXPECT_NEAR(in_pairs.judgement.certificate.dual, value, 1e-12 * (1 + std::abs(value))) << name;
}

const std::vector<EqualityForm> kForms = {EqualityForm::kRows, EqualityForm::kBlocks,
                                          EqualityForm::kFactors, EqualityForm::kDense};

TEST(Equalities, AreFoundInAllTheirForms) {
  const Generated made = *Generate("random:blocks=5+d4+3,m=6,seed=4");
  SparseMatrix matrix = made.problem.matrices[2];
  for (const EqualityForm form : kForms) {
    const Problem problem = WithEquality(made.problem, {1, 0, -2, 0, 0.5, 0}, 3, matrix, 2, form);
    const auto undone = Equalities::Of(problem);
    ASSERT_TRUE(undone);
    EXPECT_EQ(undone->reduced().constraints(), 6u);
    EXPECT_EQ(undone->reduced().blocks, made.problem.blocks);
    ExpectValue(problem, *made.value + 2 * 3);
  }
}

TEST(Equalities, AreNoneWhereRowsLeaveAnInterior) {
  EXPECT_FALSE(Equalities::Of(Linear({1, 1}, {{{1, 1}, 1}, {{-1, -1}, -1.001}, {{1, -1}, 0}})));
  EXPECT_FALSE(Equalities::Of(Linear({1, 1}, {{{1, 1}, 1}, {{1, 1}, 1}, {{1, -1}, 0}})));
  EXPECT_FALSE(Equalities::Of(Linear({1, 1}, {{{1, 1}, 1}, {{-1, 1}, -1}, {{1, -1}, 0}})));
  for (const std::string text : {"theta:petersen", "max-cut:cycle,n=5", "control:n=3"}) {
    EXPECT_FALSE(Equalities::Of(Generate(text)->problem)) << text;
  }
}

TEST(Equalities, BoundsThatFixAnXAreOne) {
  // 2 <= 4 x_1, 6 x_1 <= 3, x_1 >= 0: x_1 = 1/2.
  const Problem problem =
      LinearWith({1, 1, 1}, {{{4, 0, 0}, 2}, {{-6, 0, 0}, -3}, {{1, 1, 1}, 4}}, {});
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().blocks, (std::vector<Block>{{Shape::kDiagonal, 3}}));
  EXPECT_EQ(undone->reduced().constraints(), 2u);
  EXPECT_EQ(undone->objective(), 0.5);
  ExpectValue(problem, 4);
  EXPECT_NEAR(EndOf(problem).values.x[0], 0.5, 1e-15);
}

TEST(Equalities, WhichFollowFromOthersAreDropped) {
  // The third is the sum of the others, but for roundings, and the fourth is the first once more.
  const std::vector<Row> equalities = {
      {{0.1, 0.3, 0}, 0.7}, {{0, 0.7, 0.9}, 0.3}, {{0.1, 1.0, 0.9}, 1.0}, {{0.2, 0.6, 0}, 1.4}};
  const Problem problem = LinearWith({1, 1, 1}, {}, equalities);
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().constraints(), 1u);
  EXPECT_EQ(undone->reduced().blocks, (std::vector<Block>{{Shape::kDiagonal, 3}}));
  EXPECT_EQ(undone->steps().size(), 2u);
  // x_1 = 7 - 3 x_2 and x_3 = (3 - 7 x_2) / 9, so that x_2 is 3/7 at most.
  ExpectValue(problem, 7 - 2 * 3.0 / 7);
}

TEST(Equalities, ManyMeetInTheSameX) {
  const Generated made = *Generate("random:blocks=6+d5,m=8,seed=11");
  Random random(5);
  Problem problem = made.problem;
  double value = *made.value;
  for (int i = 0; i < 12; ++i) {
    std::vector<double> factors;
    for (std::size_t k = 0; k < problem.constraints(); ++k) factors.push_back(random.Fraction(4));
    const double constant = random.Fraction(), cost = random.Fraction();
    problem = WithEquality(problem, factors, constant, made.problem.matrices[1 + i % 8], cost,
                           kForms[static_cast<std::size_t>(i % 4)]);
    value += cost * constant;
  }
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().constraints(), 8u);
  EXPECT_EQ(undone->reduced().blocks, made.problem.blocks);
  ExpectValue(problem, value);
}

TEST(Equalities, ContradictionsProveThatNoXIsFeasible) {
  const std::vector<std::vector<Row>> contradictions = {
      {{{1, 1, 0}, 1}, {{1, 1, 0}, 2}},                  // bounds that cross
      {{{1, 1, 0}, 1}, {{0, 1, 1}, 1}, {{1, 2, 1}, 3}},  // a sum of others
      {{{0.1, 0.3, 0}, 0.7}, {{0, 0.7, 0.9}, 0.3}, {{0.1, 1.0, 0.9}, 1.5}},
      {{{1, 1, 1}, -1}},                                   // with x >= 0
      {{{1, 0, 0}, 1}, {{0, 1, 0}, 2}, {{0, 0, 1}, -3}}};  // all fixed
  for (std::size_t i = 0; i < contradictions.size(); ++i) {
    const Problem problem = LinearWith({1, 1, 1}, {{{-1, -1, -1}, -9}}, contradictions[i]);
    EXPECT_EQ(EndOf(problem).judgement.status, Status::kPrimalInfeasible) << i;
    EXPECT_EQ(EndOf<DoubleDouble>(problem).judgement.status, Status::kPrimalInfeasible) << i;
  }
}

TEST(Equalities, DirectionsWithoutEndMeetThem) {
  const std::vector<Problem> problems = {
      LinearWith({-1, -1}, {}, {{{1, -1}, 0}}),
      LinearWith({-1, -1, 1}, {}, {{{1, -1, 0}, 2}, {{0.3, 0.7, -1.1}, 0.2}}),
      // x_3 is in no row but the equality's.
      Linear({-1, -1, 0.5}, {{{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{1, 1, 1}, 1}, {{-1, -1, -1}, -1}}),
  };
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ(EndOf(problems[i]).judgement.status, Status::kDualInfeasible) << i;
    EXPECT_EQ(EndOf<DoubleDouble>(problems[i]).judgement.status, Status::kDualInfeasible) << i;
  }
}

TEST(Equalities, KeepWhatIsInfeasibleSo) {
  for (const std::string kind : {"primal", "dual"}) {
    for (const EqualityForm form : kForms) {
      const Generated made = *Generate("infeasible:" + kind + ",n=6,m=4,seed=3");
      const Problem problem =
          WithEquality(made.problem, {1, 0, -2, 0.5}, 3, made.problem.matrices[2], 1, form);
      const Status expected =
          kind == "primal" ? Status::kPrimalInfeasible : Status::kDualInfeasible;
      ASSERT_TRUE(Equalities::Of(problem));
      EXPECT_EQ(EndOf(problem).judgement.status, expected) << kind << static_cast<int>(form);
    }
  }
}

TEST(Equalities, RowsAreScaledWhichAreOfOtherUnits) {
  const Problem problem = Linear({1, 1}, {{{1e6, 0}, 3e6}, {{0, 1e-7}, 2e-7}, {{1, 2}, 1}});
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().matrices[1][0].elements[0].value, 1e6 / (1 << 20));
  EXPECT_EQ(undone->reduced().matrices[2][0].elements[0].value, 1e-7 * (1 << 23));
  EXPECT_EQ(undone->reduced().matrices[2][0].elements[1].value, 2);
  EXPECT_FALSE(Equalities::Of(undone->reduced()));
  ExpectValue(problem, 5);
}

// The rows of before, by factors from 1e-4 to 1e4.
TEST(Equalities, AsManyIterationsInAnyUnitsOfRows) {
  const Generated made = *Generate("random:blocks=5+d20,m=8,seed=6");
  Problem other = made.problem;
  for (SparseMatrix& matrix : other.matrices) {
    for (auto& [block, elements] : matrix) {
      for (Element& element : elements) {
        if (block == 1) element.value *= std::ldexp(1.0, element.row * 7 % 27 - 13);
      }
    }
  }
  const End as_made = EndOf(made.problem), end = EndOf(other);
  EXPECT_EQ(end.judgement.status, Status::kOptimal);
  EXPECT_NEAR(end.judgement.certificate.dual, *made.value, 1e-6 * (1 + std::abs(*made.value)));
  EXPECT_LE(end.iterations, as_made.iterations + 1);
}

TEST(Equalities, RowsWithoutXAreDroppedWhereTheyHold) {
  const Problem problem = Linear({1, 1}, {{{1, 0}, 1}, {{}, -1}, {{}, 0}, {{0, 1}, 2}});
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().blocks, (std::vector<Block>{{Shape::kDiagonal, 2}}));
  ExpectValue(problem, 3);
  EXPECT_EQ(EndOf(problem).values.slack[0][1], 1);
  EXPECT_EQ(EndOf(Linear({1, 1}, {{{1, 0}, 1}, {{}, 1}, {{0, 1}, 2}})).judgement.status,
            Status::kPrimalInfeasible);
}

TEST(Equalities, ConstraintsWithoutElementsAreDroppedWhereTheyHold) {
  const Problem problem = Linear({1, 0}, {{{1, 0}, 1}});
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->reduced().constraints(), 1u);
  ExpectValue(problem, 1);
  EXPECT_EQ(EndOf(Linear({1, 1}, {{{1, 0}, 1}})).judgement.status, Status::kDualInfeasible);
}

TEST(Equalities, StayWhereTheyWouldFillTheMatrices) {
  // Each x has forty rows of its own, and its elimination gives all others as many more.
  const std::size_t m = 40;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t r = 0; r < 40; ++r) {
      Row row = {.factors = std::vector<double>(m, 0.0), .bound = -static_cast<double>(r)};
      row.factors[i] = 1;
      rows.push_back(row);
    }
  }
  // Of x = 1.
  std::vector<Row> equalities(8, {.factors = std::vector<double>(m, 1.0), .bound = 40});
  for (std::size_t e = 1; e < equalities.size(); ++e) {
    equalities[e].bound = 0;
    for (std::size_t i = 0; i < m; ++i) {
      equalities[e].factors[i] = 1 + static_cast<double>(i * i * e % 11);
      equalities[e].bound += equalities[e].factors[i];
    }
  }
  const Problem problem = LinearWith(std::vector<double>(m, 1.0), rows, equalities);
  const auto undone = Equalities::Of(problem);
  ASSERT_TRUE(undone);
  EXPECT_GT(undone->steps().size(), 0u);
  EXPECT_LT(undone->steps().size(), equalities.size());
  EXPECT_EQ(undone->reduced().blocks[0].size,
            problem.blocks[0].size - 2 * static_cast<int>(undone->steps().size()));
  EXPECT_LE(ElementsOf(undone->reduced()), 2 * ElementsOf(problem) + 1000);
  ExpectValue(problem, 40);
}

// Each x has so many rows of its own, and ten of a hundred have an equality.
std::size_t StepsWithRows(std::size_t of_each, bool has_sum) {
  const std::size_t m = 100;
  std::vector<Row> rows;
  for (std::size_t r = 1; r < of_each; ++r) {
    for (std::size_t i = 0; i < m; ++i) {
      Row row = {.factors = std::vector<double>(m, 0.0), .bound = -static_cast<double>(r)};
      row.factors[i] = 1;
      rows.push_back(row);
    }
  }
  if (has_sum) rows.push_back({std::vector<double>(m, -1.0), -200});
  Row equality = {.factors = std::vector<double>(m, 0.0), .bound = 3};
  for (std::size_t i = 0; i < 10; ++i) equality.factors[7 * i] = 1;
  const Problem problem = LinearWith(std::vector<double>(m, 1.0), rows, {equality});
  ExpectValue(problem, 3);
  const auto undone = Equalities::Of(problem);
  return undone ? undone->steps().size() : 0;
}

TEST(Equalities, StayWhereTheyWouldFillASparseSchurComplement) {
  // The nine others share one row instead of the equality's, or two.
  EXPECT_EQ(StepsWithRows(1, false), 1u);
  EXPECT_EQ(StepsWithRows(2, false), 0u);
  EXPECT_EQ(StepsWithRows(2, true), 1u) << "the sum of all x makes it a dense one";
}

TEST(Equalities, TheErrorsAreThoseOfTheWholeProblem) {
  // x_1 = 1, of a cost that the others make up for: 1e6 - 1e6 + 3.
  const Problem problem = Linear(
      {1e6, 1, 1},
      {{{1, 0, 0}, 1}, {{-1, 0, 0}, -1}, {{0, 1, 0}, -1e6}, {{0, 0, 1}, 1}, {{0, 1, 1}, 3 - 1e6}});
  const End end = EndOf(problem);
  EXPECT_EQ(end.judgement.status, Status::kOptimal);
  EXPECT_NEAR(end.judgement.certificate.dual, 3, 1e-5);
}

TEST(Equalities, EachPointOnTheWayIsOneOfTheWholeProblem) {
  const Generated made = *Generate("random:blocks=6+d5,m=8,seed=2");
  const Problem problem = WithEquality(made.problem, {1, 0, 0, -1, 2, 0, 0, 1}, 1,
                                       made.problem.matrices[3], 1, EqualityForm::kRows);
  SolutionValues last;
  Iteration iteration;
  const End first =
      EndOf(problem,
            {.most_iterations = 4,
             .progress = [&](const Iteration& now, const std::function<SolutionValues()>& values) {
               last = values();
               iteration = now;
               return absl::OkStatus();
             }});
  EXPECT_EQ(first.judgement.status, Status::kTooManyIterations);
  const Certificate certificate = Certify(problem, last);
  EXPECT_NEAR(certificate.errors[2], iteration.quality.primal_error, 1e-9);
  EXPECT_NEAR(iteration.quality.primal, certificate.primal, 1e-9 * std::abs(certificate.primal));
  EXPECT_NEAR(iteration.quality.dual, certificate.dual, 1e-9 * std::abs(certificate.dual));
  const End rest = EndOf(problem, {.initial = &last});
  EXPECT_EQ(rest.judgement.status, Status::kOptimal);
  EXPECT_LT(rest.iterations, EndOf(problem).iterations);
}

}  // namespace
}  // namespace sdpa
