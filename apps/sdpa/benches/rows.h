// What all contestants measure: problems of the generator whose values are known, and rows about
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sdpa {

// A value.
struct BenchProblem {
  std::string name;                                         // the generator's
  double value = 0;                                         // in SDPA's form
  bool has_elements_row = false, has_cholesky_row = false;  // all have one of the whole solution
};

// theta-200, theta-300, control-40, max-cut-800, bordered-theta-800, truss, blocks and material.
const std::vector<BenchProblem>& BenchProblems();

// OutOfRange where `value` differs from the problem's by more than `relative` of it.
absl::Status CheckValue(const BenchProblem& problem, double value, double relative);

// 1, and as many as the machine runs at once.
std::vector<int> ThreadCounts();

// A value: the row `NAME/CONTESTANT/threads:K`.
struct Row {
  std::string name;
  int threads = 1;
  std::function<absl::StatusOr<double>()> seconds;  // measures
};

// Adds a row to `rows` for each number of threads: `what`, as "solve_", and the problem's name.
void AddRows(const std::string& what, const BenchProblem& problem,
             const std::function<absl::StatusOr<double>(const BenchProblem&, int threads)>& seconds,
             std::vector<Row>& rows);

// Parses the flags and measures each row once. A row whose measurement is an error is one of the
// run. `note`: what a reader of the results must know of the contestant, as its BLAS. Returns the
// exit code.
int RunRows(int argc, char** argv, const std::string& contestant, const std::string& note,
            const std::vector<Row>& rows);

}  // namespace sdpa
