// The functions that the statements of constructs become, and their variables: each is shared with
// the place of the construct, a copy, or the function's own, as the clauses say.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.21.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// The variables of a construct's function, those first on which others' declarations depend.
// `uses`: of the construct's code; `part`: of a combined construct, whose function it is.
absl::StatusOr<std::vector<Capture>> CapturesOf(Resolution& all, const Directive& directive,
                                                std::set<std::string> uses, std::string_view part);

// Is the variable an argument of the function?
inline bool HasArgument(const Capture& capture) { return capture.sharing != Sharing::kPrivate; }

// The function whose statement is [begin, end); `body` is resolved in it. In a search for uses it
// is not made, and its number is 0.
absl::StatusOr<OutlinedFunction> Outlined(Resolution& all, const std::vector<Capture>& captures,
                                          std::size_t begin, std::size_t end,
                                          const ResolveBody& body);

// A value: "f(a, b);"
struct Call {
  std::string function;
  std::vector<std::string> arguments;
};
// Of the statement "f(a, b);" or "{ f(a, b); }"; nullopt: it is none of these.
std::optional<Call> CallAt(const Source& source, std::size_t begin, std::size_t end);
// A task's, for errors: that of the function that it calls, or its place.
std::string TaskNameOf(const Source& source, std::size_t begin, std::size_t end);

}  // namespace taskrt
