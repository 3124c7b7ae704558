// How a task's words become accesses, arguments and scalars: the part of PointerRuntime that
// creates tasks.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "taskrt/task/task_call.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Does the task say that it knows of no block there?
bool MayBePlain(const PointerTask& task, std::uintptr_t pointer) {
  return std::any_of(task.maps.begin(), task.maps.end(), [&](const PointerMap* map) {
    return map->if_present && map->host == pointer;
  });
}

}  // namespace

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
    if (map->if_present) continue;
    const auto at = KnownAt(begin, map->bytes, lock);
    if (!at.ok()) return at.status();
    Known& known = **at;
    if (task.created_by != nullptr && task.created_by->Holds(known.begin)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the block ", DescribeRange(known.begin, known.bytes),
                       " is used by the task that creates this one, or by one above it"));
    }
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
    const bool is_present = known.value.regions > 0 || known.value.is_kept;
    const bool writes = map->to_host || map->loses;
    // What is in a data region is not copied by its tasks' maps: it keeps what it has.
    use.to_device = use.to_device || map->to_device || (is_present && known.value.regions > 0);
    use.to_host = use.to_host || writes;
    const bool is_whole = map->bytes == 0 || map->bytes == known.bytes;
    use.is_map_whole = use.is_map_whole || (is_whole && writes);
    if (!is_present) known.value.is_scratch = map->loses;
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
  return absl::OkStatus();
}

// Blocks that a pointer may be into, and that no other word of the task names.
void PointerRuntime::AddPresent(const PointerTask& task, Draft& draft) {
  for (const PointerMap* const map : task.maps) {
    if (!map->if_present) continue;
    Known* const known = pointers_.Find(map->host);
    if (known == nullptr || known->bytes == 0 || draft.Find(map->host)) continue;
    if (task.created_by != nullptr && task.created_by->Holds(known->begin)) continue;
    PointerUse& use = draft.UseOf(*known);
    use.to_device = use.to_host = true;
  }
}

void PointerRuntime::AddOrder(const PointerTask& task, std::vector<Access>& accesses) {
  for (const Handle order : task.order_out) accesses.push_back({order, Mode::kInOut});
  for (const Handle order : task.order_in) accesses.push_back({order, Mode::kIn});
}

void PointerRuntime::FillCall(PointerFunction function, const PointerTask& task,
                              PointerCall& call) {
  call.function = function;
  call.arguments.resize(task.args.size());
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  const auto room = [](std::size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); };
  std::size_t bytes = 0;
  for (const std::size_t each : task.copied) bytes += room(each);
  if (bytes > 0) call.copies = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* at = call.copies.get();
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    call.arguments[i] = {.value = task.args[i]};
    if (task.copied.empty() || task.copied[i] == 0) continue;
    std::memcpy(at, task.args[i], task.copied[i]);
    call.arguments[i].value = at;
    at += room(task.copied[i]);
  }
}

// Tiles are in the order of the arguments that point to them. `runs`: the code that the task can
// run, which may be another one.
absl::Status PointerRuntime::AddArguments(const Code& code, const PointerTask& task, Draft& draft,
                                          const Code*& runs) {
  const auto tile_of = [&tiles = draft.tiles](std::size_t use) {
    const auto at = std::find(tiles.begin(), tiles.end(), use);
    const auto tile = at - tiles.begin();
    if (at == tiles.end()) tiles.push_back(use);
    return static_cast<int>(tile);
  };
  FillCall(code.function, task, *draft.call);
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    if (!task.copied.empty() && task.copied[i] > 0) continue;
    PointerCall::Argument& argument = draft.call->arguments[i];
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
    } else if (const Known* other = pointers_.Find(pointer);
               other != nullptr && code.is_target && !MayBePlain(task, pointer)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, ", ", DescribeRange(pointer, 0), ", points into the block ",
                       DescribeRange(other->begin, other->bytes),
                       ", which no dependency and no map of the task names"));
    }
  }
  for (std::size_t use = 0; use < draft.uses.size(); ++use) (void)tile_of(use);
  const bool has_text = code.without_text != nullptr && code.kernel.opencl() != nullptr;
  if (has_text && !AddLoopScalars(*code.kernel.opencl(), task, draft)) runs = code.without_text;
  return AddScalars(code, draft);
}

// Of each argument the bytes that it points to, or how far it points into its block. False: a
// pointer is into no block, or into one that another points into.
bool PointerRuntime::AddLoopScalars(const OpenClKernel& opencl, const PointerTask& task,
                                    Draft& draft) {
  const std::vector<PointerCall::Argument>& arguments = draft.call->arguments;
  if (arguments.size() != opencl.scalar_bytes.size()) return false;
  int tiles = 0;
  std::vector<std::byte> scalars;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PointerCall::Argument& argument = arguments[i];
    const bool is_copied = !task.copied.empty() && task.copied[i] > 0;
    const std::size_t bytes = is_copied ? task.copied[i] : sizeof argument.offset;
    if (bytes != opencl.scalar_bytes[i] || (!is_copied && argument.tile != tiles++)) return false;
    const auto* const begin =
        static_cast<const std::byte*>(is_copied ? argument.value : &argument.offset);
    scalars.insert(scalars.end(), begin, begin + bytes);
  }
  if (tiles != opencl.blocks) return false;
  draft.scalars = std::move(scalars);
  return true;
}

absl::Status PointerRuntime::AddScalars(const Code& code, Draft& draft) {
  // Functions of all kinds of devices get the same arguments; kernels of loops get their own.
  const OpenClKernel* const opencl =
      code.without_text == nullptr ? code.kernel.opencl().get() : nullptr;
  const CudaKernel* const cuda = code.kernel.cuda().get();
  if (opencl != nullptr || cuda != nullptr) {
    const char* const whose = opencl != nullptr ? "OpenCL's" : "CUDA's";
    const std::vector<std::size_t>& scalar_bytes =
        opencl != nullptr ? opencl->scalar_bytes : cuda->scalar_bytes;
    int tiles = 0;
    std::size_t scalars = 0;
    for (const PointerCall::Argument& argument : draft.call->arguments) {
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
  const PointerCall* const call = draft.call;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&call);
  draft.scalars.insert(draft.scalars.end(), bytes, bytes + sizeof call);
  return absl::OkStatus();
}

}  // namespace taskrt
