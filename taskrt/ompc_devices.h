// The kinds of devices that the C interface (ompc.h) and its users name: the one place that knows
// all back ends.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/device.h"

namespace taskrt {

// KIND[:COUNT][,...]: "sim:2,sim"; "host" and "" are none. In that order.
// Errors: InvalidArgument for a list that is not like this, or a kind that there is not; what the
// back end says.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> MakeDevices(std::string_view list);

}  // namespace taskrt
