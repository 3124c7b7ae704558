#include "taskrt/runtime.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/fatal.h"
#include "lwt/simulation.h"
#include "lwt/spawn.h"
#include "taskrt/access_checker.h"
#include "taskrt/graph.h"

namespace taskrt {
namespace {

std::string Describe(const Task& task) {
  std::string text = absl::StrCat("task ", task.kernel().name(), "(");
  constexpr const char* kModes[] = {"in", "out", "inout", "commutative", "reduction"};
  const char* comma = "";
  for (const TaskAccess& access : task.accesses()) {
    absl::StrAppend(&text, comma, kModes[static_cast<int>(access.mode)], " ", access.block->name);
    comma = ", ";
  }
  return text + ")";
}

std::uint64_t FarBytesOf(const Task& task) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < task.accesses().size(); ++i) {
    if (!task.IsHere(i)) bytes += task.accesses()[i].block->host.bytes();
  }
  return bytes;
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
      mover_(devices_, options.mover, recorder_.get()) {}

absl::StatusOr<std::unique_ptr<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (options.devices.size() >= static_cast<std::size_t>(kMostPlaces)) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.devices.size(), " devices, of at most ", kMostPlaces - 1));
  }
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
  entrance_.reset();
  pool_->Run([this] {
    unfinished_.WaitForNone();
    mover_.FreeAll();
  });
  pool_.reset();
}

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  const std::lock_guard lock(order_mutex_);
  CheckIsFree(tile, name);
  Block* block = nullptr;
  if (unregistered_.empty()) {
    block = blocks_.emplace_back(std::make_unique<Block>()).get();
    block->id = static_cast<BlockId>(blocks_.size() - 1);
    block->at.resize(devices_.size());
  } else {
    block = unregistered_.back();
    unregistered_.pop_back();
    block->is_registered = true;
  }
  block->name = std::move(name);
  block->host = tile;
  block->owner = owner;
  tiles_.Add(tile, block);
  return Handle(*block);
}

// Under order_mutex_.
void Runtime::CheckIsFree(const Tile& tile, const std::string& name) const {
  const std::optional<Block*> other = tiles_.OneThatOverlaps(tile);
  if (!other) return;
  lwt::DieOfBrokenContract(
      absl::StrCat("blocks share no memory, but ", name, " and ", (*other)->name, " do"), __FILE__,
      __LINE__);
}

void Runtime::DieOfEndedBlock(Handle handle) {
  const Block& block = *handle.block_;
  const bool is_last = !block.is_registered && handle.generation_ + 1 == block.generation;
  lwt::DieOfBrokenContract(is_last
                               ? absl::StrCat("block ", block.name, " is not used after Unregister")
                               : absl::StrCat("a block is not used after Unregister; ", block.name,
                                              " has been registered since in its place"),
                           __FILE__, __LINE__);
}

// Under order_mutex_.
bool Runtime::IsIdle(const Block& block) {
  return block.order.HaveAllEnded([](const TaskRef& task) { return task->has_ended(); });
}

absl::Status Runtime::Unregister(Handle handle) {
  if (!IsInside()) return pool_->Run([&] { return Unregister(handle); });
  Block& block = BlockOf(handle);
  {
    const std::lock_guard lock(order_mutex_);
    if (!IsIdle(block)) {
      lwt::DieOfBrokenContract(
          absl::StrCat("no task uses block ", block.name, " when it is unregistered"), __FILE__,
          __LINE__);
    }
    See(block, kHost);
  }
  absl::Status status = mover_.Forget(block);
  const std::lock_guard lock(order_mutex_);
  tiles_.Remove(block.host);
  block.order = {};
  block.seen = Replicas();
  block.has_been_on_device = false;
  block.is_registered = false;
  ++block.generation;
  unregistered_.push_back(&block);
  return status;
}

absl::Status Runtime::Resize(Handle handle, const Tile& tile) {
  if (!IsInside()) return pool_->Run([&] { return Resize(handle, tile); });
  Block& block = BlockOf(handle);
  bool forget = false;
  {
    const std::lock_guard lock(order_mutex_);
    forget = block.has_been_on_device;
    if (forget && !IsIdle(block)) {
      return absl::FailedPreconditionError(absl::StrCat("tasks use block ", block.name));
    }
    See(block, kHost);
  }
  if (forget) {
    if (absl::Status home = mover_.Forget(block); !home.ok()) return home;
  }
  // First the one for which this thread may have to wait.
  const std::lock_guard its_lock(block.mutex);
  const std::lock_guard lock(order_mutex_);
  tiles_.Remove(block.host);
  CheckIsFree(tile, block.name);
  tiles_.Add(tile, &block);
  block.host = tile;
  ++tiles_changes_;
  block.seen = Replicas();
  block.has_been_on_device = false;
  return absl::OkStatus();
}

void Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                     std::span<const std::byte> scalars, int priority, lwt::Event* ended) {
  CheckSizes(accesses, scalars);
  if (only_plans_) return PlanTask(kernel, accesses);
  Task* submitted = nullptr;
  {
    const std::lock_guard lock(order_mutex_);
    Task& task = NewTask(kernel, accesses, scalars);
    task.priority = priority;
    task.ended = ended;
    unfinished_.Add();
    const TaskRef ref(task);
    for (const TaskAccess& access : task.accesses()) {
      // Any order of commutative tasks and reductions is right, but not two at a time.
      const Mode mode = Writes(access.mode) ? Mode::kInOut : Mode::kIn;
      access.block->order.Add(
          ref, mode, [&](const TaskRef& other) { task.ComeAfter(*other); },
          [](const TaskRef& other) { return other->has_ended(); });
    }
    ChoosePlace(task);
    if (task.Submitted()) submitted = &task;
  }
  if (submitted != nullptr) Start(*submitted);
}

// Under order_mutex_.
Task& Runtime::NewTask(const Kernel& kernel, std::span<const Access> accesses,
                       std::span<const std::byte> scalars) {
  Task& task = tasks_.New();
  task.Begin(kernel, scalars, ++turns_);
  AddAccesses(task, accesses);
  return task;
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
void Runtime::ChoosePlace(Task& task) {
  task.place = scheduler_->PlaceFor(task, PlacesOf(task.kernel()));
  mover_.Announce(task);
  task.was_late = task.place == kWhenReady;
  if (!task.was_late) Decide(task, task.place);
}

PlaceSet Runtime::PlacesOf(const Kernel& kernel) const {
  PlaceSet places;
  if (kernel.host() != nullptr) places.Add(kHost);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->CanRun(kernel)) places.Add(static_cast<Place>(i + 1));
  }
  lwt::CheckContract(!std::span<const Place>(places).empty(), "some place can run a task's kernel");
  return places;
}

// Under order_mutex_. What the tasks of a block do comes here in their order; readers, which have
// none among them, in any.
void Runtime::Decide(Task& task, Place place) {
  task.place = place;
  if (task.turn == placed_.size() + 1) {
    placed_.push_back(place);
  } else {
    if (placed_.size() < task.turn) placed_.resize(task.turn, kWhenReady);
    placed_[task.turn - 1] = place;
  }
  task.is_at_home = place == kHost && std::none_of(task.accesses().begin(), task.accesses().end(),
                                                   [](const TaskAccess& access) {
                                                     return access.block->has_been_on_device;
                                                   });
  if (task.is_at_home) return;
  for (const TaskAccess& access : task.accesses()) {
    if (place != kHost) access.block->has_been_on_device = true;
    if (Reads(access.mode)) See(*access.block, place);
    if (Writes(access.mode)) access.block->seen.Written(place);
  }
}

void Runtime::PlanTask(const Kernel& kernel, std::span<const Access> accesses) {
  const std::lock_guard lock(order_mutex_);
  Task& task = NewTask(kernel, accesses, {});
  PlannedTask planned = {
      .name = kernel.name(), .accesses = {}, .place = scheduler_->PlaceFor(task, PlacesOf(kernel))};
  for (const TaskAccess& access : task.accesses()) {
    planned.accesses.push_back({access.block->id, access.mode});
  }
  planned_.push_back(std::move(planned));
  tasks_.Free(task);
  not_run_.fetch_add(1, std::memory_order_relaxed);
}

// The host reads all blocks.
void Runtime::PlanHomecoming() {
  PlannedTask wait = {.name = "wait", .accesses = {}, .place = kHost};
  const std::lock_guard lock(order_mutex_);
  for (const auto& block : blocks_) wait.accesses.push_back({block->id, Mode::kIn});
  planned_.push_back(std::move(wait));
}

// Under order_mutex_.
void Runtime::See(Block& block, Place place) {
  if (block.seen.IsAt(place)) return;
  block.seen.Arrived(place);
  ++least_.copies;
  least_.bytes += block.host.bytes();
}

bool Runtime::IsInside() const {
  const lwt::Worker* const worker = lwt::Worker::Current();
  return worker != nullptr && &worker->pool() == pool_.get();
}

// It can begin.
void Runtime::Start(Task& task) {
  if (!task.IsCounted()) return Spawn(task);
  {
    const std::lock_guard lock(order_mutex_);
    if (task.was_late) {
      scheduler_->Add(task, PlacesOf(task.kernel()));
    } else {
      waiting_[static_cast<std::size_t>(task.place)].Add(task, {&task.place, 1});
    }
  }
  StartReady();
}

// What has room begins.
void Runtime::StartReady() {
  std::vector<Task*> ready;
  {
    const std::lock_guard lock(order_mutex_);
    for (Place place = 0; place < static_cast<Place>(in_flight_.size()); ++place) {
      int& in_flight = in_flight_[static_cast<std::size_t>(place)];
      const int most = place == kHost ? pool_->workers() : tasks_in_flight_;
      while (in_flight < most) {
        Task* const task = NextAt(place);
        if (task == nullptr) break;
        ++in_flight;
        ready.push_back(task);
      }
    }
  }
  for (Task* const task : ready) Spawn(*task);
}

// Under order_mutex_. Null: none.
Task* Runtime::NextAt(Place place) {
  ReadyTasks& waiting = waiting_[static_cast<std::size_t>(place)];
  if (waiting.size() > 0) return waiting.Take(waiting.entries().begin());
  Task* const task = scheduler_->Next(place);
  if (task != nullptr) Decide(*task, place);
  return task;
}

void Runtime::Spawn(Task& task) {
  if (IsInside()) {
    lwt::Spawn([this, &task] { Execute(task); }).Detach();
    return;
  }
  lwt::CheckContract(!is_simulated_, "tasks come from inside of a pool that is simulated");
  std::call_once(entrance_made_, [this] {
    entrance_ = std::make_unique<Entrance>(*pool_, [this](Task& next) { Spawn(next); });
  });
  entrance_->Add(task);
}

// The task, and of those that can begin then one, and so on: a chain of tasks is one thread.
void Runtime::Execute(Task& first) {
  Task* next = &first;
  while (next != nullptr) {
    Task& task = *std::exchange(next, nullptr);
    const Place place = task.place;  // Where it is counted, though it may run elsewhere.
    const bool is_counted = task.IsCounted();
    Ran ran;
    if (failed_.load(std::memory_order_acquire)) {
      LeaveOut(task);
    } else if (absl::Status done = RunTask(task, ran); !done.ok()) {
      Fail(task, done);
    }
    if (recorder_ != nullptr) recorder_->EndOf(task.turn);
    mover_.Retire(task);
    if (is_counted) {
      {
        const std::lock_guard lock(order_mutex_);
        --in_flight_[static_cast<std::size_t>(place)];
        if (task.was_late) scheduler_->Ended(task, ran.seconds);
      }
      StartReady();
    }
    const auto begin = [&](Task& ready) {
      if (ready.IsCounted() || next != nullptr) {
        Start(ready);
      } else {
        next = &ready;
      }
    };
    if (Graph* const graph = task.graph()) {
      if (task.EndForNow(begin)) graph->LastEnded();
      continue;
    }
    lwt::Event* const ended = task.ended;
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
  absl::Status status = absl::UnavailableError("it was lost before");
  for (std::size_t losses = 0; losses <= devices_.size(); ++losses) {
    if (mover_.IsLost(task.place) && !PlaceElsewhere(task)) {
      status = absl::UnavailableError(
          absl::StrCat(status.message(), "; all devices that can run it are lost"));
      break;
    }
    status = RunOnce(task, ran);
    if (!absl::IsUnavailable(status) || !mover_.HasLost()) break;
  }
  if (!ran.has_begun) LeaveOut(task);
  return status;
}

bool Runtime::PlaceElsewhere(Task& task) {
  const std::lock_guard lock(order_mutex_);
  const PlaceSet set = PlacesOf(task.kernel());
  const std::span<const Place> places = set;
  // The last: a device rather than the host.
  const auto there = std::find_if(places.rbegin(), places.rend(),
                                  [this](Place place) { return !mover_.IsLost(place); });
  if (there == places.rend()) return false;
  Decide(task, *there);
  return true;
}

absl::Status Runtime::RunOnHost(const Task& task, std::span<const Tile> tiles) {
  std::optional<AccessChecker> checker;
  if (checks_accesses_) checker.emplace(task, tiles);
  absl::Status status = task.kernel().host()(tiles, task.scalars());
  if (checker && status.ok()) status = checker->Compare();
  if (task.kernel().flops() > 0) lwt::Compute(task.kernel().flops() / host_flops_per_s_ * 1e9);
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
    status = launched.ok() ? device.Wait(*launched) : launched.status();
    status = mover_.Heard(task.place, status);
    if (recorder_ != nullptr) {
      recorder_->Add(std::move(event), device, launched.value_or(kDone));
    }
    ran_on_devices_.fetch_add(1, std::memory_order_relaxed);
  }
  if (task.was_late) ran.seconds = Measure(task.place, begun);
  const absl::Status finished = mover_.Finish(task, status.ok());
  status.Update(finished);
  return status;
}

// A device computes one after the other: what was before it there is none of its time.
double Runtime::Measure(Place place, lwt::Deadline begun) {
  const lwt::Deadline end = lwt::Now();
  if (place != kHost) {
    const std::lock_guard lock(order_mutex_);
    begun = std::max(begun, std::exchange(last_end_[static_cast<std::size_t>(place)], end));
  }
  return std::chrono::duration<double>(end - begun).count();
}

void Runtime::LeaveOut(const Task& task) {
  if (&task.kernel() != &look_) not_run_.fetch_add(1, std::memory_order_relaxed);
}

void Runtime::Fail(const Task& task, const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  failed_.store(true, std::memory_order_release);
  if (error_.ok()) {
    error_ = absl::Status(status.code(), absl::StrCat(Describe(task), ": ", status.message()));
  }
}

absl::Status Runtime::Wait() {
  if (only_plans_) {
    PlanHomecoming();
    return absl::OkStatus();
  }
  if (!IsInside()) return pool_->Run([this] { return Wait(); });
  unfinished_.WaitForNone();
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    status = std::exchange(error_, absl::OkStatus());
    failed_.store(false, std::memory_order_release);
  }
  status.Update(BringAllHome());
  return status;
}

// Several at a time, so that the links of all devices are busy.
absl::Status Runtime::BringAllHome() {
  std::vector<Block*> blocks;
  {
    const std::lock_guard lock(order_mutex_);
    for (const auto& block : blocks_) {
      if (!block->is_registered || !block->has_been_on_device) continue;
      See(*block, kHost);
      blocks.push_back(block.get());
    }
  }
  constexpr std::size_t kAtOnce = 4;  // of a device
  std::atomic<std::size_t> next{0};
  absl::Status status;
  lwt::Mutex mutex;
  const auto bring = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < blocks.size();) {
      const absl::Status home = mover_.BringHome(*blocks[i]);
      if (home.ok()) continue;
      const std::lock_guard lock(mutex);
      status.Update(home);
    }
  };
  std::vector<lwt::Thread> threads;
  for (std::size_t i = 0; i < std::min(blocks.size(), kAtOnce * devices_.size()); ++i) {
    threads.push_back(lwt::Spawn(bring));
  }
  for (lwt::Thread& thread : threads) thread.Join();
  return status;
}

std::vector<Place> Runtime::places() const {
  const std::lock_guard lock(order_mutex_);
  return placed_;
}

absl::Status Runtime::WaitOn(Handle handle, Mode mode) {
  if (!IsInside()) return pool_->Run([&] { return WaitOn(handle, mode); });
  // A task that does nothing on the host: what others come before and after is known of tasks.
  lwt::Event ended;
  const Access access = {handle, mode};
  not_run_.fetch_add(1, std::memory_order_relaxed);
  Submit(look_, std::span(&access, 1), {}, 0, &ended);
  ended.Wait("the tasks of a block");
  const std::lock_guard lock(mutex_);
  return error_;
}

RuntimeCounts Runtime::counts() const {
  const std::lock_guard lock(order_mutex_);
  return {turns_ - unfinished_.count() - not_run_.load(), ran_on_devices_.load(), mover_.counts(),
          least_};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_->workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const {
  const std::lock_guard lock(order_mutex_);
  for (const PlannedTask& task : planned_) {
    if (task.place != kWhenReady) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("task ", task.name,
                     ": its place is chosen when it can begin, so that there "
                     "is no plan"));
  }
  std::vector<std::uint64_t> bytes;
  for (const auto& block : blocks_) bytes.push_back(block->host.bytes());
  const auto copies = PlanCopies(bytes, planned_, mover_.plan_options());
  if (!copies.ok()) return copies.status();
  return CopyPlan{*copies, LeastCopies(bytes, planned_)};
}

}  // namespace taskrt
