#include "taskrt/benches/simulated.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace simulated {
namespace {

// The paper's largest matrix, on devices like the paper's.
constexpr int kBlock = 1024, kCount = 32;
constexpr std::uint64_t kBlockBytes = std::uint64_t{kBlock} * kBlock * sizeof(float);
constexpr double kDeviceFlops = 14e12, kHostFlops = 80e9, kLinkBytes = 12e9;

// Devices in as many rows as columns, or as one.
struct Machine {
  int rows = 1, columns = 1;
  taskrt::MoverOptions mover = {.source = taskrt::SourceRule::kNearest};
};

std::unique_ptr<taskrt::Runtime> MakeRuntime(const Machine& machine) {
  taskrt::RuntimeOptions options;
  options.pool.workers = 12;  // as many cores as the paper's machine
  // Tasks take milliseconds: workers that look for them each two microseconds find them as soon.
  options.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  options.host_flops_per_s = kHostFlops;
  options.mover = machine.mover;
  options.scheduler = std::make_unique<taskrt::OwnerComputes>();
  for (int i = 0; i < machine.rows * machine.columns; ++i) {
    options.devices.push_back(
        std::make_unique<taskrt::SimulatedDevice>(taskrt::SimulatedDeviceOptions{
            .flops_per_s = kDeviceFlops, .link_bytes_per_s = kLinkBytes, .is_dry = true}));
  }
  return *taskrt::Runtime::Create(std::move(options));
}

struct Result {
  bool is_right = false;
  double seconds = 0;  // virtual
  taskrt::CopyCounts copies;
};

// All four kernels on the devices; whose block it is, computes it.
Result Factorize(const Machine& machine) {
  const std::unique_ptr<taskrt::Runtime> runtime = MakeRuntime(machine);
  std::vector<taskrt::Handle> handles(cholesky::BlocksOf(kCount));
  for (int k = 0; k < kCount; ++k) {
    for (int i = k; i < kCount; ++i) {
      handles[cholesky::BlockAt(k, i, kCount)] = runtime->Register(
          "block", {nullptr, kBlock, kBlock * sizeof(float), kCount * kBlock * sizeof(float)},
          k % machine.rows * machine.columns + i % machine.columns);
    }
  }
  std::vector<taskrt::Kernel> kernels;
  for (const auto kernel : {cholesky::Kernel::kPotrf, cholesky::Kernel::kTrsm,
                            cholesky::Kernel::kSyrk, cholesky::Kernel::kGemm}) {
    kernels.push_back(taskrt::Kernel(std::string(cholesky::NameOf(kernel)))
                          .Flops(cholesky::FlopsOf(kernel, kBlock))
                          .OnSimulated([](auto, auto) { return absl::OkStatus(); }));
  }
  std::uint64_t tasks = 0;
  const absl::Status done = runtime->Run([&](taskrt::Runtime& rt) {
    cholesky::ForEachTask(kCount, [&](const cholesky::Task& task) {
      std::vector<taskrt::Access> accesses;
      for (const taskrt::PlannedAccess& access : cholesky::AccessesOf(task, kCount)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses, {},
                {.priority = PriorityOf(task)});
      ++tasks;
    });
    return rt.Wait();
  });
  const taskrt::RuntimeCounts counts = runtime->counts();
  const bool is_short = machine.mover.device_bytes > 0;
  return {.is_right = done.ok() && counts.tasks == tasks &&
                      (is_short || counts.copies.copies() == counts.least.copies),
          .seconds = runtime->pool().simulated_ns() * 1e-9,
          .copies = counts.copies};
}

template <typename Report>
void RegisterRow(const char* name, const Machine& machine, Report report) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) {
                                 for (auto _ : state) {
                                   const Result result = Factorize(machine);
                                   report(state, result);
                                   if (!result.is_right) state.SkipWithError("wrong answer");
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime();
}

}  // namespace

void Register() {
  const auto time = [](benchmark::State& state, const Result& result) {
    state.SetIterationTime(result.seconds);
  };
  RegisterRow("simulated_cholesky/taskrt/devices:4", {.rows = 2, .columns = 2}, time);
  RegisterRow("simulated_cholesky/one_device/devices:4", {}, time);

  const auto copied_in = [](benchmark::State& state, const Result& result) {
    state.SetIterationTime(result.seconds);
    state.counters["bytes"] = static_cast<double>(result.copies.h2d.bytes);
  };
  const auto half = [](taskrt::Eviction eviction) {
    return Machine{.mover = {.device_bytes = cholesky::BlocksOf(kCount) / 2 * kBlockBytes,
                             .eviction = eviction}};
  };
  RegisterRow("copied_in_half_memory/taskrt", half(taskrt::Eviction::kFarthestUse), copied_in);
  RegisterRow("copied_in_half_memory/lru", half(taskrt::Eviction::kLeastRecently), copied_in);
}

}  // namespace simulated
