#include "taskrt/runtime.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/simulation.h"
#include "lwt/spawn.h"

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

}  // namespace

Runtime::Runtime(RuntimeOptions options)
    : devices_(std::move(options.devices)),
      scheduler_(std::move(options.scheduler)),
      host_flops_per_s_(options.host_flops_per_s),
      only_plans_(options.only_plans),
      recorder_(options.traces ? std::make_unique<Recorder>() : nullptr),
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
  return runtime;
}

Runtime::~Runtime() {
  entrance_.reset();
  pool_.reset();  // Waits for all tasks, which use the rest.
}

Handle Runtime::Register(std::string name, const Tile& tile, int owner) {
  auto block = std::make_unique<Block>();
  block->name = std::move(name);
  block->host = tile;
  block->owner = owner;
  block->at.resize(devices_.size());
  const std::lock_guard lock(order_mutex_);
  block->id = static_cast<BlockId>(blocks_.size());
  return Handle(*blocks_.emplace_back(std::move(block)));
}

void Runtime::Submit(const Kernel& kernel, std::span<const Access> accesses,
                     std::span<const std::byte> scalars) {
  lwt::CheckContract(accesses.size() <= Task::kMostAccesses, "a task has at most eight accesses");
  lwt::CheckContract(scalars.size() <= Task::kMostScalarBytes, "scalars have at most 64 bytes");
  std::array<TaskAccess, Task::kMostAccesses> of_blocks;
  std::size_t count = 0;
  for (const Access& access : accesses) {
    lwt::CheckContract(access.handle.block_ != nullptr, "an access has a registered handle");
    for (const TaskAccess& other : std::span(of_blocks).first(count)) {
      lwt::CheckContract(other.block != access.handle.block_, "a task accesses a block once");
    }
    of_blocks[count++] = {access.handle.block_, access.mode};
  }
  if (only_plans_) return PlanTask(kernel, std::span(of_blocks).first(count));
  TaskRef task(*new Task(kernel, std::span(of_blocks).first(count), scalars));
  TaskRef(task).Keep();  // Until it has ended.
  {
    const std::lock_guard lock(mutex_);
    ++unfinished_;
  }
  {
    const std::lock_guard lock(order_mutex_);
    task->turn = ++turns_;
    task->place = ChoosePlace(*task);
    mover_.Announce(*task);
    for (const TaskAccess& access : task->accesses()) {
      // Any order of commutative tasks and reductions is right, but not two at a time.
      const Mode mode = Writes(access.mode) ? Mode::kInOut : Mode::kIn;
      access.block->order.Add(
          task, mode, [&](const TaskRef& other) { task->ComeAfter(*other); },
          [](const TaskRef& other) { return other->has_ended(); });
      if (Reads(access.mode)) See(*access.block, task->place);
      if (Writes(access.mode)) access.block->seen.Written(task->place);
    }
  }
  if (task->Release()) Start(*task);
}

// Under order_mutex_.
Place Runtime::ChoosePlace(const Task& task) {
  std::array<Place, kMostPlaces> places;
  std::size_t can = 0;
  if (task.kernel().host() != nullptr) places[can++] = kHost;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->CanRun(task.kernel())) places[can++] = static_cast<Place>(i + 1);
  }
  lwt::CheckContract(can > 0, "some place can run a task's kernel");
  return scheduler_->PlaceFor(task, std::span(places).first(can));
}

void Runtime::PlanTask(const Kernel& kernel, std::span<const TaskAccess> accesses) {
  PlannedTask planned = {.name = kernel.name(), .accesses = {}};
  for (const TaskAccess& access : accesses) {
    planned.accesses.push_back({access.block->id, access.mode});
  }
  Task task(kernel, accesses, {});
  const std::lock_guard lock(order_mutex_);
  task.turn = ++turns_;
  planned.place = ChoosePlace(task);
  planned_.push_back(std::move(planned));
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

void Runtime::Start(Task& task) {
  if (IsInside()) {
    lwt::Spawn([this, &task] { Execute(task); }).Detach();
    return;
  }
  std::call_once(entrance_made_, [this] {
    entrance_ = std::make_unique<Entrance>(*pool_, [this](Task& next) { Start(next); });
  });
  entrance_->Add(task);
}

void Runtime::Execute(Task& task) {
  if (!failed_.load(std::memory_order_acquire)) {
    if (absl::Status done = RunTask(task); !done.ok()) Fail(task, done);
  }
  if (recorder_ != nullptr) recorder_->EndOf(task.turn);
  mover_.Retire(task);
  task.End([this](Task& next) { Start(next); });
  const TaskRef last = TaskRef::Kept(task);
  const std::lock_guard lock(mutex_);
  if (--unfinished_ == 0) all_ended_.NotifyAll();
}

absl::Status Runtime::RunTask(Task& task) {
  std::vector<Tile> tiles;
  std::vector<Ticket> arrived;
  absl::Status status = mover_.Prepare(task, tiles, arrived);
  if (!status.ok()) return status;
  TraceEvent event;
  if (recorder_ != nullptr) {
    event = {.name = task.kernel().name(),
             .turn = task.turn,
             .from = task.place,
             .to = task.place,
             .asked = Recorder::Now()};
  }
  if (task.place == kHost) {
    status = task.kernel().host()(tiles, task.scalars());
    lwt::Compute(task.kernel().flops() / host_flops_per_s_ * 1e9);
    if (recorder_ != nullptr) recorder_->Add(std::move(event));
  } else {
    Device& device = *devices_[static_cast<std::size_t>(task.place - 1)];
    const absl::StatusOr<Ticket> launched =
        device.Launch(task.kernel(), tiles, task.scalars(), arrived);
    status = launched.ok() ? device.Wait(*launched) : launched.status();
    if (recorder_ != nullptr) {
      recorder_->Add(std::move(event), device, launched.value_or(kDone));
    }
    ran_on_devices_.fetch_add(1, std::memory_order_relaxed);
  }
  ran_.fetch_add(1, std::memory_order_relaxed);
  const absl::Status finished = mover_.Finish(task, status.ok());
  status.Update(finished);
  return status;
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
  absl::Status status;
  {
    std::unique_lock lock(mutex_);
    all_ended_.Wait(
        lock, [this] { return unfinished_ == 0; }, "tasks");
    status = std::exchange(error_, absl::OkStatus());
    failed_.store(false, std::memory_order_release);
  }
  for (std::size_t i = 0;; ++i) {
    Block* block = nullptr;
    {
      const std::lock_guard lock(order_mutex_);
      if (i == blocks_.size()) break;
      block = blocks_[i].get();
      See(*block, kHost);
    }
    status.Update(mover_.BringHome(*block));
  }
  return status;
}

RuntimeCounts Runtime::counts() const {
  const std::lock_guard lock(order_mutex_);
  return {ran_.load(), ran_on_devices_.load(), mover_.counts(), least_};
}

Trace Runtime::trace() const {
  return recorder_ == nullptr ? Trace() : recorder_->Read(pool_->workers(), devices_);
}

absl::StatusOr<CopyPlan> Runtime::Plan() const {
  const std::lock_guard lock(order_mutex_);
  std::vector<std::uint64_t> bytes;
  for (const auto& block : blocks_) bytes.push_back(block->host.bytes());
  const auto copies = PlanCopies(bytes, planned_, mover_.plan_options());
  if (!copies.ok()) return copies.status();
  return CopyPlan{*copies, LeastCopies(bytes, planned_)};
}

}  // namespace taskrt
