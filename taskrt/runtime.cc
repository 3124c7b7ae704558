#include "taskrt/runtime.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/dispatch/user_code.h"
#include "taskrt/order/describe.h"
#include "topo/mutex.h"

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
  if (options.tasks_in_flight < 1) {
    return wrong("tasks_in_flight is ", options.tasks_in_flight, ", not at least 1");
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

[[noreturn, gnu::cold, gnu::noinline]] void DieOfPlace(const Task& task, Place place) {
  lwt::DieOfBrokenContract(
      absl::StrCat("a scheduler chooses a place that can run the task, not place ", place, " for ",
                   Describe(task)),
      __FILE__, __LINE__);
}

}  // namespace

Runtime::Runtime(RuntimeOptions options)
    : devices_(std::move(options.devices)),
      scheduler_(std::move(options.scheduler)),
      host_flops_per_s_(options.host_flops_per_s),
      is_simulated_(options.pool.simulation.has_value()),
      checks_accesses_(options.checks_accesses),
      only_plans_(options.only_plans),
      recorder_(options.traces ? std::make_unique<Recorder>() : nullptr),
      look_(Kernel("wait_on").OnHost([](auto, auto) { return absl::OkStatus(); })),
      prefetch_(Kernel("prefetch").OnHost([](auto, auto) { return absl::OkStatus(); })),
      mover_(devices_, options.mover, recorder_.get()),
      blocks_(devices_.size(), only_plans_ ? EndedBlocks::kAreKept : EndedBlocks::kAreUsedAgain),
      planned_replicas_(devices_.empty() ? Devices::kNone : Devices::kSome),
      dispatcher_(*scheduler_, options.tasks_in_flight) {
  for (const auto& device : devices_) {
    if (recorder_ != nullptr) device->RecordTimes();
  }
}

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (absl::Status good = CheckOptions(options); !good.ok()) return good;
  auto pool = lwt::Pool::Create(options.pool);
  if (!pool.ok()) return pool.status();
  std::unique_ptr<Runtime> runtime(new Runtime(std::move(options)));
  runtime->pool_ = *std::move(pool);
  std::vector<PlaceFacts> facts = {
      {.parallel = runtime->pool_->workers(), .flops_per_s = runtime->host_flops_per_s_}};
  for (const auto& device : runtime->devices_) {
    facts.push_back({.flops_per_s = device->flops_per_s()});
  }
  const topo::Lock lock(runtime->order_mutex_);
  runtime->dispatcher_.Begin(facts);
  return runtime;
}

Runtime::~Runtime() {
  lwt::CheckContract(!IsInside(), "a runtime is destroyed outside of its pool");
  entrance_.reset();
  pool_->Run([this] {
    unfinished_.WaitForNone();
    mover_.FreeAll();
  });
  pool_.reset();
}

// The caller says more of the task before PlaceAndEnter.
[[gnu::always_inline]] inline Task& Runtime::NewTaskOf(const Kernel& kernel,
                                                       std::span<const Access> accesses,
                                                       std::span<const std::byte> scalars,
                                                       int priority, TaskList& ready) {
  if (!open_reductions_.empty()) {
    for (const Access& access : accesses) {
      Block& block = BlockOf(access.handle);
      if (access.mode != Mode::kReduction) Combine(block, priority, ready);
    }
  }
  Task& task = NewTask(TaskKind::kComputes, kernel, scalars);
  AddAccesses(task, accesses);
  task.number = ++numbers_;
  task.priority = priority;
  return task;
}

[[gnu::always_inline]] inline void Runtime::PlaceAndEnter(Task& task, TaskList& ready) {
  const Place place = PlaceFor(task);
  if (task.commutes()) UsePartials(task, place, ready);
  Enter(task, place, ready);
}

void Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                     std::span<const std::byte> scalars, int priority, lwt::Event* ended) {
  CheckSizes(accesses, scalars);
  TaskList ready;
  {
    const topo::Lock lock(order_mutex_);
    Task& task = NewTaskOf(kernel, accesses, scalars, priority, ready);
    task.ended = ended;
    PlaceAndEnter(task, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
}

absl::Status Runtime::SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                                    std::span<const std::byte> scalars, Awaited& awaited) {
  CheckSizes(accesses, scalars);
  TaskList ready;
  {
    const topo::Lock lock(order_mutex_);
    const Task* const waiter = RunningTask();
    for (const Access& access : accesses) {
      if (waiter == nullptr) break;
      absl::Status may = waits_.CheckMayWaitFor(*waiter, BlockOf(access.handle), access.mode);
      if (!may.ok()) return may;
    }
    Task& task = NewTaskOf(kernel, accesses, scalars, 0, ready);
    Await(task, waiter, awaited);
    PlaceAndEnter(task, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
  return absl::OkStatus();
}

void Runtime::Prefetch(Handle handle, Place place) {
  lwt::CheckContract(place >= 0 && place <= static_cast<Place>(devices_.size()),
                     "a block is brought to a place that there is");
  TaskList ready;
  {
    const topo::Lock lock(order_mutex_);
    Block& block = BlockOf(handle);
    if (!mover_.CanHold(place, block.host.bytes())) return;
    Combine(block, 0, ready);
    Task& task = NewTask(TaskKind::kPrefetch, prefetch_);
    const Access access = {handle, Mode::kIn};
    AddAccesses(task, std::span(&access, 1));
    Enter(task, place, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
}

Task& Runtime::NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars) {
  Task& task = tasks_.New();
  task.kind = kind;
  task.Begin(kernel, scalars, ++turns_);
  task.number = 0;
  task.priority = 0;
  task.ended = nullptr;
  task.is_counted = task.was_late = task.is_at_home = false;
  return task;
}

// From here on the task is among those of its blocks; `ready` gets it if it can
// begin.
void Runtime::Enter(Task& task, Place place, TaskList& ready) {
  if (only_plans_) return PlanTask(task, place);
  unfinished_.Add();
  const TaskRef ref(task);
  for (const TaskAccess& access : task.accesses()) {
    access.block->order.Add(
        ref, access.mode, [&](const TaskRef& other) { task.ComeAfter(*other); },
        [](const TaskRef& other) { return other->has_ended(); });
  }
  SetPlace(task, place);
  if (task.Submitted()) ready.Add(task);
}

void Runtime::CheckSizes(std::span<const Access> accesses, std::span<const std::byte> scalars) {
  lwt::CheckContract(accesses.size() <= Task::kMostAccesses, "a task has at most eight accesses");
  lwt::CheckContract(scalars.size() <= Task::kMostScalarBytes, "scalars have at most 64 bytes");
}

void Runtime::AddAccesses(Task& task, std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    Block& block = BlockOf(access.handle);
    for (const TaskAccess& other : task.accesses()) {
      lwt::CheckContract(other.block != &block, "a task accesses a block once");
    }
    task.Add({&block, access.mode}, block.host);
  }
}

void Runtime::SetPlace(Task& task, Place place) {
  task.place = place;
  mover_.Announce(task);
  task.was_late = place == kWhenReady;
  // A wait or a prefetch computes nothing, and takes no slot of a device.
  task.is_counted = place != kHost && task.computes();
  if (task.was_late) {
    planned_replicas_.DeferPlacement(task);
  } else {
    planned_replicas_.CommitPlacement(task, place);
  }
}

// Empty: its tasks fail, on the host.
PlaceSet Runtime::PlacesOf(const Kernel& kernel) const {
  PlaceSet places;
  if (kernel.host() != nullptr) places.Add(kHost);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->CanRun(kernel)) places.Add(static_cast<Place>(i + 1));
  }
  return places;
}

Place Runtime::PlaceFor(const Task& task) {
  const PlaceSet places = PlacesOf(task.kernel());
  if (places.is_empty()) return kHost;
  const Place place = AskScheduler("PlaceFor", [&] { return scheduler_->PlaceFor(task, places); });
  if (place != kWhenReady && !places.Has(place)) [[unlikely]]
    DieOfPlace(task, place);
  return place;
}

absl::Status Runtime::CannotRun(const Kernel& kernel) const {
  std::string devices;
  for (const auto& device : devices_) absl::StrAppend(&devices, " and ", device->name());
  return absl::FailedPreconditionError(absl::StrCat("no place can run its kernel, which is for ",
                                                    BodiesOf(kernel), "; there are the host",
                                                    devices));
}

// The task is gone then.
void Runtime::PlanTask(Task& task, Place place) {
  plan_.Add(task, place);
  if (PlacesOf(task.kernel()).is_empty()) plan_.Refuse(task, CannotRun(task.kernel()));
  not_run_.fetch_add(1, std::memory_order_relaxed);
  if (task.ended != nullptr) task.ended->Set();
  tasks_.Free(task);
}

std::vector<Place> Runtime::places() const {
  const topo::Lock lock(order_mutex_);
  return planned_replicas_.placed();
}

RuntimeCounts Runtime::counts() const {
  const topo::Lock lock(order_mutex_);
  // A task that is left out is among both for a moment.
  const std::uint64_t others = unfinished_.count() + not_run_.load();
  return {turns_ - std::min(turns_, others), ran_on_devices_.load(), mover_.counts(),
          planned_replicas_.least()};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_->workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const {
  const topo::Lock lock(order_mutex_);
  return plan_.Plan(blocks_.blocks(), mover_.plan_options());
}

}  // namespace taskrt
