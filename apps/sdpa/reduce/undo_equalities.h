// Between points of a problem and of its reduced one (equalities.h).
#pragma once

#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/reduce/equalities.h"

namespace sdpa {

// The point of the whole problem: a solution, or of a proof that there is none the proof.
template <typename Real>
Point<Real> WholePoint(const Equalities& equalities, const Problem& problem, Phase phase,
                       const Point<Real>& reduced);

// And its errors; the error of X is a bound, from the rows as they are scaled.
Quality WholeQuality(const Equalities& equalities, const Problem& problem, const Quality& reduced);

// The error of X of a point of any problem, as Quality has it.
template <typename Real>
double PrimalErrorOf(const Problem& problem, const Point<Real>& point);

SolutionValues ReducedValues(const Equalities& equalities, const Problem& problem,
                             const SolutionValues& whole);

extern template Point<double> WholePoint(const Equalities& equalities, const Problem& problem,
                                         Phase phase, const Point<double>& reduced);
extern template Point<DoubleDouble> WholePoint(const Equalities& equalities, const Problem& problem,
                                               Phase phase, const Point<DoubleDouble>& reduced);
extern template double PrimalErrorOf(const Problem& problem, const Point<double>& point);
extern template double PrimalErrorOf(const Problem& problem, const Point<DoubleDouble>& point);

}  // namespace sdpa
