// A driver of CUDA without a GPU: streams whose work is done when somebody asks for an event, those
// of kernels first, so that what does not wait for its copies computes too early. "Kernels" are
// functions of the host, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "taskrt/cuda/driver.h"

namespace taskrt {

// A value: how a kernel was asked for.
struct FakeLaunch {
  std::span<void* const> arguments;  // where each is
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1};
};

struct FakeCuda {
  struct Body {
    std::vector<std::size_t> argument_bytes;
    std::function<void(const FakeLaunch& launch)> run;
  };
  std::map<std::string, Body> functions;
  int devices = 2;
  std::size_t memory_bytes = std::size_t{1} << 34;  // of each
  int lost_after = -1;                              // so many kernels; -1: never
  int begins_after = 0;       // so many kernels: until they are asked for nothing is done
  int timing_events = 0;      // that were made
  std::int64_t ahead_ns = 0;  // of the host's clock: the device's, by which events are recorded
  bool refuses_pins = false;  // of the program's memory
  int direct_copies = 0;      // from and to the program's memory, that is pinned
  // What is not given back.
  int allocations = 0, pinned = 0, program_pins = 0, events = 0, streams = 0, modules = 0,
      contexts = 0;
};

// One at a time; `fake` outlives its use.
const cuda::Driver& FakeDriver(FakeCuda& fake);

// A library's work on a stream of that driver.
void AskFakeStream(cuda::Stream stream, std::function<void()> work);

}  // namespace taskrt
