// The simulated machine, and the nodes and pages on it.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "dsm/language.h"

namespace dsm::sim {

// A value. Times of one thread, in seconds.
struct Machine {
  int threads = 1;        // of a node, that fault side by side
  double fault = 2.5e-6;  // until a handler runs, and back; without what follows
  double map_page = 0.4e-6;
  double drop_page = 0.1e-6;
  double copy_bytes_per_second = 10e9;  // into a page's memory, where it is received
  double latency = 1.0e-6;              // of the network, one way
  double link_bytes_per_second = 12.5e9;
  double software = 0.5e-6;  // for each message, at each end
  // To stop a thread. Before a page that a fault brings is put in its place, all threads of its
  // node are stopped that do not wait for pages. The library need not do this, as pages become
  // visible at once; the paper's has to ([Mid18] section 2.3).
  double stop_thread = 0;
};

// A value. Each node sees pages 0, ..., pages - 1 that are others', by numbers of its own.
struct Shape {
  int nodes = 2;
  std::uint64_t pages = 0;  // a count, as users write it
  std::uint64_t page_bytes = 65536;
};

// Errors: InvalidArgument with the field's name, its value, and the values that it may have.
absl::Status Check(const Machine& machine);
absl::Status Check(const Shape& shape);

}  // namespace dsm::sim
