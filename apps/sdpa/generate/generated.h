// A generated problem, with what its family knows of the answer. Pure.
#pragma once

#include <optional>
#include <string>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

enum class Answer {
  kSolvable,          // both sides are, with the same value
  kPrimalInfeasible,  // by `known.dual`: F_i.Y = 0, F_0.Y = 1, Y positive semidefinite
  kDualInfeasible,    // by `known.x`: F_1 x_1 + ... positive semidefinite, c'x = -1
  // No x is feasible, and some are as close to it as wanted: there is no certificate.
  kWeaklyInfeasible,
};

// A value.
struct Generated {
  std::string name;
  Problem problem;
  Answer answer = Answer::kSolvable;
  std::optional<double> value;          // of both sides, where it is known
  std::optional<SolutionValues> known;  // a solution or, in a part, a certificate
};

}  // namespace sdpa
