// target and the data environment of devices.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

std::string TextOf(const TargetRegion& target);
// The function that the kernel of `name` runs.
std::string CallOf(const std::string& name, const Function& function);

std::string TextOf(const TargetDataRegion& data, const std::string& body);
std::string TextOf(const TargetDataActions& actions);

}  // namespace taskrt
