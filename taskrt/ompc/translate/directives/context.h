// Context selectors of OpenMP: does a place in the program have these traits?
//
// Pure. Threads: any. Source: OpenMP 5.1, section 2.3.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace taskrt {

// "device={kind(host)}, user={condition(n > 3)}". All code that is translated runs on the host: the
// devices' own kernels come as text. So kinds are host, cpu and any, the architecture is the one
// that the translator was built for, and no vendor's extension is here. `nest`: the constructs
// around the place, the outermost first. Nullopt: the place has not all of the traits. Else the
// expression of C on which it depends, empty where it depends on none. Errors: InvalidArgument, as
// ParseDirective.
absl::StatusOr<std::optional<std::string>> ConditionOfContext(std::string_view selector,
                                                              std::span<const std::string> nest);

}  // namespace taskrt
