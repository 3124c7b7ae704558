// The parts of a run: devices, a runtime on them, and kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/cholesky/flags.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

enum class Purpose { kRun, kPlan };

// A value.
struct Setup {
  std::unique_ptr<taskrt::Runtime> runtime;
  int devices = 0;                      // how many were found
  std::vector<std::string> notes;       // kernels for devices that are not there, a sentence each
  std::vector<taskrt::Kernel> kernels;  // by kind; destroyed before the runtime
  std::vector<bool> is_offloaded;       // by kind; without a device the host runs all
  const taskrt::Replay* replay = nullptr;  // the runtime's scheduler, if it is a Replay

  bool IsOffloaded(Kernel kind) const { return is_offloaded[static_cast<std::size_t>(kind)]; }
};

// A sentence that names the missing devices; empty: none. NotFound: the flags do not allow it.
absl::StatusOr<std::string> FindMissing(const Resolved& resolved);

// Errors: those of the runtime; NotFound, InvalidArgument: of the schedule's file.
absl::StatusOr<Setup> SetUp(const Resolved& resolved, Purpose purpose);

}  // namespace cholesky
