// CLBlast's product of matrices.
#include <benchmark/benchmark.h>
#include <clblast_c.h>

#include <cmath>

#include "taskrt/benches/gemm.h"

namespace {

class ClBlast {
 public:
  static constexpr const char* kName = "clblast";

  ClBlast(std::span<const float> a, std::span<const float> b, std::span<float> c)
      : n_(static_cast<std::size_t>(std::sqrt(static_cast<double>(c.size())))), result_(c) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    is_there_ = clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS &&
                clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS;
    if (!is_there_) return;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueueWithProperties(context_, device, nullptr, nullptr);
    a_ = BufferOf(a);
    b_ = BufferOf(b);
    c_ = BufferOf(c);
  }
  ~ClBlast() {
    if (!is_there_) return;
    for (const cl_mem buffer : {a_, b_, c_}) clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  ClBlast(const ClBlast&) = delete;
  ClBlast& operator=(const ClBlast&) = delete;

  bool Run(int times) {
    if (!is_there_) return false;
    for (int i = 0; i < times; ++i) {
      const CLBlastStatusCode done =
          CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeYes, CLBlastTransposeNo, n_, n_, n_,
                       -1, a_, 0, n_, b_, 0, n_, 1, c_, 0, n_, &queue_, nullptr);
      if (done != CLBlastSuccess) return false;
    }
    return clFinish(queue_) == CL_SUCCESS;
  }
  void Finish() {
    if (!is_there_) return;
    clEnqueueReadBuffer(queue_, c_, CL_TRUE, 0, result_.size_bytes(), result_.data(), 0, nullptr,
                        nullptr);
  }

 private:
  cl_mem BufferOf(std::span<const float> values) {
    return clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size_bytes(),
                          const_cast<float*>(values.data()), nullptr);
  }

  const std::size_t n_;
  const std::span<float> result_;
  bool is_there_ = false;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_mem a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  gemm::Register<ClBlast>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
