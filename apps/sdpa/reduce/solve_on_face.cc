#include "apps/sdpa/reduce/solve_on_face.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/reduce/arrows.h"
#include "apps/sdpa/reduce/equalities.h"
#include "apps/sdpa/reduce/face.h"
#include "apps/sdpa/reduce/undo_equalities.h"
#include "apps/sdpa/solver/start.h"

namespace sdpa {
namespace {

// Y = V Z V'.
template <typename Real>
BlockMatrix<Real> WholeDual(const Face& face, const std::shared_ptr<const Layout>& layout,
                            const BlockMatrix<Real>& reduced) {
  BlockMatrix<Real> whole(layout);
  for (std::size_t l = 0; l < layout->blocks.size(); ++l) {
    const Face::Rows& rows = face.rows()[l];
    if (rows.block < 0) continue;
    const auto from = reduced.elements(static_cast<std::size_t>(rows.block));
    const auto to = whole.elements(l);
    const auto k = rows.kept.size(), n = rows.parts.size();
    if (layout->blocks[l].shape == Shape::kDiagonal) {
      for (std::size_t i = 0; i < k; ++i) to[static_cast<std::size_t>(rows.kept[i])] = from[i];
      continue;
    }
    std::vector<Real> half(n * k, Real(0));  // V Z
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto [row, factor] : rows.parts[i]) {
        for (std::size_t j = 0; j < k; ++j) {
          half[i * k + j] += Real(factor) * from[static_cast<std::size_t>(row) * k + j];
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Real sum(0);
        for (const auto [row, factor] : rows.parts[j]) {
          sum += Real(factor) * half[i * k + static_cast<std::size_t>(row)];
        }
        to[i * n + j] = to[j * n + i] = sum;
      }
    }
  }
  return whole;
}

double LargestOf(const SparseMatrix& matrix) {
  double largest = 0;
  for (const BlockElements& block : matrix) {
    for (const Element& element : block.elements) {
      largest = std::max(largest, std::abs(element.value));
    }
  }
  return largest;
}

// x of the constraints that are gone: so much of them that X, or of a proof by x its matrix, is
// positive semidefinite again, as far as `allowed`, or as little more than that as numbers allow
// whose roundings are that small. X is so for some number where it is positive definite on the
// face; the less it is, the larger the number.
template <typename Real>
void CompleteX(const Face& face, const Problem& problem, bool is_proof, double allowed,
               Point<Real>& point) {
  const auto layout = point.dual.shared_layout();
  Real unit(1);
  if (is_proof) {
    Real objective(0);
    for (std::size_t i = 0; i < point.x.size(); ++i) objective += problem.costs[i] * point.x[i];
    unit = objective < Real(0) ? Real(0) - objective : Real(1);
  }
  const auto matrix_of = [&] {
    BlockMatrix<Real> matrix(layout);
    for (std::size_t i = 0; i < point.x.size(); ++i)
      matrix.Add(point.x[i], problem.matrices[i + 1]);
    if (!is_proof) matrix.Add(Real(-1), problem.matrices[0]);
    return matrix;
  };
  double largest = 0;
  for (const Face::Gone& gone : face.gone()) {
    largest = std::max(largest, LargestOf(problem.matrices[gone.constraint + 1]));
  }
  constexpr double kRounding = std::is_same_v<Real, double> ? 1e-16 : 1e-31, kMostOfProof = 1e12;
  const double most = is_proof ? kMostOfProof : std::max(1.0, allowed / (kRounding * largest));
  const auto is_complete = [&](double size, double shift) {
    for (const Face::Gone& gone : face.gone()) {
      point.x[gone.constraint] = Real(gone.sign * size) * unit;
    }
    point.slack = matrix_of();
    BlockMatrix<Real> shifted = point.slack;
    shifted.AddToDiagonal(Real(shift) * unit);
    return CholeskyFactor<Real>::Of(shifted).has_value();
  };
  // Few shifts and sizes: each trial is a factorization.
  constexpr double kLeastOfProof = 1e-15, kTimes[] = {1, 1e2, 1e4, 1e6};
  constexpr double kStep = std::is_same_v<Real, double> ? 4 : 64;
  for (const double times : kTimes) {
    const double shift = allowed > 0 ? times * allowed : (times - 1) * kLeastOfProof;
    for (double size = 0; size <= most; size = size == 0 ? 1 : kStep * size) {
      if (is_complete(size, shift)) return;
    }
  }
  is_complete(0, 0);
}

// `allowed`: how far X may be from positive semidefinite, over 1 and the largest element of F_0.
template <typename Real>
Point<Real> Whole(const Face& face, const Problem& problem, Phase phase, double allowed,
                  const Point<Real>& reduced) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  Point<Real> whole = {.x = std::vector<Real>(problem.constraints(), Real(0)),
                       .slack = {},
                       .dual = WholeDual(face, layout, reduced.dual)};
  for (std::size_t i = 0; i < reduced.x.size(); ++i) whole.x[face.constraints()[i]] = reduced.x[i];
  if (phase == Phase::kPrimalInfeasible) {  // Y proves it, whatever x is
    whole.slack = BlockMatrix<Real>(layout);
    whole.slack.AddToDiagonal(Real(1));
    return whole;
  }
  const bool is_proof = phase == Phase::kDualInfeasible;
  CompleteX(face, problem, is_proof, is_proof ? 0 : allowed * (1 + LargestOf(problem.matrices[0])),
            whole);
  return whole;
}

// Of a point of the whole problem.
SolutionValues OnFace(const Face& face, const Problem& problem, const SolutionValues& whole) {
  SolutionValues reduced;
  for (const std::size_t constraint : face.constraints()) {
    reduced.x.push_back(whole.x[constraint]);
  }
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Face::Rows& rows = face.rows()[l];
    if (rows.block < 0) continue;
    const auto k = rows.kept.size(), n = rows.parts.size();
    if (problem.blocks[l].shape == Shape::kDiagonal) {
      std::vector<double>& slack = reduced.slack.emplace_back();
      std::vector<double>& dual = reduced.dual.emplace_back();
      for (const int row : rows.kept) {
        slack.push_back(whole.slack[l][static_cast<std::size_t>(row)]);
        dual.push_back(whole.dual[l][static_cast<std::size_t>(row)]);
      }
      continue;
    }
    // Z is Y's kept part, and X on the face is V' X V.
    std::vector<double> half(n * k, 0), slack(k * k, 0), dual(k * k, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (const auto [row, factor] : rows.parts[j]) {
          half[i * k + static_cast<std::size_t>(row)] += factor * whole.slack[l][i * n + j];
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto [row, factor] : rows.parts[i]) {
        for (std::size_t j = 0; j < k; ++j) {
          slack[static_cast<std::size_t>(row) * k + j] += factor * half[i * k + j];
        }
      }
    }
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        dual[i * k + j] = whole.dual[l][static_cast<std::size_t>(rows.kept[i]) * n +
                                        static_cast<std::size_t>(rows.kept[j])];
      }
    }
    reduced.slack.push_back(std::move(slack));
    reduced.dual.push_back(std::move(dual));
  }
  return reduced;
}

template <typename Real>
Point<Real> PointIn(const Problem& problem, const SolutionValues& values) {
  return PointOf<Real>(std::make_shared<const Layout>(problem.blocks), values);
}

// `reduce` is linear, so that it is that of the second numbers of pairs, too.
template <typename Reduce>
SolutionValues WithPairs(const SolutionValues& whole, const Reduce& reduce) {
  SolutionValues reduced = reduce(whole);
  if (whole.low.x.empty()) return reduced;
  const SolutionValues low = reduce(SolutionValues{
      .x = whole.low.x, .slack = whole.low.slack, .dual = whole.low.dual, .low = {}});
  reduced.low = {low.x, low.slack, low.dual};
  return reduced;
}

// A value: how X is to be completed, and how many reductions led here.
struct Way {
  double allowed = 0;
  int depth = 0;
};

template <typename Real>
absl::StatusOr<Solution<Real>> SolveWithin(taskrt::Runtime& runtime, const Problem& problem,
                                           const SolverOptions& options, Way way);

template <typename Real>
absl::StatusOr<Solution<Real>> SolveOn(const Face& face, taskrt::Runtime& runtime,
                                       const Problem& problem, const SolverOptions& options,
                                       Way way) {
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = WithPairs(*options.initial,
                        [&](const SolutionValues& whole) { return OnFace(face, problem, whole); });
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] {
        return ValuesOf(Whole(face, problem, Phase::kStalled, way.allowed,
                              PointIn<Real>(face.reduced(), values())));
      });
    };
  }
  // The reduced problem may show another one, on which X has to be more than positive semidefinite
  // here.
  constexpr double kStricter = 0.1;
  absl::StatusOr<Solution<Real>> solution =
      SolveWithin<Real>(runtime, face.reduced(), inner, {kStricter * way.allowed, way.depth + 1});
  if (!solution.ok()) return solution;
  solution->point = Whole(face, problem, solution->phase, way.allowed, solution->point);
  return solution;
}

// How far the reduced problem's X may be from positive semidefinite, by its own measure.
double AllowedOf(const Problem& reduced, const Problem& problem, double allowed) {
  return allowed * (1 + LargestOf(problem.matrices[0])) / (1 + LargestOf(reduced.matrices[0]));
}

// The reduced problem's errors may be smaller than the whole problem's. The method ends with errors
// of the constraints far below the tolerance, and the sizes of the objectives are known at the end
// only: the method goes on from there where that is needed.
template <typename Real>
absl::StatusOr<Solution<Real>> SolveWithout(const Equalities& equalities, taskrt::Runtime& runtime,
                                            const Problem& problem, const SolverOptions& options,
                                            Way way) {
  constexpr double kSafely = 0.5;
  constexpr int kMostTimes = 3;
  SolverOptions inner = options;
  way.allowed = AllowedOf(equalities.reduced(), problem, way.allowed);
  int before = 0;  // iterations
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = WithPairs(*options.initial, [&](const SolutionValues& whole) {
      return ReducedValues(equalities, problem, whole);
    });
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      Iteration whole = iteration;
      whole.number += before;
      whole.quality = WholeQuality(equalities, problem, iteration.quality);
      return options.progress(whole, [&] {
        return ValuesOf(WholePoint(equalities, problem, Phase::kStalled,
                                   PointIn<Real>(equalities.reduced(), values())));
      });
    };
  }
  std::optional<Solution<Real>> best;
  SchurSeconds seconds;
  for (int time = 0; time < kMostTimes; ++time) {
    absl::StatusOr<Solution<Real>> next =
        SolveWithin<Real>(runtime, equalities.reduced(), inner, {way.allowed, way.depth + 1});
    if (!next.ok()) return next;
    seconds.elements += next->seconds.elements;
    seconds.cholesky += next->seconds.cholesky;
    before += next->iterations;
    inner.most_iterations -= next->iterations;
    const bool was_optimal = next->phase == Phase::kOptimal;
    if (best && !was_optimal) break;
    initial = ValuesOf(next->point);
    inner.initial = &initial;
    inner.resumes = true;
    best = *std::move(next);
    best->quality = WholeQuality(equalities, problem, best->quality);
    best->point = WholePoint(equalities, problem, best->phase, best->point);
    if (!was_optimal) break;
    best->quality.primal_error = PrimalErrorOf(problem, best->point);
    const double error = best->quality.largest_error();
    if (error <= options.tolerance || inner.most_iterations <= 0) break;
    inner.tolerance *= kSafely * options.tolerance / error;
  }
  best->iterations = before;
  best->seconds = seconds;
  return *std::move(best);
}

template <typename Real>
absl::StatusOr<Solution<Real>> SolveBeside(const Arrows& arrows, taskrt::Runtime& runtime,
                                           const Problem& problem, const SolverOptions& options,
                                           Way way) {
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = ReducedValues(arrows, problem, *options.initial);
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] {
        return ValuesOf(WholePoint(arrows, problem, PointIn<Real>(arrows.reduced(), values())));
      });
    };
  }
  absl::StatusOr<Solution<Real>> solution =
      SolveWithin<Real>(runtime, arrows.reduced(), inner, {way.allowed, way.depth + 1});
  if (!solution.ok()) return solution;
  solution->point = WholePoint(arrows, problem, solution->point);
  return solution;
}

// A constraint 0.Y = c_i that no Y meets: x_i alone is a direction in which c'x falls for ever.
std::optional<std::size_t> ContradictionOf(const Problem& problem) {
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (problem.matrices[i + 1].empty() && problem.costs[i] != 0) return i;
  }
  return std::nullopt;
}

template <typename Real>
Solution<Real> ProofBy(std::size_t constraint, const Problem& problem) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  Solution<Real> proof;
  proof.phase = Phase::kDualInfeasible;
  proof.point = {.x = std::vector<Real>(problem.constraints(), Real(0)),
                 .slack = BlockMatrix<Real>(layout),
                 .dual = BlockMatrix<Real>(layout)};
  proof.point.x[constraint] = Real(problem.costs[constraint] < 0 ? 1 : -1);
  proof.point.slack.AddToDiagonal(Real(1));
  proof.point.dual.AddToDiagonal(Real(1));
  return proof;
}

template <typename Real>
absl::StatusOr<Solution<Real>> SolveWithin(taskrt::Runtime& runtime, const Problem& problem,
                                           const SolverOptions& options, Way way) {
  if (const auto constraint = ContradictionOf(problem)) {
    return ProofBy<Real>(*constraint, problem);
  }
  // A face of a face, and so on: of more than this X could not be completed in any numbers.
  constexpr int kMostDepth = 8;
  if (!options.is_on_face || way.depth == kMostDepth) {
    return Solve<Real>(runtime, problem, options);
  }
  // A start is in the units of the problem's own rows.
  const RowUnits units = options.start > 0 ? RowUnits::kOwn : RowUnits::kScaled;
  if (const auto equalities = Equalities::Of(problem, units)) {
    return SolveWithout<Real>(*equalities, runtime, problem, options, way);
  }
  // The variables between an arrow's blocks are many, and a sparse matrix has few elements of them.
  const auto arrows = options.schur == SchurKind::kDense ? std::nullopt : Arrows::Of(problem);
  if (arrows) {
    return SolveBeside<Real>(*arrows, runtime, problem, options, way);
  }
  if (const auto face = Face::Of(problem)) {
    return SolveOn<Real>(*face, runtime, problem, options, way);
  }
  return Solve<Real>(runtime, problem, options);
}

}  // namespace

template <typename Real>
absl::StatusOr<Solution<Real>> SolveOnFace(taskrt::Runtime& runtime, const Problem& problem,
                                           const SolverOptions& options) {
  constexpr double kOfTolerance = 0.4;
  return SolveWithin<Real>(runtime, problem, options, {kOfTolerance * options.tolerance, 0});
}

template absl::StatusOr<Solution<double>> SolveOnFace(taskrt::Runtime& runtime,
                                                      const Problem& problem,
                                                      const SolverOptions& options);
template absl::StatusOr<Solution<DoubleDouble>> SolveOnFace(taskrt::Runtime& runtime,
                                                            const Problem& problem,
                                                            const SolverOptions& options);

}  // namespace sdpa
