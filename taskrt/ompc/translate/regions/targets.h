// target: a kernel, with the arguments of its call and the blocks that maps name.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.14; [WLBS20] section 2.4.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// `body`: the rest of the construct behind this part.
absl::StatusOr<TargetRegion> TargetOf(Resolution& all, const ParsedConstruct& construct,
                                      std::size_t part, const ResolveBody& body);

}  // namespace taskrt
