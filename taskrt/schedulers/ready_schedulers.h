// Schedulers that choose a place when a task can begin: by then they know where its blocks are and
// which places are idle. Tasks with a higher priority come first, and then tasks that were
// submitted earlier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "taskrt/place.h"
#include "taskrt/schedulers/cost_model.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/schedulers/task_view.h"

namespace taskrt {

// Tasks that can begin, in their order. Threads: one. A value.
class ReadyTasks {
 public:
  using Key = std::pair<int, SubmitIndex>;  // less priority: later
  struct Entry {
    TaskView task;
    std::uint64_t places = 0;  // a bit each
    bool CanRunAt(Place place) const { return (places >> place & 1) != 0; }
  };
  using Map = std::map<Key, Entry>;

  void Add(TaskView task, std::span<const Place> places);
  TaskView Take(Map::iterator at) {
    const TaskView task = at->second.task;
    entries_.erase(at);
    return task;
  }
  Map& entries() { return entries_; }
  std::size_t size() const { return entries_.size(); }

 private:
  Map entries_;
};

// The place that will have finished the task first (HEFT's second phase; StarPU's dmda), by the
// tasks that wait there already, the copies, and the kernel's times there so far.
class EarliestFinish final : public Scheduler {
 public:
  void Begin(std::span<const PlaceFacts> places) override;
  Place PlaceFor(TaskView, std::span<const Place>) override { return kWhenReady; }
  void Add(TaskView task, std::span<const Place> places) override;
  std::optional<TaskView> Next(Place place) override;
  void Ended(TaskView task, std::optional<double> seconds) override;

 private:
  struct AtPlace {
    PlaceFacts facts;
    ReadyTasks ready;
    double waiting_s = 0;  // expected of those that are ready or run there
  };
  double Expect(TaskView task, Place place) const;

  CostModel costs_;
  std::vector<AtPlace> places_;
  struct Expected {
    Place place = kHost;
    double seconds = 0;
  };
  std::map<SubmitIndex, Expected> expected_;  // of those that are ready or run
};

// A task waits at the place that has most of its blocks; an idle place steals from the place that
// has most tasks, the task that would begin there last.
class Stealing final : public Scheduler {
 public:
  void Begin(std::span<const PlaceFacts> places) override { ready_.resize(places.size()); }
  Place PlaceFor(TaskView, std::span<const Place>) override { return kWhenReady; }
  void Add(TaskView task, std::span<const Place> places) override;
  std::optional<TaskView> Next(Place place) override;

  std::uint64_t steals() const { return steals_; }

 private:
  std::vector<ReadyTasks> ready_;  // by place
  std::uint64_t steals_ = 0;
};

}  // namespace taskrt
