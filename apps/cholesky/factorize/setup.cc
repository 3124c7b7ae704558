#include "apps/cholesky/factorize/setup.h"

#include <utility>

#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_on_cuda.h"
#include "taskrt/workloads/cholesky_opencl.h"

namespace cholesky {
namespace {

std::unique_ptr<taskrt::Scheduler> MakeScheduler(const SetupOptions& options) {
  switch (options.scheduling) {
    case Scheduling::kOwner:
      return std::make_unique<taskrt::OwnerComputes>();
    case Scheduling::kLocality:
      return std::make_unique<taskrt::Locality>();
    case Scheduling::kHeft:
      return std::make_unique<taskrt::EarliestFinish>();
    case Scheduling::kSteal:
      return std::make_unique<taskrt::Stealing>();
    case Scheduling::kReplay:
      return std::make_unique<taskrt::Replay>(options.schedule.places);
    case Scheduling::kRoundRobin:
      break;
  }
  return std::make_unique<taskrt::RoundRobin>();
}

taskrt::Devices MakeDevices(const SetupOptions& options) {
  taskrt::SimulatedDeviceOptions simulated = options.simulated;
  simulated.driver = std::make_shared<taskrt::SimulatedServer>();
  if (options.shares_far_path) simulated.far_path = std::make_shared<taskrt::SimulatedServer>();
  return taskrt::MakeDevices(options.devices, simulated);
}

taskrt::RuntimeOptions OptionsOf(const SetupOptions& options, Purpose purpose) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.traces = options.traces;
  of_runtime.only_plans = purpose == Purpose::kPlan;
  of_runtime.pool.workers = options.threads;
  of_runtime.pool.seed = options.seed;
  if (options.devices.is_virtual()) {
    // Tasks take milliseconds: workers that look for them each two microseconds find them as soon,
    // and are simulated in a tenth of the time.
    of_runtime.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  }
  of_runtime.host_flops_per_s = options.host_flops_per_s;
  of_runtime.mover = options.mover;
  of_runtime.scheduler = MakeScheduler(options);
  return of_runtime;
}

taskrt::Kernel MakeKernel(const Problem& problem, const taskrt::DeviceCounts& devices,
                          const CudaBodies& cuda, Kernel kind, bool is_offloaded) {
  taskrt::Kernel::Body body = BodyOf(kind, problem.precision);
  if (problem.is_dry) body = [](auto, auto) { return absl::OkStatus(); };
  taskrt::Kernel kernel{std::string(NameOf(kind))};
  kernel.Flops(FlopsOf(kind, problem.block));
  if (!is_offloaded || devices.is_host_too) kernel.OnHost(body);
  if (!is_offloaded) return kernel;
  kernel.OnSimulated(body).OnOpenCl(OpenClKernelOf(kind, problem.precision, problem.block));
  // What GPUs cannot the host can.
  if (devices.cuda > 0 && !cuda.AddTo(kernel, kind, problem.precision, problem.block)) {
    kernel.OnHost(body);
  }
  return kernel;
}

}  // namespace

absl::Status AreAllThere(const SetupOptions& options) { return MakeDevices(options).AreAllThere(); }

absl::StatusOr<Setup> SetUp(const Problem& problem, const SetupOptions& options, Purpose purpose) {
  taskrt::RuntimeOptions of_runtime = OptionsOf(options, purpose);
  of_runtime.devices = MakeDevices(options).devices;

  Setup setup;
  setup.is_virtual = options.devices.is_virtual();
  setup.devices = static_cast<int>(of_runtime.devices.size());
  const CudaBodies cuda = CudaBodies::Find(options.devices.cuda, setup.notes);
  setup.replay = dynamic_cast<const taskrt::Replay*>(of_runtime.scheduler.get());
  for (const Kernel kind : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
    const bool is_offloaded = setup.devices > 0 && (!options.only_gemm || kind == Kernel::kGemm);
    setup.is_offloaded.push_back(is_offloaded);
    setup.kernels.push_back(MakeKernel(problem, options.devices, cuda, kind, is_offloaded));
  }
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  if (!runtime.ok()) return runtime.status();
  setup.runtime = *std::move(runtime);
  return setup;
}

}  // namespace cholesky
