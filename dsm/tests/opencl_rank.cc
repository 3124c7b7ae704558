// Copies between a device's memory and a space, by OpenCL: two ranks for opencl_test.sh. The
// runtime copies by threads of its own, which know nothing of pages that are absent.
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "dsm/space.h"

namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::_Exit(1);
}
void RequireMet(const absl::Status& status) { Require(status.ok(), status.ToString().c_str()); }

// A queue of the first device that there is.
struct Device {
  Device() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
      std::puts("SKIPPED: there is no OpenCL device");
      std::_Exit(0);
    }
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
    Require(context != nullptr && queue != nullptr, "no OpenCL queue");
  }
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

}  // namespace

int main() {
  const Device device;
  auto joined = dsm::Space::Join();
  RequireMet(joined.status());
  dsm::Space& space = **joined;
  constexpr std::uint64_t kCount = 100'000;
  // At home on the last; the first has copies.
  const auto from = space.Allocate({{kCount}, 8}, dsm::OnRank{space.ranks() - 1});
  const auto to = space.Allocate({{kCount}, 8}, dsm::OnRank{space.ranks() - 1});
  RequireMet(from.status());
  RequireMet(to.status());
  const std::span<std::uint64_t> numbers(reinterpret_cast<std::uint64_t*>(from->data()), kCount);
  const std::span<std::uint64_t> results(reinterpret_cast<std::uint64_t*>(to->data()), kCount);
  if (space.rank() == space.ranks() - 1) {
    for (std::uint64_t i = 0; i < kCount; ++i) numbers[i] = i * 3;
  }
  RequireMet(space.Barrier(dsm::Consistency::kFlush));
  if (space.rank() == 0) {
    const cl_mem memory =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, kCount * 8, nullptr, nullptr);
    Require(memory != nullptr, "no memory on the device");
    RequireMet(space.MakeResident(*from, dsm::Access::kRead));
    RequireMet(space.MakeResident(*to, dsm::Access::kWrite));
    const std::uint64_t faults = space.counts().copies.faults;
    Require(clEnqueueWriteBuffer(device.queue, memory, CL_TRUE, 0, kCount * 8, numbers.data(), 0,
                                 nullptr, nullptr) == CL_SUCCESS,
            "nothing was written to the device");
    Require(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, kCount * 8, results.data(), 0,
                                nullptr, nullptr) == CL_SUCCESS,
            "nothing was read from the device");
    Require(space.counts().copies.faults == faults, "a page that was made resident was absent");
  }
  RequireMet(space.Barrier(dsm::Consistency::kFlush));
  for (std::uint64_t i = 0; i < kCount; ++i) Require(results[i] == i * 3, "a wrong number");
  if (space.rank() == 0) std::puts("all numbers went to the device and back");
  return 0;
}
