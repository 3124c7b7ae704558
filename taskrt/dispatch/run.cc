// How a task that can begin is run, and what comes after it.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/simulation.h"
#include "lwt/spawn.h"
#include "lwt/thread.h"
#include "taskrt/dispatch/access_checker.h"
#include "taskrt/dispatch/user_code.h"
#include "taskrt/graph.h"
#include "taskrt/order/describe.h"
#include "taskrt/runtime.h"
#include "topo/mutex.h"

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

}  // namespace

bool Runtime::IsInside() const {
  const lwt::Worker* const worker = lwt::Worker::Current();
  return worker != nullptr && &worker->pool() == pool_.get();
}

// It can begin, once it has acquired the blocks that it changes in any order.
void Runtime::Start(Task& task) {
  if (!task.commutes() || commutative_.Acquire(task)) StartNow(task);
}

void Runtime::StartNow(Task& task) {
  if (!task.is_counted) return Spawn(task);
  {
    const topo::Lock lock(order_mutex_);
    dispatcher_.Add(task, task.was_late ? PlacesOf(task.kernel()) : PlaceSet());
  }
  StartReady();
}

// What has room begins.
void Runtime::StartReady() {
  std::vector<Task*> ready;
  {
    const topo::Lock lock(order_mutex_);
    ready = dispatcher_.TakeAll(planned_replicas_);
  }
  for (Task* const task : ready) Spawn(*task);
}

void Runtime::Spawn(Task& task) {
  if (IsInside()) {
    // A type of this function alone, as a lambda's is, so that the compiler makes one function of
    // it.
    struct Body : Running {
      void operator()() { runtime.Execute(*this); }
    };
    lwt::Spawn(Body{{*this, &task}}, {.name = kTaskThread}).Detach();
    return;
  }
  lwt::CheckContract(!is_simulated_, "tasks come from inside of a pool that is simulated");
  std::call_once(entrance_made_, [this] {
    entrance_ = std::make_unique<Entrance>(*pool_, [this](Task& next) { Spawn(next); });
  });
  entrance_->Add(task);
}

// The task, and of those that can begin then one, and so on: a chain of tasks is one thread.
void Runtime::Execute(Running& running) {
  std::uint64_t& inherited = lwt::Inherited();
  Task* next = running.task;
  while (next != nullptr) {
    Task& task = *std::exchange(next, nullptr);
    running.task = &task;
    inherited = mark_ + task.turn;
    Ran ran;
    if (error_.has_failed()) {
      LeaveOut(task);
    } else if (absl::Status done = RunTask(task, ran); !done.ok()) {
      Fail(task, done);
    }
    if (recorder_ != nullptr) recorder_->EndOf(task.turn);
    mover_.Retire(task);
    if (task.is_counted) {
      {
        const topo::Lock lock(order_mutex_);
        dispatcher_.Ended(task, ran.seconds);
      }
      StartReady();
    }
    const auto begin_now = [&](Task& ready) {
      if (ready.is_counted || next != nullptr) {
        StartNow(ready);
      } else {
        next = &ready;
      }
    };
    const auto begin = [&](Task& ready) {
      if (!ready.commutes() || commutative_.Acquire(ready)) begin_now(ready);
    };
    if (task.commutes()) commutative_.Release(task, begin_now);
    if (Graph* const graph = task.graph()) {
      if (task.EndForNow(begin)) graph->LastEnded();
      continue;
    }
    lwt::Event* const ended = task.ended;
    if (!task.computes()) not_run_.fetch_add(1, std::memory_order_relaxed);
    task.End(begin);
    if (ended != nullptr) ended->Set();
    unfinished_.Remove();
  }
}

// On a device that is lost it has changed nothing that others have.
absl::Status Runtime::RunTask(Task& task, Ran& ran) {
  if (task.is_at_home && recorder_ == nullptr && !task.was_late) {
    return RunOnHost(task, task.tiles());
  }
  if (task.kind == TaskKind::kPrefetch) {
    Bring(task);
    return absl::OkStatus();
  }
  absl::Status status = absl::UnavailableError("it was lost before");
  for (std::size_t losses = 0; losses <= devices_.size(); ++losses) {
    if (mover_.IsLost(task.place) && !PlaceElsewhere(task)) {
      status = absl::UnavailableError(
          absl::StrCat(status.message(), "; all devices that can run it are lost"));
      break;
    }
    status = RunOnce(task, ran);
    if (!IsLoss(status) || !mover_.HasLost()) break;
  }
  if (!task.computes()) {
    const topo::Lock lock(order_mutex_);
    planned_replicas_.CommitLate(task);
  }
  if (!ran.has_begun) {
    LeaveOut(task);
  } else if (task.place != kHost) {
    ran_on_devices_.fetch_add(1, std::memory_order_relaxed);  // Once, however often it was lost.
  }
  return status;
}

// What goes wrong is told to who needs the block, if it does again.
void Runtime::Bring(Task& task) {
  Prepared prepared;
  if (!mover_.Prepare(task, prepared).ok()) return;
  absl::Status status = mover_.Await(task.place, prepared);
  status.Update(mover_.Finish(task, status.ok()));
  if (!status.ok()) return;
  const topo::Lock lock(order_mutex_);
  planned_replicas_.CommitLate(task);
}

bool Runtime::PlaceElsewhere(Task& task) {
  const topo::Lock lock(order_mutex_);
  const PlaceSet set = PlacesOf(task.kernel());
  const std::span<const Place> places = set;
  // The last: a device rather than the host.
  const auto there = std::find_if(places.rbegin(), places.rend(),
                                  [this](Place place) { return !mover_.IsLost(place); });
  if (there == places.rend()) return false;
  planned_replicas_.CommitPlacement(task, *there);
  return true;
}

absl::Status Runtime::RunOnHost(const Task& task, std::span<const Tile> tiles) {
  std::optional<AccessChecker> checker;
  if (checks_accesses_) checker.emplace(task, tiles);
  const Kernel::Body& body = task.kernel().host();
  if (body == nullptr) return CannotRun(task.kernel());
  absl::Status status = StatusOfCall([&] { return body(tiles, task.scalars()); });
  if (!status.ok()) status = OfBody(std::move(status));
  if (checker && status.ok()) status = checker->Compare();
  if (task.kernel().flops() > 0) {
    lwt::Compute(std::min(task.kernel().flops() / host_flops_per_s_ * 1e9, kLongestNs));
  }
  return status;
}

absl::Status Runtime::RunOnce(Task& task, Ran& ran) {
  Prepared prepared;
  absl::Status status = mover_.Prepare(task, prepared);
  if (!status.ok()) return status;
  ran.has_begun = true;
  TraceEvent event;
  if (recorder_ != nullptr) {
    event = {.name = task.kernel().name(),
             .turn = task.turn,
             .from = task.place,
             .to = task.place,
             .asked = Recorder::Now()};
  }
  const lwt::Deadline begun = task.was_late ? lwt::Now() : lwt::Deadline();
  if (task.place == kHost) {
    status = RunOnHost(task, prepared.tiles());
    if (recorder_ != nullptr) recorder_->Add(std::move(event));
  } else {
    Device& device = *devices_[static_cast<std::size_t>(task.place - 1)];
    const absl::StatusOr<Ticket> launched = device.Launch(
        task.kernel(), prepared.tiles(), task.scalars(), prepared.arrived(), FarBytesOf(task));
    if (!launched.ok()) (void)mover_.Await(task.place, prepared);  // They are the user's then.
    status = launched.ok() ? device.Wait(*launched) : launched.status();
    status = mover_.HeardOfKernel(task, std::move(status));
    if (recorder_ != nullptr) {
      recorder_->Add(std::move(event), device, launched.value_or(kDone));
    }
  }
  if (task.was_late) ran.seconds = Measure(task.place, begun);
  const absl::Status finished = mover_.Finish(task, status.ok());
  if (status.ok() || (IsLoss(status) && !finished.ok())) status = finished;
  return status;
}

// A device computes one after the other: what was before it there is none of its time.
double Runtime::Measure(Place place, lwt::Deadline begun) {
  const lwt::Deadline end = lwt::Now();
  if (place != kHost) {
    const topo::Lock lock(order_mutex_);
    begun = std::max(begun, dispatcher_.ExchangeLastEnd(place, end));
  }
  return std::chrono::duration<double>(end - begun).count();
}

void Runtime::LeaveOut(const Task& task) {
  if (task.computes()) not_run_.fetch_add(1, std::memory_order_relaxed);
}

void Runtime::Fail(const Task& task, const absl::Status& status) {
  error_.Report(absl::Status(status.code(), absl::StrCat(Describe(task), ": ", status.message())));
}

}  // namespace taskrt
