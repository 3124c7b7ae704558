// cuSOLVER's factorization of the whole matrix. No rows where it, or a GPU, is missing.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "taskrt/benches/gpu.h"
#include "taskrt/benches/matrix.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/workloads/cuda_libraries.h"

namespace {

namespace cuda = taskrt::cuda;

void Check(int result, const char* what) {
  if (result != 0) std::printf("%s: error %d\n", what, result);
}

// What taskrt has no use for: copies that wait, and waiting for all. As in cuda.h.
struct More {
  int (*copy)(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t bytes);
  int (*synchronize)();
};
const More& TheMore() {
  static const More more = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return More{reinterpret_cast<decltype(More::copy)>(dlsym(library, "cuMemcpy")),
                reinterpret_cast<decltype(More::synchronize)>(dlsym(library, "cuCtxSynchronize"))};
  }();
  return more;
}
const cholesky::CudaLibraries& Libraries() {
  static const cholesky::CudaLibraries libraries = [] {
    const char* const folder = std::getenv("TASKRT_CUBLAS_PATH");
    auto found = cholesky::LoadCudaLibraries(folder == nullptr ? "" : folder);
    return found.ok() ? *found : cholesky::CudaLibraries();
  }();
  return libraries;
}

template <typename Real>
class Cusolver {
 public:
  static constexpr const char* kName = "cusolver";

  Cusolver(factorization::Matrix<Real>& matrix, int /*block*/) : matrix_(matrix) {
    cuda::DeviceNumber device = 0;
    cuda::Context context = nullptr;
    Check(driver_.DeviceGet(&device, 0), "cuDeviceGet");
    Check(driver_.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    Check(driver_.CtxSetCurrent(context), "cuCtxSetCurrent");
    Check(Libraries().cusolverDnCreate(&handle_), "cusolverDnCreate");
    Check(driver_.MemAlloc(&there_, Bytes()), "cuMemAlloc");
    Check(driver_.MemAlloc(&failed_column_, sizeof(int)), "cuMemAlloc");
    int elements = 0;
    const int n = matrix_.n();
    if constexpr (kIsFloat) {
      Check(Libraries().cusolverDnSpotrf_bufferSize(handle_, cholesky::kLower, n, At(there_), n,
                                                    &elements),
            "bufferSize");
    } else {
      Check(Libraries().cusolverDnDpotrf_bufferSize(handle_, cholesky::kLower, n, At(there_), n,
                                                    &elements),
            "bufferSize");
    }
    elements_ = elements;
    Check(driver_.MemAlloc(&workspace_, static_cast<std::size_t>(elements) * sizeof(Real)),
          "cuMemAlloc");
  }
  ~Cusolver() {
    for (const cuda::DevicePointer memory : {there_, original_, workspace_, failed_column_}) {
      if (memory != 0) driver_.MemFree(memory);
    }
    Libraries().cusolverDnDestroy(handle_);
  }

  void Factorize() {
    Copy(there_, AddressOf(matrix_.data()));
    FactorizePlaced();
    Fetch();
  }

  void Place() {
    if (original_ == 0) {
      Check(driver_.MemAlloc(&original_, Bytes()), "cuMemAlloc");
      Copy(original_, AddressOf(matrix_.original()));
    }
    Copy(there_, original_);
    Check(TheMore().synchronize(), "cuCtxSynchronize");
  }
  // By columns: its lower triangle is our upper one.
  void FactorizePlaced() {
    const int n = matrix_.n();
    int* const failed = reinterpret_cast<int*>(At(failed_column_));
    if constexpr (kIsFloat) {
      Check(Libraries().cusolverDnSpotrf(handle_, cholesky::kLower, n, At(there_), n,
                                         At(workspace_), elements_, failed),
            "potrf");
    } else {
      Check(Libraries().cusolverDnDpotrf(handle_, cholesky::kLower, n, At(there_), n,
                                         At(workspace_), elements_, failed),
            "potrf");
    }
    Check(TheMore().synchronize(), "cuCtxSynchronize");
  }
  void Fetch() { Copy(AddressOf(matrix_.data()), there_); }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Real, float>;

  std::size_t Bytes() const {
    const auto n = static_cast<std::size_t>(matrix_.n());
    return n * n * sizeof(Real);
  }
  static cuda::DevicePointer AddressOf(const Real* host) {
    return static_cast<cuda::DevicePointer>(reinterpret_cast<std::uintptr_t>(host));
  }
  static Real* At(cuda::DevicePointer pointer) {
    return reinterpret_cast<Real*>(static_cast<std::uintptr_t>(pointer));
  }
  void Copy(cuda::DevicePointer to, cuda::DevicePointer from) {
    Check(TheMore().copy(to, from, Bytes()), "cuMemcpy");
  }

  const cuda::Driver& driver_ = **cuda::Load();
  factorization::Matrix<Real>& matrix_;
  cholesky::CusolverHandle handle_ = nullptr;
  cuda::DevicePointer there_ = 0, original_ = 0, workspace_ = 0, failed_column_ = 0;
  int elements_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (cuda::Load().ok() && Libraries().cusolverDnCreate != nullptr) gpu::Register<Cusolver>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
