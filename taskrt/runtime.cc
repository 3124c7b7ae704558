#include "taskrt/runtime.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/dispatch/user_code.h"
#include "taskrt/order/describe.h"

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
      tasks_in_flight_(options.tasks_in_flight),
      is_simulated_(options.pool.simulation.has_value()),
      checks_accesses_(options.checks_accesses),
      only_plans_(options.only_plans),
      recorder_(options.traces ? std::make_unique<Recorder>() : nullptr),
      look_(Kernel("wait_on").OnHost([](auto, auto) { return absl::OkStatus(); })),
      prefetch_(Kernel("prefetch").OnHost([](auto, auto) { return absl::OkStatus(); })),
      mover_(devices_, options.mover, recorder_.get()) {
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
  runtime->scheduler_->Begin(facts);
  runtime->in_flight_.resize(facts.size());
  runtime->last_end_.resize(facts.size());
  runtime->waiting_.resize(facts.size());
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

// Under order_mutex_. `begin(task)` is called before others know of it.
template <typename Begin>
[[gnu::always_inline]] inline void Runtime::AddTask(const Kernel& kernel,
                                                    std::span<const Access> accesses,
                                                    std::span<const std::byte> scalars,
                                                    int priority, TaskList& ready, Begin begin) {
  if (!open_reductions_.empty()) {
    for (const Access& access : accesses) {
      Block& block = BlockOf(access.handle);
      if (access.mode != Mode::kReduction) Combine(block, priority, ready);
    }
  }
  Task& task = NewTask(kernel, scalars);
  AddAccesses(task, accesses);
  if (!IsOwn(task)) task.number = ++numbers_;
  task.priority = priority;
  begin(task);
  const Place place = IsOwn(task) ? kHost : PlaceFor(task);
  if (task.commutes()) UsePartials(task, place, ready);
  Enter(task, place, ready);
}

void Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                     std::span<const std::byte> scalars, int priority, lwt::Event* ended) {
  CheckSizes(accesses, scalars);
  TaskList ready;
  {
    const std::lock_guard lock(order_mutex_);
    AddTask(kernel, accesses, scalars, priority, ready, [&](Task& task) { task.ended = ended; });
  }
  ready.ForEach([this](Task& task) { Start(task); });
}

absl::Status Runtime::SubmitAwaited(const Kernel& kernel, std::span<const Access> accesses,
                                    std::span<const std::byte> scalars, Awaited& awaited) {
  CheckSizes(accesses, scalars);
  TaskList ready;
  {
    const std::lock_guard lock(order_mutex_);
    const Task* const waiter = RunningTask();
    for (const Access& access : accesses) {
      if (waiter == nullptr) break;
      absl::Status may = CheckMayWaitFor(*waiter, BlockOf(access.handle), access.mode);
      if (!may.ok()) return may;
    }
    AddTask(kernel, accesses, scalars, 0, ready, [&](Task& task) { Await(task, waiter, awaited); });
  }
  ready.ForEach([this](Task& task) { Start(task); });
  return absl::OkStatus();
}

void Runtime::Prefetch(Handle handle, Place place) {
  lwt::CheckContract(place >= 0 && place <= static_cast<Place>(devices_.size()),
                     "a block is brought to a place that there is");
  TaskList ready;
  {
    const std::lock_guard lock(order_mutex_);
    Block& block = BlockOf(handle);
    if (!mover_.CanHold(place, block.host.bytes())) return;
    Combine(block, 0, ready);
    Task& task = NewTask(prefetch_);
    const Access access = {handle, Mode::kIn};
    AddAccesses(task, std::span(&access, 1));
    Enter(task, place, ready);
  }
  ready.ForEach([this](Task& task) { Start(task); });
}

// Under order_mutex_.
Task& Runtime::NewTask(const Kernel& kernel, std::span<const std::byte> scalars) {
  Task& task = tasks_.New();
  task.Begin(kernel, scalars, ++turns_);
  task.number = 0;
  task.priority = 0;
  task.ended = nullptr;
  task.is_counted = task.was_late = task.is_at_home = false;
  return task;
}

// Under order_mutex_. From here on the task is among those of its blocks; `ready` gets it if it can
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

// Under order_mutex_.
void Runtime::AddAccesses(Task& task, std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    Block& block = BlockOf(access.handle);
    for (const TaskAccess& other : task.accesses()) {
      lwt::CheckContract(other.block != &block, "a task accesses a block once");
    }
    task.Add({&block, access.mode}, block.host);
  }
}

// Under order_mutex_.
void Runtime::SetPlace(Task& task, Place place) {
  task.place = place;
  mover_.Announce(task);
  task.was_late = place == kWhenReady;
  // Who waits for a block, or for what is brought, takes nobody's turn to compute.
  task.is_counted = place != kHost && !IsOwn(task);
  if (!task.was_late) return Decide(task, place);
  places_are_late_ = true;
  if (devices_.empty()) return;
  for (const TaskAccess& access : task.accesses()) access.block->has_been_on_device = true;
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

// Under order_mutex_.
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

// Under order_mutex_. What the tasks of a block do comes here in their order; readers, which have
// none among them, in any, and commutative ones as they were submitted or can begin.
void Runtime::Decide(Task& task, Place place) {
  task.place = place;
  if (task.number == placed_.size() + 1) {
    placed_.push_back(place);
  } else if (task.number > 0) {
    if (placed_.size() < task.number) placed_.resize(task.number, kWhenReady);
    placed_[task.number - 1] = place;
  }
  // A commutative one may come after others that were submitted later.
  const bool keeps_order = !task.commutes() || devices_.empty();
  task.is_at_home =
      place == kHost && keeps_order &&
      std::none_of(task.accesses().begin(), task.accesses().end(),
                   [](const TaskAccess& access) { return access.block->has_been_on_device; });
  if (task.is_at_home) return;
  if (place != kHost) {
    for (const TaskAccess& access : task.accesses()) access.block->has_been_on_device = true;
  }
  // Those before it may have no place yet.
  if (!IsOwn(task) || !places_are_late_) SeeAll(task);
}

// Under order_mutex_.
void Runtime::SeeAll(const Task& task) {
  for (const TaskAccess& access : task.accesses()) {
    if (Reads(access.mode)) See(*access.block, task.place);
    if (Writes(access.mode)) access.block->seen.Written(task.place);
    if (IsLastUse(access)) access.block->seen = Replicas();
  }
}

// Under order_mutex_. The task is gone then.
void Runtime::PlanTask(Task& task, Place place) {
  PlannedTask planned = {.name = task.kernel().name(), .accesses = {}, .place = place};
  for (const TaskAccess& access : task.accesses()) {
    planned.accesses.push_back({access.block->id, access.mode});
  }
  planned_.push_back(std::move(planned));
  if (PlacesOf(task.kernel()).is_empty()) {
    const absl::Status why = CannotRun(task.kernel());
    unplannable_.Update(
        absl::Status(why.code(), absl::StrCat(Describe(task), ": ", why.message())));
  }
  not_run_.fetch_add(1, std::memory_order_relaxed);
  if (task.ended != nullptr) task.ended->Set();
  tasks_.Free(task);
}

// The host reads all blocks.
void Runtime::PlanHomecoming() {
  PlannedTask wait = {.name = "wait", .accesses = {}, .place = kHost};
  const std::lock_guard lock(order_mutex_);
  for (const auto& block : blocks_) {
    if (!block->is_partial) wait.accesses.push_back({block->id, Mode::kIn});
  }
  planned_.push_back(std::move(wait));
}

// Under order_mutex_.
void Runtime::See(Block& block, Place place) {
  if (block.seen.IsAt(place)) return;
  block.seen.Arrived(place);
  ++least_.copies;
  least_.bytes += block.host.bytes();
}

std::vector<Place> Runtime::places() const {
  const std::lock_guard lock(order_mutex_);
  return placed_;
}

RuntimeCounts Runtime::counts() const {
  const std::lock_guard lock(order_mutex_);
  // A task that is left out is among both for a moment.
  const std::uint64_t others = unfinished_.count() + not_run_.load();
  return {turns_ - std::min(turns_, others), ran_on_devices_.load(), mover_.counts(), least_};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_->workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const {
  const std::lock_guard lock(order_mutex_);
  if (!unplannable_.ok()) return unplannable_;
  for (const PlannedTask& task : planned_) {
    if (task.place != kWhenReady) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("task ", task.name,
                     ": its place is chosen when it can begin, so that there "
                     "is no plan"));
  }
  std::vector<PlannedBlock> blocks;
  for (const auto& block : blocks_) blocks.push_back({block->host.bytes(), block->is_partial});
  const auto copies = PlanCopies(blocks, planned_, mover_.plan_options());
  if (!copies.ok()) return copies.status();
  return CopyPlan{*copies, LeastCopies(blocks, planned_)};
}

}  // namespace taskrt
