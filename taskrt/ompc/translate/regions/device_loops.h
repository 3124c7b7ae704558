// The loop of a target whose text may become a kernel of OpenCL.
//
// Pure. Threads: one.
#pragma once

#include <optional>
#include <vector>

#include "taskrt/ompc/translate/device/device_text.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// Nullopt: the statement is no such loop.
std::optional<DeviceLoop> DeviceLoopOf(const Resolution& resolution,
                                       const ParsedConstruct& construct,
                                       const std::vector<Capture>& captures);

}  // namespace taskrt
