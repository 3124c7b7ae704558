// Kernels as a device has built them, each once.
//
// Threads: any; a thread that comes while another one builds waits for it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/mutex.h"
#include "taskrt/kernel.h"
#include "taskrt/opencl/library.h"

namespace taskrt::opencl {

// A resource. Library, context and device outlive it.
class Programs {
 public:
  Programs(const Library& library, cl_context context, cl_device_id device)
      : library_(library), context_(context), device_(device) {}
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  // It lives as long as this. Errors: NotFound for a binary that cannot be read; what ErrorOf says,
  // with what the compiler has printed. An error is not kept: the next call builds again.
  absl::StatusOr<cl_kernel> Find(const std::shared_ptr<const OpenClKernel>& kernel);

  // What a binary_file may hold.
  absl::StatusOr<std::string> Binary(const OpenClKernel& kernel);

 private:
  struct Built {
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
  };
  absl::StatusOr<cl_program> Create(const OpenClKernel& kernel) const;
  absl::StatusOr<cl_program> Build(const OpenClKernel& kernel) const;

  const Library& library_;
  const cl_context context_;
  const cl_device_id device_;
  lwt::Mutex mutex_;
  std::map<std::shared_ptr<const OpenClKernel>, Built> built_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt::opencl
