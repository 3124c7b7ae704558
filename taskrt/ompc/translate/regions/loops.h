// The loops whose iterations a team shares, or one member runs in order: for, loop, distribute,
// and simd with variables of its own.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.11.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// Do the parts of the loop, or the sections, run in their order, by one member?
bool RunsInOrder(const Directive& directive);

// The variable that the loop runs over, as each task's or member's own. `directive`: for errors.
absl::StatusOr<Variable> LoopVariableOf(Resolution& all, const Loop& loop,
                                        const std::string& directive);

// Resolves a piece of code.
using ResolveCode = std::function<absl::StatusOr<ResolvedCode>(const Code&)>;
absl::StatusOr<LoopRegion> LoopOf(Resolution& all, const ParsedConstruct& construct,
                                  std::size_t part, const ResolveCode& resolve);

}  // namespace taskrt
