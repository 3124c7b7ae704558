// What a task runs: a kernel, and what it is called with.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "taskrt/access.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"
#include "taskrt/tile.h"

namespace taskrt {

struct BlockRecord;

// A value.
struct TaskAccess {
  BlockRecord* block = nullptr;
  Mode mode = Mode::kIn;
};

// A resource: of any number of accesses and scalars. Few of them lie in itself; memory for more is
// kept for the tasks that use its place later.
//
// Written by the thread that submits the task; its members are in the order in which a run on the
// host reads them.
class TaskCall {
 public:
  TaskCall() {
    tiles_ = some_tiles_.data();
    scalars_ = some_scalars_.data();
    accesses_ = some_accesses_.data();
    where_ = some_where_.data();
  }
  TaskCall(const TaskCall&) = delete;
  TaskCall& operator=(const TaskCall&) = delete;

  // Without accesses at first.
  void Begin(const Kernel& kernel, std::span<const std::byte> scalars) {
    kernel_ = &kernel;
    accesses_count_ = 0;
    commutes_ = false;
    if (scalars.size() > some_scalars_.size()) [[unlikely]] {
      MakeRoomForScalars(scalars.size());
    }
    scalar_bytes_ = static_cast<std::uint32_t>(scalars.size());
    std::copy(scalars.begin(), scalars.end(), scalars_);
  }
  void Add(const TaskAccess& access, const Tile& tile) {
    if (accesses_count_ == accesses_room_) [[unlikely]] {
      MakeRoomForAccesses();
    }
    Set(accesses_count_++, access, tile);
    if (Commutes(access.mode)) [[unlikely]] {
      commutes_ = true;
    }
  }
  // So many accesses, its first, which the caller writes; and SetCommutes, if one does.
  struct Room {
    TaskAccess* accesses;
    Tile* tiles;
  };
  Room AddFirst(std::size_t count) {
    while (accesses_room_ < count) [[unlikely]] {
        MakeRoomForAccesses();
      }
    accesses_count_ = static_cast<std::uint32_t>(count);
    return {accesses_, tiles_};
  }
  void SetCommutes() { commutes_ = true; }
  void Set(std::size_t index, const TaskAccess& access, const Tile& tile) {
    accesses_[index] = access;
    tiles_[index] = tile;
  }
  void SetTile(std::size_t access, const Tile& tile) { tiles_[access] = tile; }

  const Kernel& kernel() const { return *kernel_; }
  std::span<const TaskAccess> accesses() const { return {accesses_, accesses_count_}; }
  // The user's memory of its blocks when it was submitted.
  std::span<const Tile> tiles() const { return {tiles_, accesses_count_}; }
  std::span<const std::byte> scalars() const { return {scalars_, scalar_bytes_}; }
  // The place whose memory of each block it uses.
  std::span<const Place> where() const { return {where_, accesses_count_}; }
  std::span<Place> where() { return {where_, accesses_count_}; }
  // It runs when it has acquired the blocks that it changes in any order (task/exclusions.h).
  bool commutes() const { return commutes_; }

 private:
  // So many have room in a task itself.
  static constexpr std::size_t kSomeAccesses = 8, kSomeScalarBytes = 64;

  struct More {
    std::vector<TaskAccess> accesses;
    std::vector<Tile> tiles;
    std::vector<Place> where;
    std::vector<std::byte> scalars;  // aligned as operator new aligns
  };
  More& NewMore() {
    if (more_ == nullptr) more_ = std::make_unique<More>();
    return *more_;
  }
  [[gnu::cold, gnu::noinline]] void MakeRoomForAccesses() {
    const std::size_t room = std::size_t{2} * accesses_room_;
    const auto grow = [room](auto& more, auto*& all, std::size_t count) {
      std::remove_reference_t<decltype(more)> larger(room);
      std::copy(all, all + count, larger.begin());
      more = std::move(larger);
      all = more.data();
    };
    More& more = NewMore();
    grow(more.accesses, accesses_, accesses_count_);
    grow(more.tiles, tiles_, accesses_count_);
    grow(more.where, where_, 0);  // No place was chosen yet.
    accesses_room_ = static_cast<std::uint32_t>(room);
  }
  [[gnu::cold, gnu::noinline]] void MakeRoomForScalars(std::size_t bytes) {
    More& more = NewMore();
    if (more.scalars.size() < bytes) more.scalars.resize(bytes);
    scalars_ = more.scalars.data();
  }

  const Kernel* kernel_ = nullptr;
  std::uint32_t accesses_count_ = 0, scalar_bytes_ = 0;
  Tile* tiles_ = nullptr;
  std::byte* scalars_ = nullptr;
  TaskAccess* accesses_ = nullptr;
  Place* where_ = nullptr;
  std::uint32_t accesses_room_ = kSomeAccesses;
  bool commutes_ = false;
  std::array<Tile, kSomeAccesses> some_tiles_;
  alignas(16) std::array<std::byte, kSomeScalarBytes> some_scalars_;
  std::array<TaskAccess, kSomeAccesses> some_accesses_;
  std::array<Place, kSomeAccesses> some_where_;
  std::unique_ptr<More> more_;
};

}  // namespace taskrt
