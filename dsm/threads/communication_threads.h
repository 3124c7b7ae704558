// The threads of a rank that communicate for it, and the PUs that they run on.
#pragma once

#include <sys/types.h>

#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "dsm/layout/placement.h"
#include "dsm/threads/lock_order.h"
#include "llcl/launch/launch.h"

namespace dsm {

// A resource. Threads: AddThisThread by any; the rest by one.
class CommunicationThreads {
 public:
  // By a thread that communicates, when it starts.
  void AddThisThread();
  // Divides the machine between the program's threads, so many on each rank, and those that
  // communicate (placement.h), and binds the latter. All ranks call it, when they have met. Errors:
  // those of topo and of the launch.
  absl::Status Place(llcl::Launch& launch, int rank, int program_threads);
  const Placement& placement() const { return placement_; }

 private:
  Placement placement_;
  OrderedMutex<LockLevel::kThreads> mutex_;
  std::vector<pid_t> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dsm
