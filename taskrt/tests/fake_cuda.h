// A driver of CUDA without a GPU: streams whose work is done when somebody asks for an event, those
// of kernels first, so that what does not wait for its copies computes too early. "Kernels" are
// functions of the host, by name.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "taskrt/cuda/driver.h"

namespace taskrt {

struct FakeCuda {
  // Of so many pointers, and no scalars.
  struct Body {
    std::size_t pointers = 0;
    std::function<void(void** arguments)> run;
  };
  std::map<std::string, Body> functions;
  int devices = 2;
  std::size_t memory_bytes = std::size_t{1} << 34;  // of each
  int lost_after = -1;                              // so many kernels; -1: never
  // What is not given back.
  int allocations = 0, pinned = 0, events = 0, streams = 0, modules = 0, contexts = 0;
};

// One at a time; `fake` outlives its use.
const cuda::Driver& FakeDriver(FakeCuda& fake);

}  // namespace taskrt
