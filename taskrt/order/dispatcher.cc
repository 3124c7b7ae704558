#include "taskrt/order/dispatcher.h"

#include "taskrt/task/user_code.h"

namespace taskrt {

void Dispatcher::Begin(std::span<const PlaceFacts> facts) {
  scheduler_.Begin(facts);
  at_.resize(facts.size());
  at_.front().most_in_flight = facts.front().parallel;
  for (Place place = 1; place < static_cast<Place>(at_.size()); ++place) {
    At(place).most_in_flight =
        tasks_in_flight_ > 0 ? tasks_in_flight_ : places_.DeviceAt(place).tasks_in_flight();
  }
}

void Dispatcher::Add(Task& task) {
  if (task.is_placed_when_ready()) {
    const PlaceSet places = places_.ThatCanRun(task.kernel());
    AskScheduler("Add", [&] { scheduler_.Add(TaskView(task), places); });
  } else {
    const Place place = task.place();
    At(place).waiting.Add(TaskView(task), {&place, 1});
  }
}

std::vector<Task*> Dispatcher::TakeAll() {
  std::vector<Task*> taken;
  for (Place place = 0; place < static_cast<Place>(at_.size()); ++place) {
    AtPlace& at = At(place);
    while (at.in_flight < at.most_in_flight) {
      Task* const task = Next(place);
      if (task == nullptr) break;
      ++at.in_flight;
      task->slot_at = place;
      taken.push_back(task);
    }
  }
  return taken;
}

// Null: none.
Task* Dispatcher::Next(Place place) {
  ReadyTasks& waiting = At(place).waiting;
  if (waiting.size() > 0) return &waiting.Take(waiting.entries().begin()).task();
  const std::optional<TaskView> next = AskScheduler("Next", [&] { return scheduler_.Next(place); });
  if (!next) return nullptr;
  placement_.Commit(next->task(), place);
  return &next->task();
}

void Dispatcher::Ended(Task& task, std::optional<double> seconds) {
  --At(task.slot_at).in_flight;
  if (!task.is_placed_when_ready()) return;
  AskScheduler("Ended", [&] { scheduler_.Ended(TaskView(task), seconds); });
}

}  // namespace taskrt
