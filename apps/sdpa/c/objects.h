// The objects behind sdpa.h, and how its functions fail.
#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/judge.h"
#include "apps/sdpa/problem.h"

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

// Keeps the sentence for sdpa_last_error.
void Refuse(const absl::Status& status);

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

// Calls `body`, of which no exception reaches C: null or -1 then.
template <typename Body>
auto Guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    Refuse(absl::ResourceExhaustedError("there is not enough memory"));
  } catch (const std::exception& error) {
    Refuse(absl::InternalError(error.what()));
  }
  if constexpr (std::is_pointer_v<decltype(body())>) {
    return nullptr;
  } else {
    return -1;
  }
}

}  // namespace sdpa
