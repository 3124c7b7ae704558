// CUDA's driver, found when a program runs: nothing of CUDA is needed to build this, and without a
// driver the program runs on, without CUDA. The declarations are those of cuda.h, which
// tests/cuda_abi_test.cc compares where the toolkit is.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// cuda.h's.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;

namespace taskrt::cuda {

using Result = int;
inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotReady = 600;
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using Context = CUctx_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostAllocPortable = 1, kHostRegisterPortable = 1;
inline constexpr unsigned kEventDefault = 0, kEventDisableTiming = 2;

// A value: its functions, each under its name in cuda.h, and what it is called in the library.
struct Driver {
#define TASKRT_CUDA_FUNCTIONS(F)                                                                 \
  F(Init, cuInit, (unsigned flags))                                                              \
  F(DeviceGetCount, cuDeviceGetCount, (int* count))                                              \
  F(DeviceGet, cuDeviceGet, (DeviceNumber * device, int ordinal))                                \
  F(DeviceGetName, cuDeviceGetName, (char* name, int length, DeviceNumber device))               \
  F(DeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t * bytes, DeviceNumber device))             \
  F(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context * context, DeviceNumber device))  \
  F(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceNumber device))                \
  F(CtxSetCurrent, cuCtxSetCurrent, (Context context))                                           \
  F(CtxGetCurrent, cuCtxGetCurrent, (Context * context))                                         \
  F(MemGetInfo, cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                      \
  F(MemAlloc, cuMemAlloc_v2, (DevicePointer * pointer, std::size_t bytes))                       \
  F(MemFree, cuMemFree_v2, (DevicePointer pointer))                                              \
  F(MemHostAlloc, cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned flags))           \
  F(MemFreeHost, cuMemFreeHost, (void* pointer))                                                 \
  F(MemHostRegister, cuMemHostRegister_v2, (void* pointer, std::size_t bytes, unsigned flags))   \
  F(MemHostUnregister, cuMemHostUnregister, (void* pointer))                                     \
  F(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                       \
    (DevicePointer to, const void* from, std::size_t bytes, Stream stream))                      \
  F(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                       \
    (void* to, DevicePointer from, std::size_t bytes, Stream stream))                            \
  F(MemcpyPeerAsync, cuMemcpyPeerAsync,                                                          \
    (DevicePointer to, Context to_context, DevicePointer from, Context from_context,             \
     std::size_t bytes, Stream stream))                                                          \
  F(StreamCreate, cuStreamCreate, (Stream * stream, unsigned flags))                             \
  F(StreamDestroy, cuStreamDestroy_v2, (Stream stream))                                          \
  F(StreamWaitEvent, cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))            \
  F(EventCreate, cuEventCreate, (Event * event, unsigned flags))                                 \
  F(EventDestroy, cuEventDestroy_v2, (Event event))                                              \
  F(EventRecord, cuEventRecord, (Event event, Stream stream))                                    \
  F(EventQuery, cuEventQuery, (Event event))                                                     \
  F(EventElapsedTime, cuEventElapsedTime, (float* milliseconds, Event begin, Event end))         \
  F(ModuleLoadData, cuModuleLoadData, (Module * module, const void* image))                      \
  F(ModuleUnload, cuModuleUnload, (Module module))                                               \
  F(ModuleGetFunction, cuModuleGetFunction,                                                      \
    (Function * function, Module module, const char* name))                                      \
  F(LaunchKernel, cuLaunchKernel,                                                                \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, \
     void** extra))                                                                              \
  F(GetErrorString, cuGetErrorString, (Result error, const char** text))
#define TASKRT_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters = nullptr;
  TASKRT_CUDA_FUNCTIONS(TASKRT_CUDA_MEMBER)
#undef TASKRT_CUDA_MEMBER
};

// Loaded and begun once. NotFound: there is none, or it finds no device: in one sentence.
absl::StatusOr<const Driver*> Load();

// `error`: no success. ResourceExhausted: no memory. Unavailable: the device, or its context, is of
// no use any more. Internal: all else.
absl::Status ErrorOf(const Driver& driver, Result error, const std::string& tried);

}  // namespace taskrt::cuda
