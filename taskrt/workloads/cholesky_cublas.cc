#include "taskrt/workloads/cholesky_cublas.h"

#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/workloads/cholesky_cuda.h"

namespace cholesky {
namespace {

namespace cuda = taskrt::cuda;

// Of the functions of both precisions that of Real.
template <typename Real, typename Single, typename Double>
auto Of(Single single, Double twice) {
  if constexpr (std::is_same_v<Real, float>) {
    return single;
  } else {
    return twice;
  }
}

template <typename Real>
Real* At(const taskrt::Tile& tile) {
  return reinterpret_cast<Real*>(tile.data);
}
template <typename Real>
int Stride(const taskrt::Tile& tile) {
  return static_cast<int>(tile.stride / sizeof(Real));
}
template <typename T>
T* PointerAt(cuda::DevicePointer pointer) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(pointer));
}

absl::Status StatusOf(int result, const char* what) {
  if (result == kCublasSuccess) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, " fails with status ", result));
}

}  // namespace

struct LibraryTasks::OnStream {
  cuda::Stream stream = nullptr;
  topo::Mutex mutex;      // of all: a handle is used by one at a time
  bool is_begun = false;  // and of that context then
  cuda::Context context = nullptr;
  CublasHandle cublas = nullptr;
  CusolverHandle cusolver = nullptr;
  cuda::Module module = nullptr;
  cuda::Function mark_f32 = nullptr, mark_f64 = nullptr;
  cuda::DevicePointer failed_column = 0, workspace = 0;
  std::size_t workspace_bytes = 0;
  std::vector<cuda::DevicePointer> memory;  // all of it: earlier work may still need it
};

LibraryTasks::LibraryTasks(const cuda::Driver& driver, CudaLibraries libraries, std::string ptx)
    : driver_(driver), libraries_(std::move(libraries)), ptx_(std::move(ptx)) {}

LibraryTasks::~LibraryTasks() {
  for (const auto& [stream, on] : streams_) {
    driver_.CtxSetCurrent(on->context);
    if (on->cublas != nullptr) libraries_.cublasDestroy_v2(on->cublas);
    if (on->cusolver != nullptr) libraries_.cusolverDnDestroy(on->cusolver);
    for (const cuda::DevicePointer memory : on->memory) driver_.MemFree(memory);
    if (on->module != nullptr) driver_.ModuleUnload(on->module);
  }
}

bool LibraryTasks::Has(Kernel kernel) const {
  return kernel != Kernel::kPotrf || (libraries_.without_cusolver.empty() && !ptx_.empty());
}

absl::Status LibraryTasks::Ask(Kernel kernel, Precision precision,
                               std::span<const taskrt::Tile> tiles, cuda::Stream stream) {
  OnStream& on = StateOf(stream);
  const topo::Lock lock(on.mutex);
  if (!on.is_begun) {
    if (absl::Status begun = Begin(on); !begun.ok()) return begun;
  }
  return precision == Precision::kF32 ? AskOf<float>(kernel, tiles, on)
                                      : AskOf<double>(kernel, tiles, on);
}

// The libraries count by columns: to them a block is its transpose, so that C -= A^T B is
// C^T -= B^T A, the upper triangle is the lower one, and U is L = U^T.
template <typename Real>
absl::Status LibraryTasks::AskOf(Kernel kernel, std::span<const taskrt::Tile> tiles, OnStream& on) {
  const taskrt::Tile& changed = tiles.back();
  const int n = static_cast<int>(changed.rows), ld = Stride<Real>(changed);
  const Real plus = 1, minus = -1;
  const Real* const first = At<Real>(tiles[0]);
  const int first_ld = Stride<Real>(tiles[0]);
  Real* const at = At<Real>(changed);
  const CudaLibraries& of = libraries_;
  switch (kernel) {
    case Kernel::kPotrf:
      return Factorize(on, at, n, ld);
    case Kernel::kTrsm:  // U^-T B is (B^T L^-T)^T.
      return StatusOf(Of<Real>(of.cublasStrsm_v2, of.cublasDtrsm_v2)(
                          on.cublas, kRight, kLower, kTransposed, kNotUnit, n, n, &plus, first,
                          first_ld, at, ld),
                      "cuBLAS's trsm");
    case Kernel::kSyrk:
      return StatusOf(
          Of<Real>(of.cublasSsyrk_v2, of.cublasDsyrk_v2)(on.cublas, kLower, kNotTransposed, n, n,
                                                         &minus, first, first_ld, &plus, at, ld),
          "cuBLAS's syrk");
    case Kernel::kGemm:
      return StatusOf(Of<Real>(of.cublasSgemm_v2, of.cublasDgemm_v2)(
                          on.cublas, kNotTransposed, kTransposed, n, n, n, &minus, first, first_ld,
                          At<Real>(tiles[1]), Stride<Real>(tiles[1]), &plus, at, ld),
                      "cuBLAS's gemm");
  }
  return absl::OkStatus();
}

template <typename Real>
absl::Status LibraryTasks::Factorize(OnStream& on, Real* a, int n, int ld) {
  int elements = 0;
  absl::Status done = StatusOf(
      Of<Real>(libraries_.cusolverDnSpotrf_bufferSize, libraries_.cusolverDnDpotrf_bufferSize)(
          on.cusolver, kLower, n, a, ld, &elements),
      "cuSOLVER's potrf_bufferSize");
  if (done.ok()) done = Reserve(on, static_cast<std::size_t>(elements) * sizeof(Real));
  if (!done.ok()) return done;
  done = StatusOf(Of<Real>(libraries_.cusolverDnSpotrf, libraries_.cusolverDnDpotrf)(
                      on.cusolver, kLower, n, a, ld, PointerAt<Real>(on.workspace), elements,
                      PointerAt<int>(on.failed_column)),
                  "cuSOLVER's potrf");
  if (!done.ok()) return done;
  void* arguments[] = {&on.failed_column, &a, &n, &ld};
  const cuda::Result asked = driver_.LaunchKernel(Of<Real>(on.mark_f32, on.mark_f64), 1, 1, 1, 256,
                                                  1, 1, 0, on.stream, arguments, nullptr);
  if (asked == cuda::kSuccess) return absl::OkStatus();
  return cuda::ErrorOf(driver_, asked, "mark_if_failed");
}

LibraryTasks::OnStream& LibraryTasks::StateOf(cuda::Stream stream) {
  const topo::Lock lock(mutex_);
  std::unique_ptr<OnStream>& on = streams_[stream];
  if (on == nullptr) {
    on = std::make_unique<OnStream>();
    on->stream = stream;
  }
  return *on;
}

absl::Status LibraryTasks::Begin(OnStream& on) const {
  cuda::Result result = driver_.CtxGetCurrent(&on.context);
  int library = kCublasSuccess;
  // Libraries' beginnings and compilers need more stack than a lightweight thread has.
  std::thread([&] {
    if (result == cuda::kSuccess) result = driver_.CtxSetCurrent(on.context);
    if (result != cuda::kSuccess) return;
    if (on.cublas == nullptr) library = libraries_.cublasCreate_v2(&on.cublas);
    if (library == kCublasSuccess) library = libraries_.cublasSetStream_v2(on.cublas, on.stream);
    if (!Has(Kernel::kPotrf) || library != kCublasSuccess) return;
    if (on.cusolver == nullptr) library = libraries_.cusolverDnCreate(&on.cusolver);
    if (library == kCublasSuccess) library = libraries_.cusolverDnSetStream(on.cusolver, on.stream);
    if (on.module == nullptr) result = driver_.ModuleLoadData(&on.module, ptx_.c_str());
    const auto find = [&](cuda::Function& function, Precision precision) {
      const std::string name = absl::StrCat("mark_if_failed", SuffixOf(precision));
      if (result != cuda::kSuccess) return;
      result = driver_.ModuleGetFunction(&function, on.module, name.c_str());
    };
    find(on.mark_f32, Precision::kF32);
    find(on.mark_f64, Precision::kF64);
  }).join();
  if (result != cuda::kSuccess) return cuda::ErrorOf(driver_, result, "loading mark_if_failed");
  on.is_begun = library == kCublasSuccess;
  return StatusOf(library, "the beginning of cuBLAS and cuSOLVER");
}

absl::Status LibraryTasks::Reserve(OnStream& on, std::size_t bytes) const {
  const auto allocate = [&](cuda::DevicePointer& pointer, std::size_t size) -> absl::Status {
    const cuda::Result made = driver_.MemAlloc(&pointer, size);
    if (made != cuda::kSuccess) return cuda::ErrorOf(driver_, made, "cuSOLVER's memory");
    on.memory.push_back(pointer);
    return absl::OkStatus();
  };
  if (on.failed_column == 0) {
    if (absl::Status made = allocate(on.failed_column, sizeof(int)); !made.ok()) return made;
  }
  if (bytes <= on.workspace_bytes) return absl::OkStatus();
  if (absl::Status made = allocate(on.workspace, bytes); !made.ok()) return made;
  on.workspace_bytes = bytes;
  return absl::OkStatus();
}

taskrt::Kernel::StreamBody StreamBodyOf(std::shared_ptr<LibraryTasks> tasks, Kernel kernel,
                                        Precision precision) {
  return [=](std::span<const taskrt::Tile> tiles, std::span<const std::byte>, void* stream) {
    return tasks->Ask(kernel, precision, tiles, static_cast<cuda::Stream>(stream));
  };
}

}  // namespace cholesky
