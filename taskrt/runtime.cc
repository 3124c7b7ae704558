#include "taskrt/runtime.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/kept.h"
#include "taskrt/order/first_error.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/order/task_marks.h"
#include "taskrt/order/task_order.h"
#include "taskrt/run/outcomes.h"
#include "taskrt/run/task_executor.h"
#include "taskrt/run/task_runner.h"
#include "taskrt/task/places.h"
#include "taskrt/task/submission.h"
#include "taskrt/trace/recorder.h"
#include "taskrt/transfer/mover.h"
#include "taskrt/transfer/write_back.h"

namespace taskrt {
namespace {

// Of the runtime's own pool, where the program asks for none: drivers need it.
constexpr std::size_t kStackBytes = 1 << 20;

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

Runtime::Runtime(RuntimeOptions options, std::unique_ptr<lwt::Pool> own_pool)
    : devices_(std::move(options.devices)),
      scheduler_(std::move(options.scheduler)),
      recorder_(options.traces ? std::make_unique<Recorder>() : nullptr),
      places_(std::make_unique<const Places>(devices_)),
      marks_(std::make_unique<TaskMarks>()),
      counts_(std::make_shared<TaskCounts>()),
      error_(std::make_unique<FirstError>()),
      outcomes_(std::make_unique<Outcomes>()),
      kept_(std::make_shared<Kept>(counts_)),
      mover_(std::make_unique<Mover>(devices_, options.mover, recorder_.get())),
      order_(
          std::make_unique<TaskOrder>(TaskOrder::Parts{.places = *places_,
                                                       .scheduler = *scheduler_,
                                                       .mover = *mover_,
                                                       .counts = *counts_,
                                                       .marks = *marks_},
                                      TaskOrder::Options{.tasks_in_flight = options.tasks_in_flight,
                                                         .host_priorities = options.host_priorities,
                                                         .only_plans = options.only_plans,
                                                         .traces = options.traces})),
      own_pool_(std::move(own_pool)),
      pool_(own_pool_ != nullptr ? *own_pool_ : *options.shared_pool),
      runner_(std::make_unique<TaskRunner>(
          TaskRunner::Parts{.pool = pool_,
                            .order = *order_,
                            .mover = *mover_,
                            .counts = *counts_,
                            .error = *error_,
                            .outcomes = *outcomes_,
                            .marks = *marks_,
                            .recorder = recorder_.get(),
                            .is_simulated = pool_.is_simulated(),
                            .stops_at_errors = options.stops_at_errors},
          TaskExecutor({.places = *places_,
                        .order = *order_,
                        .mover = *mover_,
                        .counts = *counts_,
                        .recorder = recorder_.get()},
                       {.host_flops_per_s = options.host_flops_per_s,
                        .checks_accesses = options.checks_accesses}))),
      most_outstanding_(options.most_outstanding == 0 ? ~std::uint64_t{0}
                                                      : options.most_outstanding),
      only_plans_(options.only_plans) {
  std::vector<PlaceFacts> facts = {
      {.parallel = pool_.workers(), .flops_per_s = options.host_flops_per_s}};
  for (const auto& device : devices_) {
    facts.push_back({.flops_per_s = device->flops_per_s()});
    if (recorder_ != nullptr) device->RecordTimes();
  }
  order_->Dispatch([&](Dispatcher& dispatcher) { dispatcher.Begin(facts); });
}

// Not inlined: gcc takes the destroying operator delete for a mismatch of this operator new.
[[gnu::noinline]] std::unique_ptr<Runtime> Runtime::Allocate(RuntimeOptions options,
                                                             std::unique_ptr<lwt::Pool> own_pool) {
  return std::unique_ptr<Runtime>(new Runtime(std::move(options), std::move(own_pool)));
}

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (absl::Status good = CheckOptions(options); !good.ok()) return good;
  std::unique_ptr<lwt::Pool> own_pool;
  if (options.shared_pool == nullptr) {
    lwt::PoolOptions pool = options.pool;
    if (pool.stack_bytes == 0) pool.stack_bytes = kStackBytes;
    pool.woken_from_outside = true;  // Tasks come from there.
    auto made = lwt::Pool::Create(pool);
    if (!made.ok()) return made.status();
    own_pool = *std::move(made);
  }
  std::unique_ptr<Runtime> runtime = Allocate(std::move(options), std::move(own_pool));
  if (absl::Status opened = runtime->runner_->Open(); !opened.ok()) return opened;
  return runtime;
}

void Runtime::operator delete(Runtime* runtime, std::destroying_delete_t) {
  if (runtime->pool_.IsLeftAtExit()) return;
  runtime->~Runtime();
  ::operator delete(runtime);
}

Runtime::~Runtime() {
  // Tasks of a parent of this process end there.
  if (pool_.is_of_parent_process()) {
    runner_->Abandon();
    return;
  }
  if (own_pool_ != nullptr) {
    lwt::CheckContract(!runner_->IsInside(), "a runtime is destroyed outside of its pool");
  } else {
    lwt::CheckContract(!IsInTask(), "a runtime is not destroyed by its own tasks");
  }
  runner_->Close();
  pool_.Run([this] {
    counts_->WaitForAll();
    counts_->WaitForEnders();
    mover_->FreeAll();
  });
  own_pool_.reset();
}

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  return order_->Register(std::move(name), tile, owner);
}

absl::Status Runtime::End(Handle handle) {
  // Its tasks go on where the process ends: in the parent, or not at all.
  if (IsLeft()) return absl::OkStatus();
  if (order_->TryUnregister(handle)) return error_->stopping_status();
  if (!runner_->IsInside()) return pool_.Run([&] { return End(handle); });
  absl::Status status = WaitOn(handle, Mode::kInOut);
  if (IsRefusedWait(status)) {
    lwt::DieOfBrokenContract(
        absl::StrCat("a block is ended by none of its tasks: ", status.message()), __FILE__,
        __LINE__);
  }
  status.Update(Unregister(handle));
  return status;
}

void Runtime::Pin(std::span<std::byte> memory) {
  for (const auto& device : devices_) device->Pin(memory);
}

void Runtime::Unpin(std::span<std::byte> memory) {
  for (const auto& device : devices_) device->Unpin(memory);
}

absl::Status Runtime::Unregister(Handle handle) {
  if (order_->TryUnregister(handle)) return absl::OkStatus();
  if (!runner_->IsInside()) return pool_.Run([&] { return Unregister(handle); });
  absl::Status status;
  for (BlockRecord* const block : order_->BeginUnregister(handle)) {
    status.Update(DropPartials(BlockTable::HandleOf(*block)));
    status.Update(mover_->WriteBack(*block));
    status.Update(mover_->Discard(*block));
  }
  order_->EndUnregister(handle);
  return status;
}

absl::Status Runtime::Resize(Handle handle, const Tile& tile) {
  if (!runner_->IsInside()) return pool_.Run([&] { return Resize(handle, tile); });
  BlockRecord& block = BlockTable::Of(handle);
  CheckTile(tile, block.name);
  const absl::StatusOr<Resizing> resizing = order_->BeginResize(handle);
  if (!resizing.ok()) return resizing.status();
  if (*resizing == Resizing::kOffTheDevices) {
    absl::Status left = DropPartials(handle);
    left.Update(mover_->LeaveDevices(block));
    if (!left.ok()) return left;
  }
  return order_->EndResize(handle, tile, *resizing);
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
  order_->SetReduction(handle, initialize, combine, pool_.workers());
}

std::vector<Handle> Runtime::Divide(Handle whole, std::uint64_t rows, std::uint64_t row_bytes) {
  return order_->Divide(whole, rows, row_bytes);
}

Tile Runtime::TileOf(Handle handle) const { return order_->TileOf(handle); }

// Starts the tasks that can begin, which `add(ready)` adds.
template <typename Add>
void Runtime::StartAll(Add add) {
  TaskList ready;
  add(ready);
  runner_->StartAll(ready);
}

Completion Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                           std::span<const std::byte> scalars, const TaskOptions& options) {
  if (!options.after.empty()) [[unlikely]] {
    CheckAreOwn(options.after);
  }
  const Submission submission = {kernel, accesses, scalars, options};
  Submitter::Submitted submitted;
  StartAll([&](TaskList& ready) { submitted = order_->Submit(submission, ready); });
  if (counts_->outstanding() >= most_outstanding_) [[unlikely]] {
    WaitForRoom();
  }
  return {this, submitted.task, submitted.index};
}

[[gnu::cold, gnu::noinline]] void Runtime::CheckAreOwn(std::span<const Completion> all) const {
  for (const Completion& one : all) {
    lwt::CheckContract(one.runtime_ == nullptr || one.runtime_ == this,
                       "a task comes after tasks of its own runtime");
  }
}

[[gnu::cold, gnu::noinline]] void Runtime::WaitForRoom() {
  if (!runner_->IsInside()) return pool_.Run([this] { WaitForRoom(); });
  if (!order_->IsInTask()) counts_->WaitForAll();
}

absl::Status Runtime::SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                                    std::span<const std::byte> scalars, Awaited& awaited) {
  absl::Status status;
  StartAll([&](TaskList& ready) {
    status = order_->SubmitAwaited({kernel, accesses, scalars}, awaited, ready);
  });
  return status;
}

void Runtime::WaitFor(Awaited& awaited) { runner_->WaitFor(awaited, "the end of a task"); }

void Runtime::WaitBy(const std::function<void()>& wait) { runner_->WaitBy(wait); }

void Runtime::Prefetch(Handle handle, Place place) {
  if (place < 0 || place > static_cast<Place>(devices_.size())) [[unlikely]] {
    lwt::DieOfBrokenContract(
        absl::StrCat("Prefetch brings block ", order_->NameOf(handle), " to a place from 0 to ",
                     devices_.size(), ", not to place ", place),
        __FILE__, __LINE__);
  }
  StartAll([&](TaskList& ready) { order_->SubmitPrefetch(handle, place, ready); });
}

absl::Status Runtime::Wait() {
  const auto combine_all = [this](TaskList& ready) { order_->CombineAll(ready); };
  if (only_plans_) {
    StartAll(combine_all);
    order_->PlanWait();
    return absl::OkStatus();
  }
  if (!runner_->IsInside()) return pool_.Run([this] { return Wait(); });
  if (absl::Status may = order_->CheckMayWaitForAll(); !may.ok()) return may;
  // Nobody else has these; the tasks that may use them have ended when this returns.
  const auto unused = kept_->TakeAll();
  absl::Status status;
  for (WaitRound round = WaitRound::kFirst;; round = WaitRound::kLater) {
    StartAll(combine_all);
    counts_->WaitForAll();
    if (order_->TryTake(*error_, round, status)) break;
  }
  status.Update(WriteBackAll(*mover_, order_->PlanWriteBack(), devices_.size()));
  return status;
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!runner_->IsInside()) return pool_.Run([&] { return WaitOn(handle, mode); });
  Awaited awaited;
  absl::StatusOr<SubmitIndex> submitted;
  StartAll([&](TaskList& ready) {
    submitted = order_->SubmitWaitOn({handle, mode}, awaited, ready);
  });
  if (!submitted.ok()) return submitted.status();
  runner_->WaitFor(awaited, "the tasks of a block");
  absl::Status status = error_->stopping_status();
  status.Update(outcomes_->Of(*submitted));  // The value may not have come home.
  status.Update(order_->TakeMissing(handle, mode));
  return status;
}

void Runtime::Cancel() { error_->ReportStop(absl::CancelledError("Runtime::Cancel was called")); }

std::stop_token Runtime::stop_token() const { return error_->stop_token(); }

absl::StatusOr<Completion> Runtime::SubmitRun(GraphTasks& tasks, const Kernel& whole,
                                              Awaited* awaited) {
  absl::StatusOr<Submitter::Submitted> run;
  StartAll([&](TaskList& ready) { run = order_->SubmitRun(tasks, whole, awaited, ready); });
  if (!run.ok()) return run.status();
  return Completion(this, run->task, run->index);
}

absl::Status Runtime::Run(GraphTasks& tasks, const Kernel& whole) {
  if (!runner_->IsInside()) return pool_.Run([&] { return Run(tasks, whole); });
  Awaited awaited;
  const auto run = SubmitRun(tasks, whole, &awaited);
  if (!run.ok()) return run.status();
  runner_->WaitFor(awaited, "the tasks of a graph");
  absl::Status status = error_->stopping_status();
  status.Update(outcomes_->Of(run->index_));
  return status;
}

void Runtime::RunParts(GraphTasks& tasks) {
  tasks.RunAll([this](Task& task) { runner_->Start(task); });
}

void Runtime::AddTo(GraphTasks& tasks, const Submission& submission) {
  order_->AddToGraph(tasks, submission);
}

bool Runtime::IsInTask() { return order_->IsInTask(); }

std::vector<Place> Runtime::places() const { return order_->places(); }

RuntimeCounts Runtime::counts() const {
  return {counts_->run(), counts_->run_on_devices(), mover_->counts(), order_->least()};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_.workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const { return order_->Plan(mover_->plan_options()); }

}  // namespace taskrt
