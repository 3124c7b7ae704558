#include "taskrt/run/task_executor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/simulation.h"
#include "taskrt/run/access_checker.h"
#include "taskrt/task/user_code.h"

namespace taskrt {
namespace {

// Eleven days of virtual time, as simulated devices' (sim/device.h).
constexpr double kLongestNs = 1e15;

std::uint64_t FarBytesOf(const Task& task) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    if (!task.IsHere(i)) bytes += task.accesses()[i].block->host.bytes();
  }
  return bytes;
}

KernelEnd EndOf(const absl::Status& status) {
  return status.ok() ? KernelEnd::kDone : KernelEnd::kFailed;
}

absl::Status CallBody(const Task& task, std::span<const Tile> tiles) {
  absl::Status status = StatusOfCall([&] { return task.kernel().host()(tiles, task.scalars()); });
  return status.ok() ? status : OfBody(std::move(status));
}

// Its own function, as an optional checker would be cleared for every task, also unchecked ones.
absl::Status CallChecked(const Task& task, std::span<const Tile> tiles) {
  AccessChecker checker(task, tiles);
  absl::Status status = CallBody(task, tiles);
  return status.ok() ? checker.Compare() : status;
}

}  // namespace

absl::Status TaskExecutor::Run(Task& task, std::optional<double>& seconds) {
  if (task.stays_on_host() && parts_.recorder == nullptr && !task.is_placed_when_ready()) {
    absl::Status status = RunOnHost(task, task.tiles());
    if (task.computes()) parts_.counts.AddRun();
    return status;
  }
  if (task.kind == TaskKind::kPrefetch) {
    Prefetch(task);
    return absl::OkStatus();
  }
  Attempt attempt;
  absl::Status status = RunUntilNotLost(task, attempt);
  if (!task.computes()) {
    parts_.order.CommitLate(task);
  } else if (attempt.has_begun) {  // Once, however many devices were lost.
    task.place() == kHost ? parts_.counts.AddRun() : parts_.counts.AddRunOnDevice();
  }
  seconds = attempt.seconds;
  return status;
}

// On a device that is lost the task has changed nothing that others have.
absl::Status TaskExecutor::RunUntilNotLost(Task& task, Attempt& attempt) {
  absl::Status status = absl::UnavailableError("it was lost before");
  for (std::size_t losses = 0; losses <= parts_.places.device_count(); ++losses) {
    if (parts_.mover.lost().Has(task.place()) && !MoveFromLost(task)) {
      return absl::UnavailableError(
          absl::StrCat(status.message(), "; all devices that can run it are lost"));
    }
    status = RunOnce(task, attempt);
    if (!IsLoss(status) || !parts_.mover.lost().HasAny()) break;
  }
  return status;
}

// An error is not reported: a task that needs the block meets it, too, if it is still there then.
void TaskExecutor::Prefetch(Task& task) {
  Prepared prepared;
  if (!parts_.mover.Prepare(task, prepared).ok()) return;
  absl::Status status = parts_.mover.Await(task.place(), prepared);
  status.Update(parts_.mover.Finish(task, EndOf(status)));
  if (!status.ok()) return;
  parts_.order.CommitLate(task);
}

// To the last place that can run it: a device rather than the host. False: there is none.
bool TaskExecutor::MoveFromLost(Task& task) {
  const PlaceSet set = parts_.places.ThatCanRun(task.kernel());
  const std::span<const Place> places = set;
  const auto there = std::find_if(places.rbegin(), places.rend(),
                                  [this](Place place) { return !parts_.mover.lost().Has(place); });
  if (there == places.rend()) return false;
  parts_.order.Move(task, *there);
  return true;
}

absl::Status TaskExecutor::RunOnHost(const Task& task, std::span<const Tile> tiles) {
  if (task.kernel().host() == nullptr) return parts_.places.NoneCanRun(task.kernel());
  absl::Status status = options_.checks_accesses ? CallChecked(task, tiles) : CallBody(task, tiles);
  if (task.kernel().flops() > 0) {
    lwt::Compute(std::min(task.kernel().flops() / options_.host_flops_per_s * 1e9, kLongestNs));
  }
  return status;
}

absl::Status TaskExecutor::RunOnDevice(Task& task, const Prepared& prepared, TraceEvent event) {
  Device& device = parts_.places.DeviceAt(task.place());
  const absl::StatusOr<Ticket> launched = device.Launch(
      task.kernel(), prepared.tiles(), task.scalars(), prepared.arrived(), FarBytesOf(task));
  // After an error the blocks are the user's: no copy to them may go on.
  if (!launched.ok()) (void)parts_.mover.Await(task.place(), prepared);
  absl::Status status = launched.ok() ? device.Wait(*launched) : launched.status();
  status = parts_.mover.NoteOfKernel(task, std::move(status));
  if (parts_.recorder != nullptr) {
    parts_.recorder->Add(std::move(event), device, launched.value_or(kDone));
  }
  return status;
}

absl::Status TaskExecutor::RunOnce(Task& task, Attempt& attempt) {
  Prepared prepared;
  absl::Status status = parts_.mover.Prepare(task, prepared);
  if (!status.ok()) return status;
  attempt.has_begun = true;
  TraceEvent event;
  if (parts_.recorder != nullptr) {
    event = {.name = task.kernel().name(),
             .submit_index = task.submit_index,
             .from = task.place(),
             .to = task.place(),
             .asked = Recorder::Now()};
  }
  const lwt::Deadline begun = task.is_placed_when_ready() ? lwt::Now() : lwt::Deadline();
  if (task.place() == kHost) {
    status = RunOnHost(task, prepared.tiles());
    if (parts_.recorder != nullptr) parts_.recorder->Add(std::move(event));
  } else {
    status = RunOnDevice(task, prepared, std::move(event));
  }
  if (task.is_placed_when_ready()) attempt.seconds = Measure(task.place(), begun);
  const absl::Status finished = parts_.mover.Finish(task, EndOf(status));
  if (status.ok() || (IsLoss(status) && !finished.ok())) status = finished;
  return status;
}

// In seconds. A device runs one kernel after the other: the time of the kernel before this one is
// none of this one's.
double TaskExecutor::Measure(Place place, lwt::Deadline begun) {
  const lwt::Deadline end = lwt::Now();
  if (place != kHost) {
    begun = std::max(begun, parts_.order.Dispatch([&](Dispatcher& dispatcher) {
      return dispatcher.ExchangeLastEnd(place, end);
    }));
  }
  return std::chrono::duration<double>(end - begun).count();
}

}  // namespace taskrt
