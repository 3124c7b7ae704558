// The job of two ranks: started by this program itself, or by a launcher of the user's.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/point.h"
#include "llcl/launch/launch.h"

namespace rma {

// Runs this program with these arguments as two ranks on this machine, and returns their exit code,
// once they have ended. Precondition: this process has no other threads.
int StartRanks(int argc, const char* const* argv);

// A value: the reads to measure.
struct Reads {
  std::vector<Point> points;
  std::string provider;  // libfabric's
  int repetitions = 1;
  std::chrono::steady_clock::duration each{};  // of each listing, point and repetition
};

// Both ranks of `launch` call it. The first one measures, and returns the rows; the other's
// communication threads serve it meanwhile, and it returns none. Errors: those of the conduits, and
// Sweep's.
absl::StatusOr<std::vector<Row>> MeasureOn(llcl::Launch& launch, const Reads& reads,
                                           const std::function<void(const std::string&)>& show);

}  // namespace rma
