// Between points of a problem and of its reduced one on a face (face.h).
#pragma once

#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/reduce/face.h"

namespace sdpa {

// The point of the whole problem: a solution, or of a proof that there is none the proof.
// `allowed`: how far X may be from positive semidefinite, over 1 and the largest element of F_0.
template <typename Real>
Point<Real> WholePoint(const Face& face, const Problem& problem, Phase phase, double allowed,
                       const Point<Real>& reduced);

SolutionValues ReducedValues(const Face& face, const Problem& problem, const SolutionValues& whole);

extern template Point<double> WholePoint(const Face& face, const Problem& problem, Phase phase,
                                         double allowed, const Point<double>& reduced);
extern template Point<DoubleDouble> WholePoint(const Face& face, const Problem& problem,
                                               Phase phase, double allowed,
                                               const Point<DoubleDouble>& reduced);

}  // namespace sdpa
