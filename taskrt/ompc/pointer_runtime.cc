#include "taskrt/ompc/pointer_runtime.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lwt/worker.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

Tile TileOf(std::uintptr_t begin, std::uint64_t bytes) {
  return {reinterpret_cast<std::byte*>(begin), 1, bytes, bytes};
}

}  // namespace

absl::StatusOr<std::unique_ptr<PointerRuntime>> PointerRuntime::Create(RuntimeOptions options) {
  std::unique_ptr<PointerRuntime> result(new PointerRuntime);
  for (const auto& device : options.devices) result->devices_.push_back(device.get());
  auto runtime = Runtime::Create(std::move(options));
  if (!runtime.ok()) return runtime.status();
  result->runtime_ = *std::move(runtime);
  return result;
}

PointerRuntime::~PointerRuntime() = default;

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

// The last of the scalars is the call, behind those that devices split into arguments.
absl::Status PointerRuntime::RunCall(std::span<const Tile> tiles,
                                     std::span<const std::byte> scalars) {
  const Call* call = nullptr;
  std::memcpy(&call, scalars.last(sizeof call).data(), sizeof call);
  std::vector<void*> args;
  for (const Argument& argument : call->arguments) {
    args.push_back(argument.tile < 0
                       ? argument.value
                       : tiles[static_cast<std::size_t>(argument.tile)].data + argument.offset);
  }
  call->function(args.data());
  return absl::OkStatus();
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
      case Pointers<Block>::Fit::kNew: {
        Block block;
        if (bytes == 0) block.stand_in = std::make_unique<std::byte>();
        block.handle = runtime_->Register(
            DescribeRange(begin, 0),
            bytes == 0 ? TileOf(Address(block.stand_in.get()), 1) : TileOf(begin, bytes));
        return &pointers_.Add(begin, bytes, std::move(block));
      }
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

PointerUse& PointerRuntime::Draft::UseOf(Known& known) {
  for (Use& use : uses) {
    if (use.known == &known) return use.of_task;
  }
  return uses.emplace_back(Use{&known, {}}).of_task;
}

// Of uses, that which the pointer means.
std::optional<std::size_t> PointerRuntime::Draft::Find(std::uintptr_t pointer) const {
  const auto map = by_host.find(pointer);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Known& known = *uses[i].known;
    const bool points_into =
        pointer == known.begin || (pointer > known.begin && pointer - known.begin < known.bytes);
    if (map != by_host.end() ? map->second == &known : points_into) return i;
  }
  return std::nullopt;
}

absl::Status PointerRuntime::AddMaps(const PointerTask& task, Draft& draft, Lock& lock) {
  for (const PointerMap* const map : task.maps) {
    if (map == nullptr) return absl::InvalidArgumentError("a map descriptor is null");
    const std::uintptr_t begin = map->host + map->offset;
    const auto at = KnownAt(begin, map->bytes, lock);
    if (!at.ok()) return at.status();
    Known& known = **at;
    if (known.bytes == 0) {
      return absl::InvalidArgumentError(absl::StrCat("a map is of all of the block at ",
                                                     DescribeRange(begin, 0),
                                                     ", whose size was not told"));
    }
    if (draft.by_host.try_emplace(map->host, &known).first->second != &known) {
      return absl::InvalidArgumentError(
          absl::StrCat("maps of two blocks have the host pointer ", DescribeRange(map->host, 0)));
    }
    PointerUse& use = draft.UseOf(known);
    use.to_device = use.to_device || map->to_device;
    use.to_host = use.to_host || map->to_host;
    const bool is_whole = map->bytes == 0 || map->bytes == known.bytes;
    use.is_map_whole = use.is_map_whole || (is_whole && map->to_host);
  }
  return absl::OkStatus();
}

absl::Status PointerRuntime::AddDependencies(const PointerTask& task, Draft& draft, Lock& lock) {
  for (const bool is_in : {true, false}) {
    for (void* const pointer : is_in ? task.in : task.out) {
      if (pointer == nullptr) return absl::InvalidArgumentError("a dependency is null");
      const auto map = draft.by_host.find(Address(pointer));
      Known* known = map == draft.by_host.end() ? nullptr : map->second;
      if (known == nullptr) {
        const auto at = KnownAt(Address(pointer), 0, lock);
        if (!at.ok()) return at.status();
        known = *at;
      }
      PointerUse& use = draft.UseOf(*known);
      (is_in ? use.in : use.out) = true;
    }
  }
  if (draft.uses.size() <= TaskCall::kMostAccesses) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(draft.uses.size(), " blocks, of at most ",
                                                 static_cast<int>(TaskCall::kMostAccesses)));
}

// Tiles are in the order of the arguments that point to them.
absl::Status PointerRuntime::AddArguments(const Code& code, const PointerTask& task, Draft& draft) {
  const auto tile_of = [&tiles = draft.tiles](std::size_t use) {
    const auto at = std::find(tiles.begin(), tiles.end(), use);
    const auto tile = at - tiles.begin();
    if (at == tiles.end()) tiles.push_back(use);
    return static_cast<int>(tile);
  };
  draft.call = std::make_unique<Call>();
  draft.call->function = code.function;
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    Argument argument{.value = task.args[i]};
    const std::uintptr_t pointer = Address(argument.value);
    if (const auto use = draft.Find(pointer)) {
      const Known& known = *draft.uses[*use].known;
      argument.offset = static_cast<std::ptrdiff_t>(pointer - known.begin);
      // Of unknown size it is nowhere but on the host.
      if (known.bytes > 0) argument.tile = tile_of(*use);
      if (known.bytes == 0 && code.is_target) {
        return absl::InvalidArgumentError(absl::StrCat("argument ", i, ", ",
                                                       DescribeRange(pointer, 0),
                                                       ", is a block whose size no map told"));
      }
    } else if (const Known* other = pointers_.Find(pointer); other != nullptr && code.is_target) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, ", ", DescribeRange(pointer, 0), ", points into the block ",
                       DescribeRange(other->begin, other->bytes),
                       ", which no dependency and no map of the task names"));
    }
    draft.call->arguments.push_back(argument);
  }
  for (std::size_t use = 0; use < draft.uses.size(); ++use) (void)tile_of(use);
  return AddScalars(code, draft);
}

absl::Status PointerRuntime::AddScalars(const Code& code, Draft& draft) {
  // What devices' functions are called with is the same for all kinds.
  const OpenClKernel* const opencl = code.kernel.opencl().get();
  const CudaKernel* const cuda = code.kernel.cuda().get();
  if (opencl != nullptr || cuda != nullptr) {
    const char* const whose = opencl != nullptr ? "OpenCL's" : "CUDA's";
    const std::vector<std::size_t>& scalar_bytes =
        opencl != nullptr ? opencl->scalar_bytes : cuda->scalar_bytes;
    int tiles = 0;
    std::size_t scalars = 0;
    for (const Argument& argument : draft.call->arguments) {
      if (argument.tile >= 0) {
        if (argument.tile != tiles++ || argument.offset != 0) {
          return absl::InvalidArgumentError(
              absl::StrCat(whose, " pointers are the beginnings of different blocks"));
        }
        continue;
      }
      if (scalars < scalar_bytes.size()) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&argument.value);
        draft.scalars.insert(draft.scalars.end(), bytes, bytes + scalar_bytes[scalars]);
      }
      ++scalars;
    }
    if (tiles != static_cast<int>(draft.tiles.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(whose, " pointers are all blocks of the task"));
    }
    if (scalars != scalar_bytes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(scalars, " scalars, but ", scalar_bytes.size(), " were registered"));
    }
  }
  const Call* const call = draft.call.get();
  const auto* const bytes = reinterpret_cast<const std::byte*>(&call);
  draft.scalars.insert(draft.scalars.end(), bytes, bytes + sizeof call);
  if (draft.scalars.size() <= TaskCall::kMostScalarBytes) return absl::OkStatus();
  return absl::InvalidArgumentError("more than 56 bytes of scalars");
}

absl::Status PointerRuntime::Create(const Code& code, const PointerTask& task, Awaited* awaited) {
  Lock lock(mutex_);
  Draft draft;
  if (absl::Status added = AddMaps(task, draft, lock); !added.ok()) return added;
  if (absl::Status added = AddDependencies(task, draft, lock); !added.ok()) return added;
  if (absl::Status added = AddArguments(code, task, draft); !added.ok()) return added;
  std::vector<Access> accesses;
  for (const std::size_t tile : draft.tiles) {
    const Use& use = draft.uses[tile];
    accesses.push_back({use.known->value.handle, ModeOf(use.of_task)});
  }
  calls_.push_back(std::move(draft.call));
  if (awaited != nullptr) {
    return runtime_->SubmitAwaited(code.kernel, accesses, draft.scalars, *awaited);
  }
  runtime_->Submit(code.kernel, accesses, draft.scalars);
  return absl::OkStatus();
}

absl::Status PointerRuntime::SubmitAndWait(const Code& code, const PointerTask& task) {
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
  std::vector<std::unique_ptr<Call>> calls;
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
    if (!known.value.is_kept) ending.push_back(&known);
  }
  for (Known* const known : ending) {
    status.Update(runtime_->Unregister(known->value.handle));
    pointers_.Remove(*known);
  }
  return status;
}

}  // namespace taskrt
