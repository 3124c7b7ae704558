// What the four tasks of a block Cholesky factorization compute, by cuBLAS and cuSOLVER: the same
// as cholesky_kernels.h. A block that is not positive definite has no number (NaN) on its diagonal
// afterwards.
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/kernel.h"
#include "taskrt/tile.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"
#include "taskrt/workloads/cuda_libraries.h"
#include "topo/mutex.h"

namespace cholesky {

// A resource: the libraries' state, one for each stream that they are asked on. Ends after the last
// task of it and before the devices.
class LibraryTasks {
 public:
  // `driver` outlives it. `ptx`: CholeskyPtx(), whose mark_if_failed writes into the block what
  // cuSOLVER returns beside it.
  LibraryTasks(const taskrt::cuda::Driver& driver, CudaLibraries libraries, std::string ptx);
  ~LibraryTasks();
  LibraryTasks(const LibraryTasks&) = delete;
  LibraryTasks& operator=(const LibraryTasks&) = delete;

  // potrf needs cuSOLVER and the PTX.
  bool Has(Kernel kernel) const;

  // For tiles in a device's memory, as AccessesOf orders them; that device's context is current.
  // Does not wait for the work that it asks for; the first one on a stream takes the time in which
  // the libraries begin, and potrf's first that of an allocation.
  absl::Status Ask(Kernel kernel, Precision precision, std::span<const taskrt::Tile> tiles,
                   taskrt::cuda::Stream stream);

 private:
  struct OnStream;

  template <typename Real>
  absl::Status AskOf(Kernel kernel, std::span<const taskrt::Tile> tiles, OnStream& on);
  template <typename Real>
  absl::Status Factorize(OnStream& on, Real* a, int n, int ld);
  OnStream& StateOf(taskrt::cuda::Stream stream);
  absl::Status Begin(OnStream& on) const;
  absl::Status Reserve(OnStream& on, std::size_t bytes) const;

  const taskrt::cuda::Driver& driver_;
  const CudaLibraries libraries_;
  const std::string ptx_;
  topo::Mutex mutex_;
  std::map<taskrt::cuda::Stream, std::unique_ptr<OnStream>> streams_ ABSL_GUARDED_BY(mutex_);
};

// For Kernel::OnCudaStream. `tasks` has the kernel, and ends with the last body.
taskrt::Kernel::StreamBody StreamBodyOf(std::shared_ptr<LibraryTasks> tasks, Kernel kernel,
                                        Precision precision);

}  // namespace cholesky
