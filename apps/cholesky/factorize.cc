#include "apps/cholesky/factorize.h"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/cholesky/matrix.h"
#include "taskrt/benches/cholesky_tasks.h"
#include "taskrt/sim/device.h"

namespace cholesky {
namespace {

// As many columns of devices as rows, or twice as many.
int ColumnsOf(int devices) {
  int columns = 1;
  while (columns * columns < devices) ++columns;
  while (devices % columns != 0) ++columns;
  return columns;
}

absl::StatusOr<std::unique_ptr<taskrt::Runtime>> MakeRuntime(const Resolved& resolved) {
  const Flags& flags = resolved.flags;
  taskrt::RuntimeOptions options;
  options.pool.workers = resolved.threads;
  options.pool.seed = flags.seed;
  if (resolved.simulated_devices > 0) options.pool.simulation = lwt::SimulationOptions{};
  options.host_flops_per_s = flags.host_gflop_per_s * 1e9;
  options.mover.source =
      flags.source == "nearest" ? taskrt::SourceRule::kNearest : taskrt::SourceRule::kHostFirst;
  options.mover.optimizes = !flags.no_optimize;
  if (flags.scheduler == "owner") options.scheduler = std::make_unique<taskrt::OwnerComputes>();
  for (int i = 0; i < resolved.simulated_devices; ++i) {
    options.devices.push_back(std::make_unique<taskrt::SimulatedDevice>(
        taskrt::SimulatedDeviceOptions{.name = absl::StrCat("sim:", i),
                                       .flops_per_s = flags.device_gflop_per_s * 1e9,
                                       .link_bytes_per_s = flags.link_gb_per_s * 1e9,
                                       .is_dry = flags.dry}));
  }
  return taskrt::Runtime::Create(std::move(options));
}

bool IsOffloaded(const Resolved& resolved, Kernel kind) {
  return resolved.simulated_devices > 0 && (!resolved.only_gemm || kind == Kernel::kGemm);
}

std::vector<taskrt::Kernel> MakeKernels(const Resolved& resolved) {
  std::vector<taskrt::Kernel> kernels;
  for (const Kernel kind : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
    taskrt::Kernel::Body body = BodyOf(kind, resolved.precision);
    if (resolved.flags.dry) body = [](auto, auto) { return absl::OkStatus(); };
    taskrt::Kernel kernel{std::string(NameOf(kind))};
    IsOffloaded(resolved, kind) ? kernel.OnSimulated(body) : kernel.OnHost(body);
    kernels.push_back(kernel.Flops(FlopsOf(kind, resolved.flags.block)));
  }
  return kernels;
}

absl::Status CheckAnswer(const Resolved& resolved, const Row& row) {
  if (resolved.flags.dry) {
    const std::uint64_t expected =
        resolved.flags.no_optimize ? row.accesses_on_devices : row.least.copies;
    if (row.copies.copies() == expected) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("there were ", row.copies.copies(), " copies, not the ",
                                            expected, " that these places need"));
  }
  const double precision = resolved.precision == Precision::kF32 ? 6e-8 : 1.2e-16;
  const double bound = 10 * precision * std::sqrt(static_cast<double>(resolved.flags.n));
  if (row.residual <= bound) return absl::OkStatus();  // False for what is no number.
  return absl::InternalError(
      absl::StrCat("the answer is wrong: residual ", row.residual, ", at most ", bound));
}

}  // namespace

absl::StatusOr<Row> Factorize(const Resolved& resolved) {
  const int count = resolved.blocks, b = resolved.flags.block;
  Matrix matrix(resolved.flags.n, resolved.precision, resolved.flags.seed, resolved.flags.dry);
  const std::vector<taskrt::Kernel> kernels = MakeKernels(resolved);
  auto made = MakeRuntime(resolved);
  if (!made.ok()) return made.status();
  taskrt::Runtime& runtime = **made;

  const int devices = std::max(1, resolved.simulated_devices);
  const int columns = ColumnsOf(devices), rows = devices / columns;
  std::vector<taskrt::Handle> handles(BlocksOf(count));
  for (int k = 0; k < count; ++k) {
    for (int i = k; i < count; ++i) {
      handles[BlockAt(k, i, count)] =
          runtime.Register(absl::StrCat("A[", k, "][", i, "]"), matrix.BlockAt(k, i, b),
                           k % rows * columns + i % columns);
    }
  }
  Row row;
  const auto begun = std::chrono::steady_clock::now();
  const absl::Status done = runtime.Run([&](taskrt::Runtime& rt) {
    ForEachTask(count, [&](const Task& task) {
      std::vector<taskrt::Access> accesses;
      for (const taskrt::PlannedAccess& access : AccessesOf(task, count)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
      row.gemm_tasks += task.kernel == Kernel::kGemm;
      // Each block is read there, and one is written.
      if (IsOffloaded(resolved, task.kernel)) row.accesses_on_devices += accesses.size() + 1;
    });
    return rt.Wait();
  });
  if (!done.ok()) return done;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  row.seconds =
      resolved.simulated_devices > 0 ? runtime.pool().simulated_ns() * 1e-9 : took.count();
  const taskrt::RuntimeCounts counts = runtime.counts();
  row.tasks = counts.tasks;
  row.copies = counts.copies;
  row.least = counts.least;
  row.gflop_per_s = std::pow(resolved.flags.n, 3) / 3 / row.seconds * 1e-9;
  if (!resolved.flags.dry) row.residual = matrix.Residual();
  if (absl::Status right = CheckAnswer(resolved, row); !right.ok()) return right;
  return row;
}

}  // namespace cholesky
