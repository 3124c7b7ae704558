// Policies that choose where tasks run. A scheduler is asked for the place of each task at its
// submission, in that order. If it answers kWhenReady it is given the task when that can begin, and
// is asked for a task whenever a place has a free slot.
//
// Source: [WLBS20] section 4.3.2; beyond it [HEFT], [dmda].
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "taskrt/place.h"
#include "taskrt/schedulers/task_view.h"

namespace taskrt {

// What is known of a place before any task has run.
struct PlaceFacts {
  int parallel = 1;                // how many tasks compute at once there
  double flops_per_s = 0;          // of each; zero: unknown
  double link_bytes_per_s = 12e9;  // of copies to it, about
};

// Threads: one at a time, under the runtime's lock. A scheduler throws nothing, and chooses among
// the places that it is given: else the program ends with a sentence that says so.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // Once, before all others: the host's and those of the devices.
  virtual void Begin(std::span<const PlaceFacts> /*places*/) {}

  // Returns one of `places`, those that can run the task, ascending and at least one; or
  // kWhenReady.
  virtual Place PlaceFor(TaskView task, std::span<const Place> places) = 0;

  // A task whose place is chosen when it can begin now can, at one of `places`.
  virtual void Add(TaskView /*task*/, std::span<const Place> /*places*/) {}
  // Returns such a task, which begins at `place` then; none: no task is for this place now.
  virtual std::optional<TaskView> Next(Place /*place*/) { return std::nullopt; }
  // Such a task has ended. `seconds`: its time without its copies and without the tasks before it
  // in the device's queue; none: it has not run.
  virtual void Ended(TaskView /*task*/, std::optional<double> /*seconds*/) {}
};

// The devices in turn, as in the paper; the host where no device can run the task.
class RoundRobin final : public Scheduler {
 public:
  Place PlaceFor(TaskView task, std::span<const Place> places) override;

 private:
  std::size_t next_ = 0;
};

// The device that owns the block that the task changes, the last of them: by the number that the
// block was registered with, around all devices that can run it. Blocks that are
// changed never move. A task that adds to a partial block (Runtime::SetReduction) runs where the
// first block is that it reads.
class OwnerComputes final : public Scheduler {
 public:
  Place PlaceFor(TaskView task, std::span<const Place> places) override;
};

// The device that lacks the fewest of the blocks that the task reads, and has been given the fewest
// tasks: a block that it lacks counts as so many tasks.
class Locality final : public Scheduler {
 public:
  explicit Locality(std::uint64_t tasks_a_block = 50) : tasks_a_block_(tasks_a_block) {}
  Place PlaceFor(TaskView task, std::span<const Place> places) override;

 private:
  const std::uint64_t tasks_a_block_;
  std::array<std::uint64_t, kMostPlaces> given_{};
};

// Where each task has run before (Runtime::places). A task that cannot run there, or that the
// recorded run did not have, runs at the first place that can run it, and is counted; so do the
// tasks that combine a reduction's partial blocks.
class Replay final : public Scheduler {
 public:
  explicit Replay(std::vector<Place> places) : recorded_(std::move(places)) {}
  Place PlaceFor(TaskView task, std::span<const Place> places) override;

  std::uint64_t others() const { return others_; }

 private:
  const std::vector<Place> recorded_;
  std::uint64_t others_ = 0;
};

}  // namespace taskrt
