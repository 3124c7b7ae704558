// The paper's listings 6 and 7 on a path, by several threads.
//
// A thread waits as the paper's do: it lets others run until the communication thread has called
// back. In the mode hybrid it waits as llcl's users do, and polls the device itself.
//
// Source: [ET17] section 5.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/point.h"
#include "apps/rma/ranks/path.h"

namespace rma {

using Duration = std::chrono::steady_clock::duration;

// Runs each listing for so long. Errors: Internal where a read failed, or brought other bytes than
// the other rank has.
absl::StatusOr<Sample> Measure(Path& path, const Point& point, Duration each);

// All points in turn, and that so often, so that a slow moment of the machine hits all of them.
// A point's path is the one of its network, mode and way. `show` gets the name of each point when
// its turn comes.
absl::StatusOr<std::vector<Row>> Sweep(std::span<const std::unique_ptr<Path>> paths,
                                       const std::vector<Point>& points, int repetitions,
                                       Duration each,
                                       const std::function<void(const std::string&)>& show);

}  // namespace rma
