// What a task computes, under one name: for the host, and for the devices that can.
//
//   const auto scale = taskrt::Kernel("scale").OnHost(
//       [](std::span<const taskrt::Tile> tiles, std::span<const std::byte> scalars) { ... });
//
// Threads: made by one; used by any.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lwt/contract.h"
#include "taskrt/tile.h"

namespace taskrt {

// A value: a function of OpenCL C. Its arguments are a __global pointer for each access of the
// task, to a tile without gaps, then the scalars.
struct OpenClKernel {
  std::string function = {};
  std::string source = {};       // or, if this is empty,
  std::string binary_file = {};  // what the device's own compiler has made: as for FPGAs
  std::string build_options = {};
  std::vector<std::size_t> global = {1};       // work items, of one to three dimensions
  std::vector<std::size_t> local = {};         // of a group; empty: the driver chooses
  std::vector<std::size_t> scalar_bytes = {};  // how the task's scalars are split into arguments
  int units = 1;    // how many tasks of this may run on a device at once: copies of it on an FPGA
  int blocks = -1;  // so many of the task's accesses are arguments, the first ones; -1: all
};

// A value: a function of a CUDA module. Its arguments are as in OpenCL.
struct CudaKernel {
  std::string function = {};
  std::string image = {};  // PTX, or what it was compiled to
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::size_t> scalar_bytes = {};
};

// A value.
class Kernel {
 public:
  // Tiles in the order of the task's accesses; scalars as they were submitted.
  using Body =
      std::function<absl::Status(std::span<const Tile> tiles, std::span<const std::byte> scalars)>;

  explicit Kernel(std::string name) : name_(std::move(name)) {}

  Kernel& OnHost(Body body) & {
    host_ = std::move(body);
    return *this;
  }
  // A simulated device runs this on its own memory.
  Kernel& OnSimulated(Body body) & {
    simulated_ = std::move(body);
    return *this;
  }
  Kernel& OnOpenCl(OpenClKernel kernel) & {
    opencl_ = std::make_shared<const OpenClKernel>(std::move(kernel));
    return *this;
  }
  Kernel& OnCuda(CudaKernel kernel) & {
    cuda_ = std::make_shared<const CudaKernel>(std::move(kernel));
    return *this;
  }
  // In place of a CudaKernel: the body asks a library (cuBLAS, ...) for what is to be done on
  // `stream`, a CUstream, and does not wait for it. The device's context is current.
  using StreamBody = std::function<absl::Status(std::span<const Tile> tiles,
                                                std::span<const std::byte> scalars, void* stream)>;
  Kernel& OnCudaStream(StreamBody body) & {
    cuda_stream_ = std::move(body);
    return *this;
  }
  // Of one task, for simulated places and for schedulers. From 0 on; infinity is a
  // broken contract. In virtual time no task takes longer than 1e6 seconds.
  Kernel& Flops(double flops) & {
    if (!(flops >= 0 && flops <= std::numeric_limits<double>::max())) [[unlikely]] {
      lwt::DieOfBrokenContract("flops are a number from 0 on, but those of kernel " + name_ +
                                   " are " + std::to_string(flops),
                               __FILE__, __LINE__);
    }
    flops_ = flops;
    return *this;
  }

  // How many tasks of it a simulated device computes at a time: from 1 on.
  Kernel& Units(int units) & {
    lwt::CheckContract(units >= 1, "a kernel has one unit or more");
    units_ = units;
    return *this;
  }

  // The same for a temporary, which stays one: Submit takes none, as its tasks would outlive it.
  Kernel&& OnHost(Body body) && { return std::move(OnHost(std::move(body))); }
  Kernel&& OnSimulated(Body body) && { return std::move(OnSimulated(std::move(body))); }
  Kernel&& OnOpenCl(OpenClKernel kernel) && { return std::move(OnOpenCl(std::move(kernel))); }
  Kernel&& OnCuda(CudaKernel kernel) && { return std::move(OnCuda(std::move(kernel))); }
  Kernel&& OnCudaStream(StreamBody body) && { return std::move(OnCudaStream(std::move(body))); }
  Kernel&& Flops(double flops) && { return std::move(Flops(flops)); }
  Kernel&& Units(int units) && { return std::move(Units(units)); }

  const std::string& name() const { return name_; }
  const Body& host() const { return host_; }
  const Body& simulated() const { return simulated_; }
  // Null: none. Copies of this kernel share it, so that what it was built to can be kept by it.
  const std::shared_ptr<const OpenClKernel>& opencl() const { return opencl_; }
  const std::shared_ptr<const CudaKernel>& cuda() const { return cuda_; }
  const StreamBody& cuda_stream() const { return cuda_stream_; }
  double flops() const { return flops_; }
  int units() const { return units_; }

 private:
  std::string name_;
  Body host_, simulated_;
  std::shared_ptr<const OpenClKernel> opencl_;
  std::shared_ptr<const CudaKernel> cuda_;
  StreamBody cuda_stream_;
  double flops_ = 0;
  int units_ = 1;
};

}  // namespace taskrt
