// How long a kernel runs at a place: the mean of what was measured, and before that what the place
// says of itself.
//
// Threads: one. A value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "taskrt/place.h"

namespace taskrt {

class CostModel {
 public:
  void Learn(const std::string& kernel, Place place, double seconds) {
    Mean& mean = means_[{kernel, place}];
    // The last ones count for most: of a sixteenth each, once there are as many.
    if (mean.count < kMemory) ++mean.count;
    mean.seconds += (seconds - mean.seconds) / static_cast<double>(mean.count);
  }

  // `flops_per_s`: zero if unknown. Returns zero if nothing is known, which makes it worth a try.
  double Expect(const std::string& kernel, Place place, double flops, double flops_per_s) const {
    const auto found = means_.find({kernel, place});
    if (found != means_.end()) return found->second.seconds;
    return flops_per_s > 0 ? flops / flops_per_s : 0;
  }

 private:
  static constexpr std::uint64_t kMemory = 16;
  struct Mean {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::string, Place>, Mean> means_;
};

}  // namespace taskrt
