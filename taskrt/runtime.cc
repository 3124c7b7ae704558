#include "taskrt/runtime.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/dispatch/first_error.h"
#include "taskrt/dispatch/places.h"
#include "taskrt/dispatch/task_executor.h"
#include "taskrt/dispatch/task_marks.h"
#include "taskrt/dispatch/task_runner.h"
#include "taskrt/order/submission.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/order/task_order.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/mover.h"
#include "taskrt/transfer/write_back.h"

namespace taskrt {
namespace {

absl::Status CheckOptions(const RuntimeOptions& options) {
  const auto wrong = [](const auto&... words) {
    return absl::InvalidArgumentError(absl::StrCat("RuntimeOptions::", words...));
  };
  if (options.devices.size() >= static_cast<std::size_t>(kMostPlaces)) {
    return wrong("devices has ", options.devices.size(), ", of at most ", kMostPlaces - 1);
  }
  for (std::size_t i = 0; i < options.devices.size(); ++i) {
    if (options.devices[i] == nullptr) return wrong("devices[", i, "] is null");
  }
  if (options.scheduler == nullptr) return wrong("scheduler is null");
  if (options.tasks_in_flight < 0) {
    return wrong("tasks_in_flight is ", options.tasks_in_flight, ", not at least 0");
  }
  if (!(options.host_flops_per_s > 0)) {
    return wrong("host_flops_per_s is ", options.host_flops_per_s, ", not more than 0");
  }
  const auto is_one_of = [](auto value, auto... all) { return ((value == all) || ...); };
  const MoverOptions& mover = options.mover;
  if (!is_one_of(mover.source, SourceRule::kHostFirst, SourceRule::kNearest)) {
    return wrong("mover.source is ", static_cast<int>(mover.source), ", which is no SourceRule");
  }
  if (!is_one_of(mover.across, Across::kCopy, Across::kStaged, Across::kAccess)) {
    return wrong("mover.across is ", static_cast<int>(mover.across), ", which is no Across");
  }
  if (!is_one_of(mover.eviction, Eviction::kFarthestUse, Eviction::kLeastRecently)) {
    return wrong("mover.eviction is ", static_cast<int>(mover.eviction), ", which is no Eviction");
  }
  return absl::OkStatus();
}

}  // namespace

Runtime::Runtime(RuntimeOptions options, std::unique_ptr<lwt::Pool> pool)
    : devices_(std::move(options.devices)),
      scheduler_(std::move(options.scheduler)),
      recorder_(options.traces ? std::make_unique<Recorder>() : nullptr),
      places_(std::make_unique<const Places>(devices_)),
      marks_(std::make_unique<TaskMarks>()),
      counts_(std::make_unique<TaskCounts>()),
      error_(std::make_unique<FirstError>()),
      mover_(std::make_unique<Mover>(devices_, options.mover, recorder_.get())),
      order_(
          std::make_unique<TaskOrder>(TaskOrder::Parts{.places = *places_,
                                                       .scheduler = *scheduler_,
                                                       .mover = *mover_,
                                                       .counts = *counts_,
                                                       .marks = *marks_},
                                      TaskOrder::Options{.tasks_in_flight = options.tasks_in_flight,
                                                         .only_plans = options.only_plans,
                                                         .traces = options.traces})),
      pool_(std::move(pool)),
      runner_(std::make_unique<TaskRunner>(
          TaskRunner::Parts{.pool = *pool_,
                            .order = *order_,
                            .mover = *mover_,
                            .counts = *counts_,
                            .error = *error_,
                            .marks = *marks_,
                            .recorder = recorder_.get(),
                            .is_simulated = options.pool.simulation.has_value()},
          TaskExecutor({.places = *places_,
                        .order = *order_,
                        .mover = *mover_,
                        .counts = *counts_,
                        .recorder = recorder_.get()},
                       {.host_flops_per_s = options.host_flops_per_s,
                        .checks_accesses = options.checks_accesses}))),
      only_plans_(options.only_plans) {
  std::vector<PlaceFacts> facts = {
      {.parallel = pool_->workers(), .flops_per_s = options.host_flops_per_s}};
  for (const auto& device : devices_) {
    facts.push_back({.flops_per_s = device->flops_per_s()});
    if (recorder_ != nullptr) device->RecordTimes();
  }
  order_->Dispatch([&](Dispatcher& dispatcher) { dispatcher.Begin(facts); });
}

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (absl::Status good = CheckOptions(options); !good.ok()) return good;
  auto pool = lwt::Pool::Create(options.pool);
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<Runtime>(new Runtime(std::move(options), *std::move(pool)));
}

void Runtime::operator delete(Runtime* runtime, std::destroying_delete_t) {
  if (runtime->pool_->IsLeftAtExit()) return;
  runtime->~Runtime();
  ::operator delete(runtime, sizeof(Runtime));
}

Runtime::~Runtime() {
  lwt::CheckContract(!runner_->IsInside(), "a runtime is destroyed outside of its pool");
  runner_->Close();
  // Tasks of a parent of this process end there.
  if (!pool_->is_of_parent_process()) {
    pool_->Run([this] {
      counts_->WaitForAll();
      mover_->FreeAll();
    });
  }
  pool_.reset();
}

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  return order_->Register(std::move(name), tile, owner);
}

absl::Status Runtime::Unregister(Handle handle) {
  if (!runner_->IsInside()) return pool_->Run([&] { return Unregister(handle); });
  order_->BeginUnregister(handle);
  absl::Status status = DropPartials(handle);
  status.Update(mover_->WriteBack(BlockTable::Of(handle)));
  status.Update(mover_->Discard(BlockTable::Of(handle)));
  order_->EndUnregister(handle);
  return status;
}

absl::Status Runtime::Resize(Handle handle, const Tile& tile) {
  if (!runner_->IsInside()) return pool_->Run([&] { return Resize(handle, tile); });
  Block& block = BlockTable::Of(handle);
  CheckTile(tile, block.name);
  const absl::StatusOr<bool> leaves = order_->BeginResize(handle);
  if (!leaves.ok()) return leaves.status();
  if (*leaves) {
    absl::Status left = DropPartials(handle);
    left.Update(mover_->LeaveDevices(block));
    if (!left.ok()) return left;
  }
  return order_->EndResize(handle, tile, *leaves);
}

absl::Status Runtime::DropPartials(Handle handle) {
  absl::Status status;
  for (Reduction::Partial& partial : order_->TakePartials(handle)) {
    status.Update(mover_->Discard(*partial.block));
    order_->End(partial);
  }
  return status;
}

void Runtime::SetReduction(Handle handle, const Kernel& initialize, const Kernel& combine) {
  order_->SetReduction(handle, initialize, combine, pool_->workers());
}

// Starts the tasks that can begin, which `add(ready)` adds.
template <typename Add>
void Runtime::StartAll(Add add) {
  TaskList ready;
  add(ready);
  runner_->StartAll(ready);
}

void Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                     std::span<const std::byte> scalars, int priority, lwt::Event* ended) {
  CheckSizes(accesses, scalars);
  const Submission submission = {kernel, accesses, scalars, priority, ended};
  StartAll([&](TaskList& ready) { order_->Submit(submission, ready); });
}

absl::Status Runtime::SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                                    std::span<const std::byte> scalars, Awaited& awaited) {
  CheckSizes(accesses, scalars);
  absl::Status status;
  StartAll([&](TaskList& ready) {
    status = order_->SubmitAwaited({kernel, accesses, scalars}, awaited, ready);
  });
  return status;
}

void Runtime::WaitFor(Awaited& awaited) { runner_->WaitFor(awaited, "the end of a task"); }

void Runtime::Prefetch(Handle handle, Place place) {
  lwt::CheckContract(place >= 0 && place <= static_cast<Place>(devices_.size()),
                     "a block is brought to a place that there is");
  StartAll([&](TaskList& ready) { order_->SubmitPrefetch(handle, place, ready); });
}

absl::Status Runtime::Wait() {
  const auto combine_all = [this](TaskList& ready) { order_->CombineAll(ready); };
  if (only_plans_) {
    StartAll(combine_all);
    order_->PlanWait();
    return absl::OkStatus();
  }
  if (!runner_->IsInside()) return pool_->Run([this] { return Wait(); });
  if (absl::Status may = order_->CheckMayWaitForAll(); !may.ok()) return may;
  absl::Status status;
  int rounds = 0;
  do {
    StartAll(combine_all);
    counts_->WaitForAll();
  } while (!order_->TryTake(*error_, ++rounds > 1, status));
  status.Update(WriteBackAll(*mover_, order_->PlanWriteBack(), devices_.size()));
  return status;
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!runner_->IsInside()) return pool_->Run([&] { return WaitOn(handle, mode); });
  Awaited awaited;
  absl::Status submitted;
  StartAll([&](TaskList& ready) {
    submitted = order_->SubmitWaitOn({handle, mode}, awaited, ready);
  });
  if (!submitted.ok()) return submitted;
  runner_->WaitFor(awaited, "the tasks of a block");
  return error_->status();
}

absl::Status Runtime::Run(GraphTasks& tasks, const Kernel& whole) {
  if (!runner_->IsInside()) return pool_->Run([&] { return Run(tasks, whole); });
  Awaited awaited;
  absl::Status submitted;
  StartAll([&](TaskList& ready) { submitted = order_->SubmitRun(tasks, whole, awaited, ready); });
  if (!submitted.ok()) return submitted;
  runner_->WaitFor(awaited, "the tasks of a graph");
  order_->EndRun(tasks);
  return error_->status();
}

void Runtime::RunParts(GraphTasks& tasks) {
  tasks.RunAll([this](Task& task) { runner_->Start(task); });
}

void Runtime::AddTo(GraphTasks& tasks, const Submission& submission) {
  CheckSizes(submission.accesses, submission.scalars);
  order_->AddToGraph(tasks, submission);
}

bool Runtime::IsInTask() { return order_->IsInTask(); }

std::vector<Place> Runtime::places() const { return order_->places(); }

RuntimeCounts Runtime::counts() const {
  return {counts_->run(), counts_->run_on_devices(), mover_->counts(), order_->least()};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_->workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const { return order_->Plan(mover_->plan_options()); }

}  // namespace taskrt
