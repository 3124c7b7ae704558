// Tasks that can begin and take a slot: each place has so many slots, and further tasks wait in the
// place's queue or with the scheduler.
//
// Threads: one at a time; TaskOrder guards it, since schedulers read where blocks are planned to be
// (BlockRecord::planned_replicas).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lwt/timer.h"
#include "taskrt/order/placement.h"
#include "taskrt/place.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/task/places.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A resource. The scheduler outlives it.
class Dispatcher {
 public:
  // `tasks_in_flight`: of each device; 0: as many as it asks for.
  Dispatcher(Scheduler& scheduler, const Places& places, Placement& placement, int tasks_in_flight)
      : scheduler_(scheduler),
        places_(places),
        placement_(placement),
        tasks_in_flight_(tasks_in_flight) {}

  // Once, before all others: the host's and those of the devices.
  void Begin(std::span<const PlaceFacts> facts);
  // The task can begin, at its place or, if that was not chosen yet, where it can run.
  void Add(Task& task);
  // Those that begin now, since their places have slots free; they hold these until Ended.
  std::vector<Task*> TakeAll();
  // `seconds`: as Scheduler::Ended.
  void Ended(Task& task, std::optional<double> seconds);

  // A task that waits for others leaves its slot to them, and gets it back even if it was taken.
  void LeaveSlot(Place place) { --At(place).in_flight; }
  void ReturnSlot(Place place) { ++At(place).in_flight; }

  // A kernel has ended at the place: when did the one before it?
  lwt::Deadline ExchangeLastEnd(Place place, lwt::Deadline end) {
    return std::exchange(At(place).last_end, end);
  }

 private:
  struct AtPlace {
    int most_in_flight = 0;
    int in_flight = 0;
    ReadyTasks waiting;
    lwt::Deadline last_end;
  };
  AtPlace& At(Place place) { return at_[static_cast<std::size_t>(place)]; }
  Task* Next(Place place);

  Scheduler& scheduler_;
  const Places& places_;
  Placement& placement_;
  const int tasks_in_flight_;
  std::vector<AtPlace> at_;
};

}  // namespace taskrt
