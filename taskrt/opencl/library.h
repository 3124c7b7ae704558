// OpenCL's library, found when a program runs: without it the program runs on, without OpenCL.
//
// Threads: any.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace taskrt::opencl {

// A value: its functions, under their names without `cl`.
struct Library {
#define TASKRT_OPENCL_FUNCTIONS(F) \
  F(GetPlatformIDs)                \
  F(GetDeviceIDs)                  \
  F(GetDeviceInfo)                 \
  F(CreateContext)                 \
  F(ReleaseContext)                \
  F(CreateCommandQueue)            \
  F(ReleaseCommandQueue)           \
  F(CreateBuffer)                  \
  F(ReleaseMemObject)              \
  F(CreateProgramWithSource)       \
  F(CreateProgramWithBinary)       \
  F(BuildProgram)                  \
  F(GetProgramInfo)                \
  F(GetProgramBuildInfo)           \
  F(ReleaseProgram)                \
  F(CreateKernel)                  \
  F(SetKernelArg)                  \
  F(ReleaseKernel)                 \
  F(EnqueueNDRangeKernel)          \
  F(EnqueueReadBufferRect)         \
  F(EnqueueWriteBufferRect)        \
  F(EnqueueCopyBuffer)             \
  F(EnqueueMigrateMemObjects)      \
  F(EnqueueMarkerWithWaitList)     \
  F(SetEventCallback)              \
  F(GetEventProfilingInfo)         \
  F(ReleaseEvent)                  \
  F(Flush)
#define TASKRT_OPENCL_MEMBER(name) decltype(&::cl##name) name = nullptr;
  TASKRT_OPENCL_FUNCTIONS(TASKRT_OPENCL_MEMBER)
#undef TASKRT_OPENCL_MEMBER
};

// Loaded once. NotFound: there is none, with what the loader says.
absl::StatusOr<const Library*> Load();

// `error`: less than zero. ResourceExhausted, Unavailable (the device is lost) or Internal: what
// was tried, and the error's name.
absl::Status ErrorOf(cl_int error, const std::string& tried);

}  // namespace taskrt::opencl
