// The objects behind sdpa.h, and how its functions fail.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "apps/program/c_calls.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/judge.h"

namespace sdpa {

// A value: an element that was added to a matrix.
struct Added {
  int matrix = 0, block = 0;
  Element element;
};

}  // namespace sdpa

struct sdpa_problem {
  sdpa::Problem problem;
  std::vector<sdpa::Added> added;

  // With the added elements in it; sums are in the order of the calls.
  sdpa::Problem Whole() const;
};

struct sdpa_solution {
  std::vector<sdpa::Block> blocks;  // of its problem
  sdpa::Judgement judgement;
  sdpa::SolutionValues values;
  int iterations = 0;
  double seconds = 0;
};

namespace sdpa {

using program::Refuse;

// The return value of a function of C: 0, or -1 with a sentence for sdpa_last_error.
int Done(const absl::Status& status);

// "block 3: expected 1 to 2".
absl::Status CheckNumber(const char* name, int number, int least, std::size_t most);

// "SIZES is a null pointer", of the first that is one.
struct Given {
  const char* name;
  const void* pointer;
};
absl::Status CheckPointers(std::initializer_list<Given> given);

// Is the solution one of a problem of these sizes?
absl::Status CheckSizes(const sdpa_problem& problem, const sdpa_solution& solution);

using program::Guarded;

}  // namespace sdpa
