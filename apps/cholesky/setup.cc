#include "apps/cholesky/setup.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/cholesky/places_file.h"
#include "taskrt/devices.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_on_cuda.h"
#include "taskrt/workloads/cholesky_opencl.h"

namespace cholesky {
namespace {

absl::StatusOr<std::unique_ptr<taskrt::Scheduler>> MakeScheduler(const Flags& flags) {
  if (flags.scheduler == "owner") return std::make_unique<taskrt::OwnerComputes>();
  if (flags.scheduler == "locality") return std::make_unique<taskrt::Locality>();
  if (flags.scheduler == "heft") return std::make_unique<taskrt::EarliestFinish>();
  if (flags.scheduler == "steal") return std::make_unique<taskrt::Stealing>();
  if (flags.scheduler == "replay") {
    auto places = ReadSchedule(flags.schedule);
    if (!places.ok()) return places.status();
    return std::make_unique<taskrt::Replay>(*std::move(places));
  }
  return std::make_unique<taskrt::RoundRobin>();
}

taskrt::SimulatedDeviceOptions SimulatedBy(const Resolved& resolved) {
  const Flags& flags = resolved.flags;
  return {.flops_per_s = flags.device_gflop_per_s * 1e9,
          .link_bytes_per_s = resolved.copies_are_free ? std::numeric_limits<double>::infinity()
                                                       : flags.link_gb_per_s * 1e9,
          .far_passes = flags.far_passes,
          .far_path =
              flags.far_path == "shared" ? std::make_shared<taskrt::SimulatedServer>() : nullptr,
          .allocation_s = resolved.allocations_are_free ? 0 : flags.alloc_us * 1e-6,
          .call_s = flags.call_us * 1e-6,
          .driver = std::make_shared<taskrt::SimulatedServer>(),
          .queues = flags.sim_queues == "one" ? taskrt::SimulatedQueues::kOne
                                              : taskrt::SimulatedQueues::kThree,
          .copies = flags.sim_copies == "blocking" ? taskrt::SimulatedCopies::kBlocking
                                                   : taskrt::SimulatedCopies::kAsynchronous,
          .is_dry = flags.dry};
}

taskrt::RuntimeOptions OptionsOf(const Resolved& resolved, Purpose purpose) {
  const Flags& flags = resolved.flags;
  taskrt::RuntimeOptions options;
  options.traces = !flags.trace.empty() || !flags.svg.empty();
  options.only_plans = purpose == Purpose::kPlan;
  options.pool.workers = resolved.threads;
  options.pool.seed = flags.seed;
  if (resolved.devices.is_virtual()) {
    // Tasks take milliseconds: workers that look for them each two microseconds find them as soon,
    // and are simulated in a tenth of the time.
    options.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  }
  options.host_flops_per_s = flags.host_gflop_per_s * 1e9;
  options.mover.source =
      flags.source == "nearest" ? taskrt::SourceRule::kNearest : taskrt::SourceRule::kHostFirst;
  options.mover.across = flags.d2d == "access"   ? taskrt::Across::kAccess
                         : flags.d2d == "staged" ? taskrt::Across::kStaged
                                                 : taskrt::Across::kCopy;
  options.mover.optimizes = !flags.no_optimize;
  return options;
}

taskrt::Kernel MakeKernel(const Resolved& resolved, const CudaBodies& cuda, Kernel kind,
                          bool is_offloaded) {
  taskrt::Kernel::Body body = BodyOf(kind, resolved.precision);
  if (resolved.flags.dry) body = [](auto, auto) { return absl::OkStatus(); };
  taskrt::Kernel kernel{std::string(NameOf(kind))};
  kernel.Flops(FlopsOf(kind, resolved.flags.block));
  if (!is_offloaded || resolved.devices.is_host_too) kernel.OnHost(body);
  if (!is_offloaded) return kernel;
  kernel.OnSimulated(body).OnOpenCl(OpenClKernelOf(kind, resolved.precision, resolved.flags.block));
  // What GPUs cannot the host can.
  if (resolved.devices.cuda > 0 &&
      !cuda.AddTo(kernel, kind, resolved.precision, resolved.flags.block)) {
    kernel.OnHost(body);
  }
  return kernel;
}

}  // namespace

absl::StatusOr<std::string> FindMissing(const Resolved& resolved) {
  const absl::Status there =
      taskrt::MakeDevices(resolved.devices, SimulatedBy(resolved)).AreAllThere();
  if (there.ok() || resolved.flags.allow_missing_devices) return std::string(there.message());
  return absl::NotFoundError(absl::StrCat("--devices=", resolved.flags.devices, ": ",
                                          std::string(there.message()),
                                          " (--allow-missing-devices goes on without)"));
}

absl::StatusOr<Setup> SetUp(const Resolved& resolved, Purpose purpose) {
  taskrt::RuntimeOptions options = OptionsOf(resolved, purpose);
  auto scheduler = MakeScheduler(resolved.flags);
  if (!scheduler.ok()) return scheduler.status();
  options.scheduler = *std::move(scheduler);
  taskrt::Devices found = taskrt::MakeDevices(resolved.devices, SimulatedBy(resolved));
  options.devices = std::move(found.devices);

  Setup setup;
  setup.devices = static_cast<int>(options.devices.size());
  const CudaBodies cuda = CudaBodies::Find(resolved.devices.cuda, setup.notes);
  setup.replay = dynamic_cast<const taskrt::Replay*>(options.scheduler.get());
  for (const Kernel kind : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
    const bool is_offloaded = setup.devices > 0 && (!resolved.only_gemm || kind == Kernel::kGemm);
    setup.is_offloaded.push_back(is_offloaded);
    setup.kernels.push_back(MakeKernel(resolved, cuda, kind, is_offloaded));
  }
  auto runtime = taskrt::Runtime::Create(std::move(options));
  if (!runtime.ok()) return runtime.status();
  setup.runtime = *std::move(runtime);
  return setup;
}

}  // namespace cholesky
