// The parts of a run: devices, a runtime on them, and kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/cholesky/problem/problem.h"
#include "taskrt/devices.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

enum class Purpose { kRun, kPlan };

// How a task's place is chosen.
enum class Scheduling { kRoundRobin, kOwner, kLocality, kHeft, kSteal, kReplay };

// A value: the places of another run's tasks.
struct Schedule {
  std::string file;
  std::vector<taskrt::Place> places;
};

// A value: the workers, the devices, and what is done by which of them.
struct SetupOptions {
  int threads = 1;
  std::uint64_t seed = 1;  // of virtual workers
  double host_flops_per_s = 80e9;
  taskrt::DeviceCounts devices;
  // Without servers: each setup has its own.
  taskrt::SimulatedDeviceOptions simulated;
  bool shares_far_path = false;  // simulated devices have one way to memory of each other
  bool only_gemm = true;         // is what devices compute
  Scheduling scheduling = Scheduling::kRoundRobin;
  Schedule schedule;  // of kReplay
  taskrt::MoverOptions mover;
  bool traces = false;
};

// A value.
struct Setup {
  std::unique_ptr<taskrt::Runtime> runtime;
  bool is_virtual = false;              // is time
  int devices = 0;                      // how many were found
  std::vector<std::string> notes;       // kernels for devices that are not there, a sentence each
  std::vector<taskrt::Kernel> kernels;  // by kind; destroyed before the runtime
  std::vector<bool> is_offloaded;       // by kind; without a device the host runs all
  const taskrt::Replay* replay = nullptr;  // the runtime's scheduler, if it is a Replay

  bool IsOffloaded(Kernel kind) const { return is_offloaded[static_cast<std::size_t>(kind)]; }
};

// NotFound names the missing devices.
absl::Status AreAllThere(const SetupOptions& options);

// Errors: those of the runtime.
absl::StatusOr<Setup> SetUp(const Problem& problem, const SetupOptions& options, Purpose purpose);

}  // namespace cholesky
