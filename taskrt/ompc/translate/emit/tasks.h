// task, taskloop and taskwait.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

std::string TextOf(const TaskRegion& task);
std::string TextOf(const TaskLoopRegion& taskloop);
// In the function of a taskloop's task; `body`: of the innermost loop.
std::string TextOf(const TaskLoopPart& part, const std::string& body);
std::string TextOf(const TaskWaitRegion& wait);

}  // namespace taskrt
