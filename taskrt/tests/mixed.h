// A Cholesky factorization's tasks, which mix whole numbers instead: every order that they may not
// have, and every copy that is missing, gives another result.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/kernel.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tile.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {

inline Tile TileOf(std::vector<int>& values) {
  const std::uint64_t bytes = values.size() * sizeof(int);
  return {reinterpret_cast<std::byte*>(values.data()), 1, bytes, bytes};
}
inline std::span<int> Ints(const Tile& tile) {
  return {reinterpret_cast<int*>(tile.data), tile.row_bytes / sizeof(int)};
}

// The last tile is changed by those before it.
inline absl::Status Mix(std::span<const Tile> tiles, std::span<const std::byte>) {
  const std::span<int> changed = Ints(tiles.back());
  for (std::size_t at = 0; at < changed.size(); ++at) {
    auto value = static_cast<unsigned>(changed[at]);
    for (const Tile& tile : tiles.first(tiles.size() - 1)) {
      value = value * 31u + static_cast<unsigned>(Ints(tile)[at]);
    }
    changed[at] = static_cast<int>(value + 7u);
  }
  return absl::OkStatus();
}

// `accesses`: of the task that mixes.
using MakeKernel = std::function<Kernel(cholesky::Kernel kernel, int accesses)>;

// On simulated devices, the host for what is not to be there.
inline MakeKernel OnSimulated(bool only_gemm) {
  return [=](cholesky::Kernel which, int) {
    Kernel kernel{std::string(NameOf(which))};
    if (only_gemm && which != cholesky::Kernel::kGemm) return kernel.OnHost(Mix).Flops(1e6);
    return kernel.OnSimulated(Mix).Flops(1e6);
  };
}

class Mixed {
 public:
  static constexpr std::size_t kInts = 5;  // of a block

  explicit Mixed(int count) : count_(count), blocks_(cholesky::BlocksOf(count)) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].assign(kInts, static_cast<int>(i));
  }
  // In order, on one thread.
  void ComputeAlone() {
    cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
      std::vector<Tile> tiles;
      for (const PlannedAccess& access : AccessesOf(task, count_)) {
        tiles.push_back(TileOf(blocks_[access.block]));
      }
      (void)Mix(tiles, {});
    });
  }
  absl::Status Compute(Runtime& runtime, const MakeKernel& make_kernel) {
    std::vector<Kernel> kernels;
    for (const int accesses : {1, 2, 2, 3}) {
      kernels.push_back(make_kernel(static_cast<cholesky::Kernel>(kernels.size()), accesses));
    }
    std::vector<Handle> handles;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      handles.push_back(runtime.Register("block" + std::to_string(i), TileOf(blocks_[i])));
    }
    return runtime.Run([&](Runtime& rt) {
      cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
        std::vector<Access> accesses;
        for (const PlannedAccess& access : AccessesOf(task, count_)) {
          accesses.push_back({handles[access.block], access.mode});
        }
        rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
      });
      return rt.Wait();
    });
  }
  const std::vector<std::vector<int>>& blocks() const { return blocks_; }

 private:
  const int count_;
  std::vector<std::vector<int>> blocks_;
};

// Of four workers in virtual time, on one thread.
inline std::unique_ptr<Runtime> MakeSimulatedRuntime(int devices,
                                                     const SimulatedDeviceOptions& device = {},
                                                     const MoverOptions& mover = {}) {
  RuntimeOptions options;
  options.pool.workers = 4;
  options.pool.simulation = lwt::SimulationOptions{};
  options.mover = mover;
  for (int i = 0; i < devices; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(device));
  }
  return *Runtime::Create(std::move(options));
}

}  // namespace taskrt
