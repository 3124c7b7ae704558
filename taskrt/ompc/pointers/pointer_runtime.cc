#include "taskrt/ompc/pointers/pointer_runtime.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lwt/worker.h"
#include "taskrt/ompc/pointers/pointer_draft.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

// Not inlined: gcc takes the destroying operator delete for a mismatch of this operator new.
[[gnu::noinline]] std::unique_ptr<PointerRuntime> PointerRuntime::Allocate(
    std::unique_ptr<Runtime> runtime, std::vector<Device*> devices, TaskBody& body) {
  return std::unique_ptr<PointerRuntime>(
      new PointerRuntime(std::move(runtime), std::move(devices), body));
}

absl::StatusOr<std::unique_ptr<PointerRuntime>> PointerRuntime::Create(RuntimeOptions options,
                                                                       TaskBody& body) {
  std::vector<Device*> devices;
  for (const auto& device : options.devices) devices.push_back(device.get());
  auto runtime = Runtime::Create(std::move(options));
  if (!runtime.ok()) return runtime.status();
  return Allocate(*std::move(runtime), std::move(devices), body);
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

// The last of the scalars is the call, behind those that devices split into arguments.
absl::Status PointerRuntime::RunCall(std::span<const Tile> tiles,
                                     std::span<const std::byte> scalars) {
  const PointerCall* call = nullptr;
  std::memcpy(&call, scalars.last(sizeof call).data(), sizeof call);
  call->Run(tiles);
  return absl::OkStatus();
}

absl::Status PointerRuntime::Create(const Code& code, const PointerTask& task, Awaited* awaited) {
  std::unique_ptr<PointerCall> own_call;
  if (task.call == nullptr) {
    own_call = std::make_unique<PointerCall>();
    own_call->body = &body_;
  }
  PointerCall& call = own_call != nullptr ? *own_call : *task.call;
  const bool keeps_uses = own_call == nullptr;
  PointerDraft draft(blocks_, code, task, call);
  std::vector<Access> accesses;
  PointerBlocks::Lock lock(blocks_.mutex(), std::defer_lock);
  const bool has_blocks = !task.in.empty() || !task.out.empty() || !task.maps.empty();
  if (has_blocks || code.is_target) {
    lock.lock();
    if (absl::Status filled = draft.Fill(lock); !filled.ok()) return filled;
    draft.ForEachUse([&](PointerBlocks::Known& known, Mode mode) {
      accesses.push_back({known.value.handle, mode});
      known.value.last_use = blocks_.NewUse();
      known.value.is_programs |= task.created_by == nullptr;
      if (keeps_uses) call.uses.push_back(known.begin);
    });
  } else {
    if (absl::Status filled = draft.FillWithoutBlocks(); !filled.ok()) return filled;
  }
  for (const Handle order : task.order_out) accesses.push_back({order, Mode::kInOut});
  for (const Handle order : task.order_in) accesses.push_back({order, Mode::kIn});
  // Until the task is submitted: WaitAll takes the calls whose tasks it waits for.
  std::unique_lock calls_lock(mutex_, std::defer_lock);
  if (own_call != nullptr) {
    calls_lock.lock();
    calls_.push_back(std::move(own_call));
  }
  if (awaited != nullptr) {
    return runtime_->SubmitAwaited(draft.runs().kernel, accesses, draft.scalars(), *awaited);
  }
  runtime_->Submit(draft.runs().kernel, accesses, draft.scalars(),
                   {.priority = task.priority, .ended = task.ended});
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
  PointerBlocks::Lock lock(blocks_.mutex());
  const PointerBlocks::Known* const known = blocks_.Find(Address(pointer));
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  return runtime_->WaitOn(handle);
}

absl::Status PointerRuntime::Map(const void* pointer, std::uint64_t bytes) {
  if (pointer == nullptr || bytes == 0) {
    return absl::InvalidArgumentError("a block without memory");
  }
  PointerBlocks::Lock lock(blocks_.mutex());
  const auto known = blocks_.At(Address(pointer), bytes, lock);
  if (known.ok()) (*known)->value.is_infinite = true;
  return known.status();
}

absl::Status PointerRuntime::Unmap(const void* pointer) {
  PointerBlocks::Lock lock(blocks_.mutex());
  PointerBlocks::Known* const known = blocks_.Find(Address(pointer));
  if (known == nullptr) return absl::OkStatus();
  const Handle handle = known->value.handle;
  lock.unlock();
  absl::Status status = runtime_->WaitOn(handle, Mode::kInOut);
  if (IsRefusedWait(status)) return status;
  lock.lock();
  if (blocks_.Find(Address(pointer)) != known) return status;  // Another thread has ended it.
  const PointerBlock block = std::move(known->value);
  blocks_.Remove(*known);
  lock.unlock();
  status.Update(runtime_->Unregister(block.handle));
  return status;
}

absl::Status PointerRuntime::EndRegion() {
  if (IsInTask()) return WaitAll();  // Which refuses it.
  absl::Status status = WaitAll();
  const PointerBlocks::Lock lock(blocks_.mutex());
  std::vector<PointerBlocks::Known*> ending;
  for (auto& [begin, known] : blocks_) {
    const PointerBlock& block = known.value;
    if (!block.is_present() && block.is_programs) ending.push_back(&known);
  }
  for (PointerBlocks::Known* const known : ending) {
    status.Update(runtime_->Unregister(known->value.handle));
    blocks_.Remove(*known);
  }
  return status;
}

Handle PointerRuntime::TakeOrder() {
  const std::lock_guard lock(mutex_);
  if (!orders_.empty()) {
    const Handle order = orders_.back();
    orders_.pop_back();
    return order;
  }
  order_memory_.push_back(std::make_unique<std::byte>());
  return runtime_->Register("order", {order_memory_.back().get(), 1, 1, 1});
}

void PointerRuntime::GiveOrder(Handle order) {
  const std::lock_guard lock(mutex_);
  orders_.push_back(order);
}

absl::Status PointerRuntime::FirstError() {
  const Handle order = TakeOrder();
  absl::Status status = runtime_->WaitOn(order);
  GiveOrder(order);
  return status;
}

}  // namespace taskrt
