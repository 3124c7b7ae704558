// The outcome of a run.
#pragma once

#include <optional>
#include <vector>

#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/judge.h"
#include "taskrt/runtime.h"
#include "topo/topo.h"

namespace sdpa {

// A value: the best that a run came to.
struct Outcome {
  Judgement judgement;
  SolutionValues solution;  // or the point of a proof, whose F_0.Y is 1, or whose c'x is -1
  std::vector<Iteration> iterations;
  bool is_double_double = false;  // the precision that the point was found with
  bool has_converged = false;     // by the method's own errors
  bool is_at_limit = false;       // of iterations, whose point may be of reduced accuracy
  topo::Policy policy = topo::Policy::kNone;
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;  // virtual ones where all devices are simulated
  // Summed over tasks; none where they are not known: in virtual time, and of what devices factor.
  std::optional<double> elements_seconds, cholesky_seconds;
  taskrt::RuntimeCounts counts;
};

}  // namespace sdpa
