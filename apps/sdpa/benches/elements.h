// Rows of the Schur complement's matrix, by one method or the other.
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/benches/rows.h"
#include "apps/sdpa/measure/measure_elements.h"
#include "apps/sdpa/run/resolve.h"

namespace sdpa {

// As the program reads it: the problem is made, and the threads are not bound.
absl::StatusOr<Resolved> ResolveFor(const BenchProblem& problem, int threads);

// Rows `elements_theta-200` and so on: seconds of the matrix's elements of one iteration, the
// median of several; some elements are compared with the trace as it is written.
void AddElementsRows(Method method, std::vector<Row>& rows);

}  // namespace sdpa
