// What messages call tasks and kernels.
#pragma once

#include <string>

#include "taskrt/kernel.h"
#include "taskrt/task/task.h"

namespace taskrt {

// "task gemm(in a, inout c)".
std::string Describe(const Task& task);
// "the host and opencl": what the kernel has bodies for, or why there is nothing.
std::string BodiesOf(const Kernel& kernel);

}  // namespace taskrt
