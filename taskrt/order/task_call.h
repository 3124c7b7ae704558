// What a task runs: a kernel, and what it is called with.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "taskrt/access.h"
#include "taskrt/kernel.h"
#include "taskrt/tile.h"

namespace taskrt {

struct Block;

// A value.
struct TaskAccess {
  Block* block = nullptr;
  Mode mode = Mode::kIn;
};

// Written by the thread that submits the task; its members are in the order in which a run on the
// host reads them.
class TaskCall {
 public:
  static constexpr std::size_t kMostAccesses = 8;
  static constexpr std::size_t kMostScalarBytes = 64;

  // Without accesses at first.
  void Begin(const Kernel& kernel, std::span<const std::byte> scalars) {
    kernel_ = &kernel;
    accesses_count_ = 0;
    commutes_ = false;
    scalar_bytes_ = static_cast<std::uint8_t>(scalars.size());
    std::copy(scalars.begin(), scalars.end(), scalars_.begin());
  }
  void Add(const TaskAccess& access, const Tile& tile) {
    Set(accesses_count_++, access, tile);
    if (Commutes(access.mode)) [[unlikely]] {
      commutes_ = true;
    }
  }
  void Set(std::size_t index, const TaskAccess& access, const Tile& tile) {
    accesses_[index] = access;
    tiles_[index] = tile;
  }
  void SetTile(std::size_t access, const Tile& tile) { tiles_[access] = tile; }

  const Kernel& kernel() const { return *kernel_; }
  std::span<const TaskAccess> accesses() const { return {accesses_.data(), accesses_count_}; }
  // The user's memory of its blocks when it was submitted.
  std::span<const Tile> tiles() const { return {tiles_.data(), accesses_count_}; }
  std::span<const std::byte> scalars() const { return {scalars_.data(), scalar_bytes_}; }
  // It runs when it has acquired the blocks that it changes in any order (order/exclusions.h).
  bool commutes() const { return commutes_; }

 private:
  const Kernel* kernel_ = nullptr;
  std::uint8_t accesses_count_ = 0, scalar_bytes_ = 0;
  bool commutes_ = false;
  std::array<Tile, kMostAccesses> tiles_;
  alignas(16) std::array<std::byte, kMostScalarBytes> scalars_;
  std::array<TaskAccess, kMostAccesses> accesses_;
};

}  // namespace taskrt
