// The second pass at a place of the program: what it has read so far.
//
// Pure. Threads: one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/reductions.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/scopes.h"
#include "taskrt/ompc/translate/regions/watch.h"

namespace taskrt {

struct Resolution {
  explicit Resolution(const Source& text) : source(text) {}
  explicit Resolution(Source&&) = delete;

  const Source& source;
  std::map<std::string, Function> functions;
  std::map<std::string, std::map<std::string, std::string>> variants;  // by function and device
  Scopes scopes;
  Reductions reductions;
  Watch watch;
  bool is_in_target = false, is_declaring_target = false;
  // Of the file so far.
  std::set<std::string> called, sections;
  int outlined = 0, graphs = 0;
};

// Resolves the code inside of a construct.
using ResolveBody = std::function<absl::StatusOr<ResolvedCode>()>;

// The outside variables that the code uses. The code ends at `end`.
absl::StatusOr<std::set<std::string>> UsesOf(Resolution& all, std::size_t end,
                                             const ResolveBody& body);
// The condition of `if`, or of the `if` of this part; empty: there is none.
std::string ConditionOf(Resolution& all, const Directive& directive, std::string_view part);
// The ends of lines between two places.
std::string LineEndsOf(const Source& source, std::size_t begin, std::size_t end);

}  // namespace taskrt
