// How long the elements of the Schur complement's matrix take, by method, policy, number of threads
// and where Y and X^-1 lie: the paper's figures 14 to 16.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/words.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/kind.h"
#include "topo/topo.h"

namespace sdpa {

// How elements are computed: by terms (elements/columns.h), or by the paper's figure 14
// (schur/plain.h).
enum class Method { kTerms, kFormulas };
inline constexpr program::Words<Method> kMethods = {{Method::kTerms, "terms"},
                                                    {Method::kFormulas, "formulas"}};

// Where Y and X^-1 lie.
enum class DataPlacement { kFirstTouch, kLocal, kInterleaved };
inline constexpr program::Words<DataPlacement> kDataPlacements = {
    {DataPlacement::kFirstTouch, "first-touch"},
    {DataPlacement::kLocal, "local"},
    {DataPlacement::kInterleaved, "interleaved"}};

// A value: what is measured, all methods by all placements by all mappings.
struct ElementsPlan {
  std::string name;  // of the problem, for errors
  std::vector<Method> methods = {Method::kTerms};
  std::vector<DataPlacement> placements = {DataPlacement::kFirstTouch};
  std::vector<topo::Mapping> mappings;  // of the topology's threads
  int repetitions = 5;
  SchurKind schur = SchurKind::kChosen;
  double most_bytes = std::numeric_limits<double>::infinity();  // for the Schur complement's matrix
};

// A value: a row.
struct ElementsTime {
  Method method = Method::kTerms;
  topo::Policy policy = topo::Policy::kNone;
  DataPlacement placement = DataPlacement::kFirstTouch;
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;                      // the median of an iteration
  std::optional<double> elements_seconds;  // of an iteration, summed over tasks; by terms only
  double largest_error = 0;                // of some elements, as trace is written (F3), relative
};

// All rows. Errors: Internal where an element is wrong; topo's and the runtime's.
absl::StatusOr<std::vector<ElementsTime>> MeasureElements(
    const Problem& problem, const topo::Topology& topology, const ElementsPlan& plan,
    const std::function<void(const std::string&)>& progress);

}  // namespace sdpa
