// The rings by which threads hand their commands to the executor, and the batch of commands that
// were taken from the rings and not yet by the device.
//
// Threads: OfThread and what it returns, any; the rest, the thread that executes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <span>

#include "llcl/executor/command.h"
#include "llcl/executor/ring.h"
#include "llcl/executor/thread_number.h"
#include "topo/atomic.h"

namespace llcl {

// A resource: one ring or more. A thread keeps to one of them.
class Lanes {
 public:
  using Ring = BasicRing<topo::Atomic, Command>;

  // `capacity`: of each ring, in commands; a power of two.
  Lanes(std::size_t lanes, std::size_t capacity) {
    for (std::size_t i = 0; i < std::max<std::size_t>(lanes, 1); ++i) lanes_.emplace_back(capacity);
  }

  Ring& OfThread() {
    return lanes_.size() == 1 ? lanes_.front() : lanes_[ThreadNumber() % lanes_.size()];
  }

  std::size_t size() const { return lanes_.size(); }
  Ring& operator[](std::size_t lane) { return lanes_[lane]; }

  // True: all rings are empty, and the next push to any of them returns kMustWakeIt.
  [[nodiscard]] bool StartSleep() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].StartSleep()) continue;
      while (i > 0) lanes_[--i].EndSleep();
      return false;
    }
    return true;
  }
  void EndSleep() {
    for (Ring& lane : lanes_) lane.EndSleep();
  }

 private:
  std::deque<Ring> lanes_;
};

// A value.
class CommandBatch {
 public:
  static constexpr std::size_t kMost = 64;

  bool empty() const { return first_ == end_; }
  std::span<const Command> commands() const {
    return std::span(commands_).subspan(first_, end_ - first_);
  }
  // The device has taken so many of them.
  void Remove(std::size_t count) { first_ += count; }

  // If the batch is empty: pops from all lanes, each time from another lane first, while
  // `has_room()`. A command for which `is_wanted(command)` is false is left out.
  template <typename HasRoom, typename IsWanted>
  void Fill(Lanes& lanes, HasRoom has_room, IsWanted is_wanted) {
    if (!empty()) return;
    first_ = end_ = 0;
    for (std::size_t looked = 0; looked < lanes.size(); ++looked) {
      Lanes::Ring& lane = lanes[(next_lane_ + looked) % lanes.size()];
      while (end_ < kMost && has_room() && lane.TryPop(commands_[end_])) {
        if (is_wanted(commands_[end_])) ++end_;
      }
    }
    ++next_lane_;
  }

 private:
  std::array<Command, kMost> commands_;
  std::size_t first_ = 0, end_ = 0;
  std::size_t next_lane_ = 0;
};

}  // namespace llcl
