// The job of two ranks or more: started by this program itself, or by a launcher of the user's.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/collective.h"
#include "apps/rma/problem/point.h"
#include "llcl/launch/launch.h"

namespace rma {

// Runs this program with these arguments as so many ranks on this machine, and returns their exit
// code, once they have ended. Precondition: this process has no other threads.
int StartRanks(int ranks, int argc, const char* const* argv);

// A value: what is to be measured.
struct Work {
  std::vector<Point> points;
  std::vector<CollectivePoint> collectives;
  std::string provider;  // libfabric's
  int repetitions = 1;
  std::chrono::steady_clock::duration each{};  // of each listing, point and repetition
};

// A value.
struct Measured {
  std::vector<Row> reads;
  std::vector<CollectiveRow> collectives;
};

// All ranks of `launch` call it. The first one measures reads, and returns the rows; the others'
// communication threads serve it meanwhile, and they return none. Then all measure collective
// operations, each on its own clock. Errors: those of the conduits, Sweep's and Ensemble's;
// InvalidArgument where the hosts do not have the pairs of kMixed.
absl::StatusOr<Measured> MeasureOn(llcl::Launch& launch, const Work& work,
                                   const std::function<void(const std::string&)>& show);

}  // namespace rma
