// The options of a simulated network.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "llcl/language.h"

namespace llcl {

// A value.
struct SimOptions {
  int ranks = 2;  // at most 4096
  // So many ranks after another are on one host, which collective operations gain by.
  int ranks_per_host = 1;
  std::uint64_t seed = 1;
  double latency_ns = 1'000;     // of an operation, there and back
  double host_latency_ns = 100;  // the same, between ranks of one host
  double bytes_per_ns = 10;      // the time of its bytes comes on top
  double jitter = 0.5;           // each time is drawn from 1 -+ this part of it
  std::size_t most_posted = 64;  // commands that a device holds; then it takes no more
  double detection_ns = 10'000;  // from the loss of a rank until operations on it end
};

// Errors: InvalidArgument with the field's name, its value, and the values that it may have.
absl::Status Check(const SimOptions& options);

}  // namespace llcl
