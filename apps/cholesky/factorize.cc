#include "apps/cholesky/factorize.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/cholesky/matrix.h"
#include "taskrt/benches/cholesky_opencl.h"
#include "taskrt/benches/cholesky_tasks.h"
#include "taskrt/runtime.h"

namespace cholesky {
namespace {

// As many columns of devices as rows, or twice as many.
int ColumnsOf(int devices) {
  int columns = 1;
  while (columns * columns < devices) ++columns;
  while (devices % columns != 0) ++columns;
  return columns;
}

absl::StatusOr<std::unique_ptr<taskrt::Runtime>> MakeRuntime(
    const Resolved& resolved, std::vector<std::unique_ptr<taskrt::Device>> devices) {
  const Flags& flags = resolved.flags;
  taskrt::RuntimeOptions options;
  options.pool.workers = resolved.threads;
  options.pool.seed = flags.seed;
  if (resolved.devices.is_virtual()) options.pool.simulation = lwt::SimulationOptions{};
  options.host_flops_per_s = flags.host_gflop_per_s * 1e9;
  options.mover.source =
      flags.source == "nearest" ? taskrt::SourceRule::kNearest : taskrt::SourceRule::kHostFirst;
  options.mover.optimizes = !flags.no_optimize;
  if (flags.scheduler == "owner") options.scheduler = std::make_unique<taskrt::OwnerComputes>();
  options.devices = std::move(devices);
  return taskrt::Runtime::Create(std::move(options));
}

// Which of the four kernels devices run. Where there is none, the host runs all.
class Offload {
 public:
  Offload(const Resolved& resolved, std::size_t devices)
      : resolved_(resolved), has_devices_(devices > 0) {}

  bool Has(Kernel kind) const {
    return has_devices_ && (!resolved_.only_gemm || kind == Kernel::kGemm);
  }
  std::vector<taskrt::Kernel> MakeKernels() const {
    std::vector<taskrt::Kernel> kernels;
    for (const Kernel kind : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
      taskrt::Kernel::Body body = BodyOf(kind, resolved_.precision);
      if (resolved_.flags.dry) body = [](auto, auto) { return absl::OkStatus(); };
      taskrt::Kernel kernel{std::string(NameOf(kind))};
      if (!Has(kind) || resolved_.devices.is_host_too) kernel.OnHost(body);
      if (Has(kind)) {
        kernel.OnSimulated(body).OnOpenCl(
            OpenClKernelOf(kind, resolved_.precision, resolved_.flags.block));
      }
      kernels.push_back(kernel.Flops(FlopsOf(kind, resolved_.flags.block)));
    }
    return kernels;
  }

 private:
  const Resolved& resolved_;
  const bool has_devices_;
};

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
  if (resolved.flags.spoil >= 0 && !resolved.flags.dry) matrix.Spoil(resolved.flags.spoil);
  taskrt::Devices found =
      taskrt::MakeDevices(resolved.devices, {.flops_per_s = resolved.flags.device_gflop_per_s * 1e9,
                                             .link_bytes_per_s = resolved.flags.link_gb_per_s * 1e9,
                                             .is_dry = resolved.flags.dry});
  const int devices = static_cast<int>(found.devices.size());
  const Offload offload(resolved, found.devices.size());
  const std::vector<taskrt::Kernel> kernels = offload.MakeKernels();
  auto made = MakeRuntime(resolved, std::move(found.devices));
  if (!made.ok()) return made.status();
  taskrt::Runtime& runtime = **made;

  const int columns = ColumnsOf(std::max(1, devices)), rows = std::max(1, devices) / columns;
  std::vector<taskrt::Handle> handles(BlocksOf(count));
  for (int k = 0; k < count; ++k) {
    for (int i = k; i < count; ++i) {
      handles[BlockAt(k, i, count)] =
          runtime.Register(absl::StrCat("A[", k, "][", i, "]"), matrix.BlockAt(k, i, b),
                           k % rows * columns + i % columns);
    }
  }
  Row row = {.devices = devices, .notes = std::move(found.notes)};
  const auto begun = std::chrono::steady_clock::now();
  const absl::Status done = runtime.Run([&](taskrt::Runtime& rt) {
    ForEachTask(count, [&](const Task& task) {
      std::vector<taskrt::Access> accesses;
      for (const taskrt::PlannedAccess& access : AccessesOf(task, count)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      const int first_column = task.k * b;  // which potrf names, if it cannot
      rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses,
                std::as_bytes(std::span(&first_column, 1)));
      row.gemm_tasks += task.kernel == Kernel::kGemm;
      // Each block is read there, and one is written.
      if (offload.Has(task.kernel)) row.accesses_on_devices += accesses.size() + 1;
    });
    return rt.Wait();
  });
  if (!done.ok()) return done;
  if (!resolved.flags.dry) {
    if (const std::optional<int> column = matrix.NotPositive()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the matrix is not positive definite in column ", *column));
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  row.seconds = resolved.devices.is_virtual() ? runtime.pool().simulated_ns() * 1e-9 : took.count();
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
