// The program's work, by its flags, its files and the machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/run/flags.h"
#include "apps/sdpa/solve/options.h"
#include "topo/topo.h"

namespace sdpa {

enum class Mode { kSolve, kElements };

// How elements are computed in the mode elements: by terms (elements/columns.h), or by the paper's
// figure 14 (schur/plain.h).
enum class Method { kTerms, kFormulas };
constexpr std::string_view ToString(Method method) {
  return method == Method::kTerms ? "terms" : "formulas";
}

// Where Y and X^-1 lie in the mode elements.
enum class DataPlacement { kFirstTouch, kLocal, kInterleaved };
constexpr std::string_view ToString(DataPlacement placement) {
  switch (placement) {
    case DataPlacement::kFirstTouch:
      return "first-touch";
    case DataPlacement::kLocal:
      return "local";
    case DataPlacement::kInterleaved:
      return "interleaved";
  }
  return "";
}

// A value: what to do.
struct Resolved {
  std::string name;
  Problem problem;
  std::optional<double> known;  // the value that is known
  bool has_integers = false;    // which the file asks for, and the problem does not
  Mode mode = Mode::kSolve;
  topo::Topology topology;
  std::vector<topo::Mapping> mappings;  // policies by thread counts
  std::vector<Method> methods;
  std::vector<DataPlacement> placements;
  int repetitions = 5;
  Options options;  // of the first mapping, and without the initial point
  std::optional<SolutionValues> initial;
  double bytes_left = 0;  // for the Schur complement's matrix
  program::CheckpointOptions checkpoint;
};

// Looks at the machine and reads files. Errors are sentences that name flag or file;
// ResourceExhausted where matrices need more memory than there is.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace sdpa
