// A runtime for a random program: workers, devices, their memory and what befalls them, scheduler
// and copies are drawn from the program's random numbers.
#pragma once

#include <memory>
#include <string>

#include "taskrt/runtime.h"
#include "taskrt/tests/random_blocks.h"

namespace taskrt {

// A value.
struct RandomSetup {
  RuntimeOptions options;
  bool is_virtual = false;
  bool stops_at_errors = true;
  bool may_lose_a_device = false;
  bool has_bounded_memory = false;
  std::string description;  // in words, for who looks for a fault
};

RandomSetup DrawSetup(Random& random);

}  // namespace taskrt
