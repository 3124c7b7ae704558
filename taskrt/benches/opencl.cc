// Our kernel for OpenCL by our runtime: a program of its own, as a driver's threads would disturb
// the other rows. No rows where there is no device.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "lwt/event.h"
#include "taskrt/benches/gemm.h"
#include "taskrt/opencl/device.h"
#include "taskrt/runtime.h"
#include "taskrt/workloads/cholesky_opencl.h"

namespace {

using taskrt::Handle;
using taskrt::Mode;
using taskrt::Runtime;

class Taskrt {
 public:
  static constexpr const char* kName = "taskrt";

  Taskrt(std::span<const float> a, std::span<const float> b, std::span<float> c)
      : n_(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(c.size())))),
        kernel_(taskrt::Kernel("gemm").OnOpenCl(cholesky::OpenClKernelOf(
            cholesky::Kernel::kGemm, cholesky::Precision::kF32, static_cast<int>(n_)))) {
    taskrt::RuntimeOptions options;
    if (auto devices = taskrt::OpenClDevices(1); devices.ok())
      options.devices = *std::move(devices);
    runtime_ = *Runtime::Create(std::move(options));
    a_ = Register("a", a.data());
    b_ = Register("b", b.data());
    c_ = Register("c", c.data());
  }

  // Waits for the tasks alone, so that all stays on the device.
  bool Run(int times) {
    return runtime_->Run([&](Runtime& runtime) {
      lwt::Event ended;
      for (int i = 0; i < times; ++i) {
        const taskrt::Access accesses[] = {{b_, Mode::kIn}, {a_, Mode::kIn}, {c_, Mode::kInOut}};
        runtime.Submit(kernel_, accesses, {}, {.ended = i + 1 < times ? nullptr : &ended});
      }
      ended.Wait("the last product");
      return true;
    });
  }
  void Finish() {
    if (const absl::Status done = runtime_->Wait(); !done.ok()) std::puts(done.ToString().c_str());
  }

 private:
  // The memory is only read where the mode says so.
  Handle Register(const char* name, const float* data) {
    auto* const bytes = reinterpret_cast<std::byte*>(const_cast<float*>(data));
    return runtime_->Register(name, {bytes, n_, n_ * sizeof(float), n_ * sizeof(float)});
  }

  const std::uint64_t n_;
  const taskrt::Kernel kernel_;
  std::unique_ptr<Runtime> runtime_;
  Handle a_, b_, c_;
};

}  // namespace

int main(int argc, char** argv) {
  if (taskrt::OpenClDevices(1).ok()) gemm::Register<Taskrt>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
