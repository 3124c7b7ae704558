#include "apps/sdpa/reduce/solve_reduced.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/sdpa/interior_point/initial_point.h"
#include "apps/sdpa/interior_point/norms.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/reduce/arrows.h"
#include "apps/sdpa/reduce/components.h"
#include "apps/sdpa/reduce/equalities.h"
#include "apps/sdpa/reduce/face.h"
#include "apps/sdpa/reduce/undo_equalities.h"
#include "apps/sdpa/reduce/undo_face.h"

namespace sdpa {
namespace {

template <typename Real>
Point<Real> PointIn(const Problem& problem, const SolutionValues& values) {
  return PointOf<Real>(std::make_shared<const Layout>(problem.blocks), values);
}

// `reduce` is linear, so that it reduces the second numbers of pairs as it does the first ones.
template <typename Reduce>
SolutionValues WithPairs(const SolutionValues& whole, const Reduce& reduce) {
  SolutionValues reduced = reduce(whole);
  if (whole.low.x.empty()) return reduced;
  const SolutionValues low = reduce(SolutionValues{
      .x = whole.low.x, .slack = whole.low.slack, .dual = whole.low.dual, .low = {}});
  reduced.low = {low.x, low.slack, low.dual};
  return reduced;
}

// `undo` of each of the solution's points, and the phase that the point is one of.
template <typename Real, typename Undo>
void UndoIn(Solution<Real>& solution, const Undo& undo) {
  solution.point = undo(solution.phase, solution.point);
  if (solution.nearest) solution.nearest = undo(Phase::kStalled, *solution.nearest);
}

// A value: how X is to be completed, and how many reductions led here.
struct Nesting {
  double allowed = 0;
  int depth = 0;
};

template <typename Real>
absl::StatusOr<Solution<Real>> SolveWithin(taskrt::Runtime& runtime, const Problem& problem,
                                           const SolverOptions& options, Nesting nesting);

template <typename Real>
absl::StatusOr<Solution<Real>> SolveBy(const Face& face, taskrt::Runtime& runtime,
                                       const Problem& problem, const SolverOptions& options,
                                       Nesting nesting) {
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = WithPairs(*options.initial, [&](const SolutionValues& whole) {
      return ReducedValues(face, problem, whole);
    });
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] {
        return ValuesOf(WholePoint(face, problem, Phase::kStalled, nesting.allowed,
                                   PointIn<Real>(face.reduced(), values())));
      });
    };
  }
  // The reduced problem may show another one, on which X has to be more than positive semidefinite
  // here.
  constexpr double kStricter = 0.1;
  absl::StatusOr<Solution<Real>> solution = SolveWithin<Real>(
      runtime, face.reduced(), inner, {kStricter * nesting.allowed, nesting.depth + 1});
  if (!solution.ok()) return solution;
  UndoIn(*solution, [&](Phase phase, const Point<Real>& point) {
    return WholePoint(face, problem, phase, nesting.allowed, point);
  });
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
absl::StatusOr<Solution<Real>> SolveBy(const Equalities& equalities, taskrt::Runtime& runtime,
                                       const Problem& problem, const SolverOptions& options,
                                       Nesting nesting) {
  constexpr double kSafely = 0.5;
  constexpr int kMostTimes = 3;
  SolverOptions inner = options;
  nesting.allowed = AllowedOf(equalities.reduced(), problem, nesting.allowed);
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
    absl::StatusOr<Solution<Real>> next = SolveWithin<Real>(runtime, equalities.reduced(), inner,
                                                            {nesting.allowed, nesting.depth + 1});
    if (!next.ok()) return next;
    seconds.elements += next->seconds.elements;
    seconds.cholesky += next->seconds.cholesky;
    before += next->iterations;
    inner.most_iterations -= next->iterations;
    const bool was_optimal = next->phase == Phase::kOptimal;
    const double reached = next->quality.largest_error();  // of the reduced problem
    initial = ValuesOf(next->point);
    inner.initial = &initial;
    inner.resumes = true;
    next->quality = WholeQuality(equalities, problem, next->quality);
    UndoIn(*next, [&](Phase phase, const Point<Real>& point) {
      return WholePoint(equalities, problem, phase, point);
    });
    if (best || was_optimal) next->quality.primal_error = PrimalErrorOf(problem, next->point);
    const double error = next->quality.largest_error();
    // Later ones are further on the same path, and as good as their errors.
    if (!best || error < best->quality.largest_error()) best = *std::move(next);
    if (!was_optimal || error <= options.tolerance || inner.most_iterations <= 0) break;
    inner.tolerance = std::min(inner.tolerance, reached * kSafely * options.tolerance / error);
  }
  best->iterations = before;
  best->seconds = seconds;
  return *std::move(best);
}

template <typename Real>
absl::StatusOr<Solution<Real>> SolveBy(const Arrows& arrows, taskrt::Runtime& runtime,
                                       const Problem& problem, const SolverOptions& options,
                                       Nesting nesting) {
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
      SolveWithin<Real>(runtime, arrows.reduced(), inner, {nesting.allowed, nesting.depth + 1});
  if (!solution.ok()) return solution;
  UndoIn(*solution,
         [&](Phase, const Point<Real>& point) { return WholePoint(arrows, problem, point); });
  return solution;
}

// The method, with each component of a block as a block.
template <typename Real>
absl::StatusOr<Solution<Real>> SolveComponents(taskrt::Runtime& runtime, const Problem& problem,
                                               const SolverOptions& options) {
  const std::optional<Components> components = Components::Of(problem);
  if (!components) return Solve<Real>(runtime, problem, options);
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
  absl::StatusOr<Solution<Real>> solution = Solve<Real>(runtime, components->split(), inner);
  if (!solution.ok()) return solution;
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  UndoIn(*solution, [&](Phase, const Point<Real>& point) {
    return Point<Real>{.x = point.x,
                       .slack = components->Whole(point.slack, layout),
                       .dual = components->Whole(point.dual, layout)};
  });
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
                                           const SolverOptions& options, Nesting nesting) {
  if (const auto constraint = ContradictionOf(problem)) {
    return ProofBy<Real>(*constraint, problem);
  }
  // A face of a face, and so on: of more than this X could not be completed in any numbers.
  constexpr int kMostDepth = 8;
  if (!options.reduces || nesting.depth == kMostDepth) {
    return SolveComponents<Real>(runtime, problem, options);
  }
  // A start is in the units of the problem's own rows.
  const RowUnits units = options.start > 0 ? RowUnits::kOwn : RowUnits::kScaled;
  if (const auto equalities = Equalities::Of(problem, units)) {
    return SolveBy<Real>(*equalities, runtime, problem, options, nesting);
  }
  // The variables between an arrow's blocks are many, and a sparse matrix has few elements of them.
  constexpr bool is_in_doubles = std::is_same_v<Real, double>;  // no other matrix is sparse
  const auto arrows =
      is_in_doubles && options.schur != SchurKind::kDense ? Arrows::Of(problem) : std::nullopt;
  if (arrows) {
    return SolveBy<Real>(*arrows, runtime, problem, options, nesting);
  }
  if (const auto face = Face::Of(problem)) {
    return SolveBy<Real>(*face, runtime, problem, options, nesting);
  }
  return SolveComponents<Real>(runtime, problem, options);
}

}  // namespace

template <typename Real>
absl::StatusOr<Solution<Real>> SolveReduced(taskrt::Runtime& runtime, const Problem& problem,
                                            const SolverOptions& options) {
  constexpr double kOfTolerance = 0.4;
  return SolveWithin<Real>(runtime, problem, options, {kOfTolerance * options.tolerance, 0});
}

template absl::StatusOr<Solution<double>> SolveReduced(taskrt::Runtime& runtime,
                                                       const Problem& problem,
                                                       const SolverOptions& options);
template absl::StatusOr<Solution<DoubleDouble>> SolveReduced(taskrt::Runtime& runtime,
                                                             const Problem& problem,
                                                             const SolverOptions& options);

}  // namespace sdpa
