// Tasks whose bodies a test gives, on a runtime of the host and one simulated device.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {

class TasksWithBodies : public testing::Test {
 protected:
  Handle Register(const char* name) {
    return runtime_->Register(name, TileOf(memory_.emplace_back(5, 1)));
  }
  // What a body does, as a kernel; it outlives its task.
  template <typename F>
  const Kernel& Does(const char* name, F f) {
    return kernels_.emplace_back(
        Kernel(name).OnHost([f](auto, auto) { return absl::Status(f()); }));
  }
  std::string Message() { return std::string(runtime_->Wait().message()); }

  std::deque<std::vector<int>> memory_;
  std::deque<Kernel> kernels_;
  std::unique_ptr<Runtime> runtime_ = MakeRuntime({{.name = "sim:0"}});
  const Handle a_ = Register("a"), b_ = Register("b");
};

}  // namespace taskrt
