#include "taskrt/ompc/pointers/pointer_runtime.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lwt/worker.h"
#include "taskrt/ompc/tasks/omp_task.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

Tile TileOf(std::uintptr_t begin, std::uint64_t bytes) {
  return {reinterpret_cast<std::byte*>(begin), 1, bytes, bytes};
}

}  // namespace

// Not inlined: gcc takes the destroying operator delete for a mismatch of this operator new.
[[gnu::noinline]] std::unique_ptr<PointerRuntime> PointerRuntime::Allocate() {
  return std::unique_ptr<PointerRuntime>(new PointerRuntime);
}

absl::StatusOr<std::unique_ptr<PointerRuntime>> PointerRuntime::Create(RuntimeOptions options) {
  std::unique_ptr<PointerRuntime> result = Allocate();
  for (const auto& device : options.devices) result->devices_.push_back(device.get());
  auto runtime = Runtime::Create(std::move(options));
  if (!runtime.ok()) return runtime.status();
  result->runtime_ = *std::move(runtime);
  return result;
}

PointerRuntime::~PointerRuntime() = default;

void PointerRuntime::operator delete(PointerRuntime* runtime, std::destroying_delete_t) {
  if (runtime->IsLeftAtExit()) return;
  runtime->~PointerRuntime();
  ::operator delete(runtime);
}

absl::Status PointerRuntime::Register(PointerFunction function, Kernel kernel) {
  const std::string name = kernel.name();
  if (function != nullptr) kernel.OnHost(RunCall).OnSimulated(RunCall);
  const bool can_run = kernel.host() != nullptr ||
                       std::any_of(devices_.begin(), devices_.end(),
                                   [&](const Device* device) { return device->CanRun(kernel); });
  if (!can_run) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel ", name, " has no function for the host, and no device here runs it"));
  }
  const std::lock_guard lock(mutex_);
  auto code = std::make_unique<Code>(Code{function, std::move(kernel), true});
  if (targets_.try_emplace(name, std::move(code)).second) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("there is a kernel ", name, " already"));
}

absl::Status PointerRuntime::RegisterLoop(PointerFunction function, Kernel kernel) {
  Kernel without = Kernel(kernel.name()).OnHost(RunCall).OnSimulated(RunCall);
  const bool is_built = std::all_of(devices_.begin(), devices_.end(), [&](Device* device) {
    return !device->CanRun(kernel) || device->Build(kernel).ok();
  });
  if (!is_built) return Register(function, std::move(without));
  auto plain = std::make_unique<Code>(Code{function, std::move(without), true});
  auto code = std::make_unique<Code>(Code{function, std::move(kernel), true, plain.get()});
  code->kernel.OnHost(RunCall).OnSimulated(RunCall);
  const std::lock_guard lock(mutex_);
  without_text_.push_back(std::move(plain));
  targets_.try_emplace(code->kernel.name(), std::move(code));
  return absl::OkStatus();
}

const PointerRuntime::Code* PointerRuntime::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = targets_.find(name);
  return found == targets_.end() ? nullptr : found->second.get();
}

const PointerRuntime::Code& PointerRuntime::OnHost(std::string_view name,
                                                   PointerFunction function) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Code>& code = functions_[function];
  if (code == nullptr) {
    code = std::make_unique<Code>(Code{function, Kernel(std::string(name)).OnHost(RunCall), false});
  }
  return *code;
}

absl::StatusOr<const PointerRuntime::Code*> PointerRuntime::With(const Code& code, int units,
                                                                 std::array<std::size_t, 3> items) {
  if (units < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel ", code.kernel.name(), ": num_units is 1 or more, not ", units));
  }
  std::vector<std::size_t> global;
  for (const std::size_t item : items) {
    if (item > 0) global.push_back(item);
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Code>& with = with_[{&code, units, items}];
  if (with != nullptr) return with.get();
  auto made = std::make_unique<Code>(code);
  if (units > 0) made->kernel.Units(units);
  if (code.kernel.opencl() != nullptr) {
    OpenClKernel opencl = *code.kernel.opencl();
    if (units > 0) opencl.units = units;
    if (!global.empty()) opencl.global = std::move(global);
    if (!opencl.local.empty() && opencl.local.size() != opencl.global.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("kernel ", code.kernel.name(), ": work_item has ", opencl.global.size(),
                       " dimensions, and its groups have ", opencl.local.size()));
    }
    made->kernel.OnOpenCl(std::move(opencl));
  }
  with = std::move(made);
  return with.get();
}

void PointerCall::Run(std::span<const Tile> tiles) const {
  std::array<void*, 16> few;
  std::vector<void*> many;
  if (arguments.size() > few.size()) many.resize(arguments.size());
  void** const args = many.empty() ? few.data() : many.data();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    args[i] = argument.tile < 0
                  ? argument.value
                  : tiles[static_cast<std::size_t>(argument.tile)].data + argument.offset;
  }
  const KeepsTask keeps;
  if (task != nullptr) {
    BeginTask(*task);
    function(args);
    return EndTask(*task);
  }
  // A kernel, or a task of ompc.h's: on its own.
  ImplicitTask alone;
  alone.icvs = TheEnvironment().icvs;
  SetCurrentTask(&alone);
  function(args);
  WaitForSubtree(alone);
  EndTask(alone);
}

// The last of the scalars is the call, behind those that devices split into arguments.
absl::Status PointerRuntime::RunCall(std::span<const Tile> tiles,
                                     std::span<const std::byte> scalars) {
  const PointerCall* call = nullptr;
  std::memcpy(&call, scalars.last(sizeof call).data(), sizeof call);
  call->Run(tiles);
  return absl::OkStatus();
}

PointerRuntime::Known& PointerRuntime::AddBlock(std::uintptr_t begin, std::uint64_t bytes) {
  Block block;
  if (bytes == 0) block.stand_in = std::make_unique<std::byte>();
  block.handle = runtime_->Register(
      DescribeRange(begin, 0),
      bytes == 0 ? TileOf(Address(block.stand_in.get()), 1) : TileOf(begin, bytes));
  return pointers_.Add(begin, bytes, std::move(block));
}

// The block in which so many bytes are, once it is as large. Size 0: whatever is there.
absl::StatusOr<PointerRuntime::Known*> PointerRuntime::KnownAt(std::uintptr_t begin,
                                                               std::uint64_t bytes, Lock& lock) {
  while (true) {
    const auto place = pointers_.Locate(begin, bytes);
    if (!place.ok()) return place.status();
    Known* const known = place->known;
    switch (place->fit) {
      case Pointers<Block>::Fit::kInside:
        return known;
      case Pointers<Block>::Fit::kNew:
        return &AddBlock(begin, bytes);
      case Pointers<Block>::Fit::kGrows:
        const absl::Status grown = runtime_->Resize(known->value.handle, TileOf(begin, bytes));
        if (grown.ok()) {
          known->bytes = bytes;
          known->value.stand_in.reset();
          return known;
        }
        if (!absl::IsFailedPrecondition(grown)) return grown;
        const Handle handle = known->value.handle;
        lock.unlock();  // Its tasks may create others.
        const absl::Status idle = runtime_->WaitOn(handle, Mode::kInOut);
        lock.lock();
        if (!idle.ok()) return idle;
    }
  }
}

absl::Status PointerRuntime::Create(const Code& code, const PointerTask& task, Awaited* awaited) {
  Draft draft;
  const Code* runs = &code;
  draft.call = task.call;
  if (draft.call == nullptr) {
    draft.own_call = std::make_unique<PointerCall>();
    draft.call = draft.own_call.get();
  }
  std::vector<Access> accesses;
  Lock lock(mutex_, std::defer_lock);
  const bool has_blocks = !task.in.empty() || !task.out.empty() || !task.maps.empty();
  if (has_blocks || code.is_target || draft.own_call != nullptr) {
    lock.lock();
    if (absl::Status added = AddMaps(task, draft, lock); !added.ok()) return added;
    if (absl::Status added = AddDependencies(task, draft, lock); !added.ok()) return added;
    AddPresent(task, draft);
    if (absl::Status added = AddArguments(code, task, draft, runs); !added.ok()) return added;
    for (const std::size_t tile : draft.tiles) {
      const Use& use = draft.uses[tile];
      accesses.push_back({use.known->value.handle, ModeOf(use.of_task)});
      use.known->value.last_use = ++uses_;
      use.known->value.is_programs |= task.created_by == nullptr;
      if (draft.call->task != nullptr) draft.call->task->Hold(use.known->begin);
    }
    if (draft.own_call != nullptr) calls_.push_back(std::move(draft.own_call));
  } else {
    FillCall(code.function, task, *draft.call);
    if (absl::Status added = AddScalars(code, draft); !added.ok()) return added;
  }
  AddOrder(task, accesses);
  if (awaited != nullptr) {
    return runtime_->SubmitAwaited(runs->kernel, accesses, draft.scalars, *awaited);
  }
  runtime_->Submit(runs->kernel, accesses, draft.scalars,
                   {.priority = task.priority, .ended = task.ended});
  return absl::OkStatus();
}

absl::Status PointerRuntime::SubmitAndWait(const Code& code, const PointerTask& task) {
  const KeepsTask keeps;
  Awaited awaited;
  absl::Status created = Submit(code, task, &awaited);
  if (created.ok()) runtime_->WaitFor(awaited);
  return created;
}

// `awaited`: null if nobody waits for it.
absl::Status PointerRuntime::Submit(const Code& code, const PointerTask& task, Awaited* awaited) {
  const absl::Status created = Create(code, task, awaited);
  if (created.ok()) return created;
  absl::Status refused(created.code(),
                       absl::StrCat("task ", code.kernel.name(), ": ", created.message()));
  const std::lock_guard lock(mutex_);
  refused_.Update(refused);
  return refused;
}

// Or in a thread that one has started, of another pool, too.
bool PointerRuntime::IsInTask() const {
  const lwt::Worker* const worker = lwt::Worker::Current();
  const bool is_inside = worker != nullptr && &worker->pool() == &runtime_->pool();
  return is_inside || runtime_->IsInTask();
}

absl::Status PointerRuntime::WaitAll() {
  if (IsInTask()) {
    return absl::FailedPreconditionError("a task that waits for all tasks would wait for itself");
  }
  std::vector<std::unique_ptr<PointerCall>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);  // All submitted: they go when this returns.
  }
  const absl::Status waited = runtime_->Wait();
  const std::lock_guard lock(mutex_);  // Errors of tasks that were not created are returned, too.
  absl::Status status = std::exchange(refused_, absl::OkStatus());
  status.Update(waited);
  return status;
}

absl::Status PointerRuntime::WaitOn(const void* pointer) {
  Lock lock(mutex_);
  const Known* const known = pointers_.Find(Address(pointer));
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  return runtime_->WaitOn(handle);
}

absl::Status PointerRuntime::Map(const void* pointer, std::uint64_t bytes) {
  if (pointer == nullptr || bytes == 0) {
    return absl::InvalidArgumentError("a block without memory");
  }
  Lock lock(mutex_);
  const auto known = KnownAt(Address(pointer), bytes, lock);
  if (known.ok()) (*known)->value.is_kept = true;
  return known.status();
}

absl::Status PointerRuntime::Unmap(const void* pointer) {
  Lock lock(mutex_);
  Known* const known = pointers_.Find(Address(pointer));
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  absl::Status status = runtime_->WaitOn(handle, Mode::kInOut);
  if (IsRefusedWait(status)) return status;
  lock.lock();
  if (pointers_.Find(Address(pointer)) != known) return status;  // Another thread has ended it.
  const Block block = std::move(known->value);
  pointers_.Remove(*known);
  lock.unlock();
  status.Update(runtime_->Unregister(block.handle));
  return status;
}

absl::Status PointerRuntime::EndRegion() {
  if (IsInTask()) return WaitAll();  // Which refuses it.
  absl::Status status = WaitAll();
  const std::lock_guard lock(mutex_);
  std::vector<Known*> ending;
  for (auto& [begin, known] : pointers_) {
    const Block& block = known.value;
    if (!block.is_kept && block.regions == 0 && block.is_programs) ending.push_back(&known);
  }
  for (Known* const known : ending) {
    status.Update(runtime_->Unregister(known->value.handle));
    pointers_.Remove(*known);
  }
  return status;
}

}  // namespace taskrt
