#include "apps/sdpa/reduce/undo_face.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/sdpa/interior_point/norms.h"
#include "apps/sdpa/linear/block_matrix.h"

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

}  // namespace

template <typename Real>
Point<Real> WholePoint(const Face& face, const Problem& problem, Phase phase, double allowed,
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

SolutionValues ReducedValues(const Face& face, const Problem& problem,
                             const SolutionValues& whole) {
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

template Point<double> WholePoint(const Face& face, const Problem& problem, Phase phase,
                                  double allowed, const Point<double>& reduced);
template Point<DoubleDouble> WholePoint(const Face& face, const Problem& problem, Phase phase,
                                        double allowed, const Point<DoubleDouble>& reduced);

}  // namespace sdpa
