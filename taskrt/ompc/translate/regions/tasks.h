// task, taskloop and taskwait.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.12.
#pragma once

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// `body`: the construct's statement; of a taskloop the body of its loops.
absl::StatusOr<TaskRegion> TaskOf(Resolution& all, const ParsedConstruct& construct,
                                  const ResolveBody& body);
absl::StatusOr<TaskLoopRegion> TaskLoopOf(Resolution& all, const ParsedConstruct& construct,
                                          const ResolveBody& body);

}  // namespace taskrt
