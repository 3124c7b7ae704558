#include "taskrt/ompc/pointers/pointer_draft.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

absl::Status PointerDraft::Fill(PointerBlocks::Lock& lock) {
  if (absl::Status added = AddMaps(lock); !added.ok()) return added;
  if (absl::Status added = AddDependencies(lock); !added.ok()) return added;
  AddPresent();
  return AddArguments();
}

absl::Status PointerDraft::FillWithoutBlocks() {
  call_.Fill(code_.function, task_);
  return AddScalars();
}

// Does the task say that it knows of no block there?
bool PointerDraft::MayBePlain(std::uintptr_t pointer) const {
  return std::any_of(task_.maps.begin(), task_.maps.end(), [&](const PointerMap* map) {
    return map->if_present && map->host == pointer;
  });
}

PointerUse& PointerDraft::UseOf(Known& known) {
  for (Use& use : uses_) {
    if (use.known == &known) return use.of_task;
  }
  return uses_.emplace_back(Use{&known, {}}).of_task;
}

// Of uses, that which the pointer means.
std::optional<std::size_t> PointerDraft::Find(std::uintptr_t pointer) const {
  const auto map = by_base_pointer_.find(pointer);
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Known& known = *uses_[i].known;
    const bool points_into =
        pointer == known.begin || (pointer > known.begin && pointer - known.begin < known.bytes);
    if (map != by_base_pointer_.end() ? map->second == &known : points_into) return i;
  }
  return std::nullopt;
}

absl::Status PointerDraft::AddMaps(PointerBlocks::Lock& lock) {
  for (const PointerMap* const map : task_.maps) {
    if (map == nullptr) return absl::InvalidArgumentError("a map descriptor is null");
    const std::uintptr_t begin = map->begin();
    if (map->if_present) continue;
    const auto at = blocks_.At(begin, map->bytes, lock);
    if (!at.ok()) return at.status();
    Known& known = **at;
    if (IsUsedAbove(known)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the block ", DescribeRange(known.begin, known.bytes),
                       " is used by the task that creates this one, or by one above it"));
    }
    if (known.bytes == 0) {
      return absl::InvalidArgumentError(absl::StrCat("a map is of all of the block at ",
                                                     DescribeRange(begin, 0),
                                                     ", whose size was not told"));
    }
    if (by_base_pointer_.try_emplace(map->host, &known).first->second != &known) {
      return absl::InvalidArgumentError(
          absl::StrCat("maps of two blocks have the host pointer ", DescribeRange(map->host, 0)));
    }
    PointerUse& use = UseOf(known);
    const bool writes = map->to_host || map->is_released;
    // A block of a data region is not copied by its tasks' maps: it keeps its value.
    use.to_device = use.to_device || map->to_device || known.value.reference_count > 0;
    use.to_host = use.to_host || writes;
    const bool is_whole = map->bytes == 0 || map->bytes == known.bytes;
    use.is_map_whole = use.is_map_whole || (is_whole && writes);
    if (!known.value.is_present()) known.value.is_released = map->is_released;
  }
  return absl::OkStatus();
}

absl::Status PointerDraft::AddDependencies(PointerBlocks::Lock& lock) {
  for (const bool is_in : {true, false}) {
    for (void* const pointer : is_in ? task_.in : task_.out) {
      if (pointer == nullptr) return absl::InvalidArgumentError("a dependency is null");
      const auto map = by_base_pointer_.find(Address(pointer));
      Known* known = map == by_base_pointer_.end() ? nullptr : map->second;
      if (known == nullptr) {
        const auto at = blocks_.At(Address(pointer), 0, lock);
        if (!at.ok()) return at.status();
        known = *at;
      }
      PointerUse& use = UseOf(*known);
      (is_in ? use.in : use.out) = true;
    }
  }
  return absl::OkStatus();
}

// Blocks that a pointer may be into, and that no other word of the task names.
void PointerDraft::AddPresent() {
  for (const PointerMap* const map : task_.maps) {
    if (!map->if_present) continue;
    Known* const known = blocks_.Find(map->host);
    if (known == nullptr || known->bytes == 0 || Find(map->host)) continue;
    if (IsUsedAbove(*known)) continue;
    PointerUse& use = UseOf(*known);
    use.to_device = use.to_host = true;
  }
}

// Tiles are in the order of the arguments that point to them.
absl::Status PointerDraft::AddArguments() {
  const auto tile_of = [&tiles = tiles_](std::size_t use) {
    const auto at = std::find(tiles.begin(), tiles.end(), use);
    const auto tile = at - tiles.begin();
    if (at == tiles.end()) tiles.push_back(use);
    return static_cast<int>(tile);
  };
  call_.Fill(code_.function, task_);
  for (std::size_t i = 0; i < task_.args.size(); ++i) {
    if (!task_.copied.empty() && task_.copied[i] > 0) continue;
    PointerCall::Argument& argument = call_.arguments[i];
    const std::uintptr_t pointer = Address(argument.value);
    if (const auto use = Find(pointer)) {
      const Known& known = *uses_[*use].known;
      argument.offset = static_cast<std::ptrdiff_t>(pointer - known.begin);
      // Of unknown size it is nowhere but on the host.
      if (known.bytes > 0) argument.tile = tile_of(*use);
      if (known.bytes == 0 && code_.is_target) {
        return absl::InvalidArgumentError(absl::StrCat("argument ", i, ", ",
                                                       DescribeRange(pointer, 0),
                                                       ", is a block whose size no map told"));
      }
    } else if (const Known* other = blocks_.Find(pointer);
               other != nullptr && code_.is_target && !MayBePlain(pointer)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, ", ", DescribeRange(pointer, 0), ", points into the block ",
                       DescribeRange(other->begin, other->bytes),
                       ", which no dependency and no map of the task names"));
    }
  }
  for (std::size_t use = 0; use < uses_.size(); ++use) (void)tile_of(use);
  const bool has_text = code_.without_text != nullptr && code_.kernel.opencl() != nullptr;
  if (has_text && !AddLoopScalars(*code_.kernel.opencl())) runs_ = code_.without_text;
  return AddScalars();
}

// Of each argument the bytes that it points to, or how far it points into its block. False: a
// pointer is into no block, or into one that another points into.
bool PointerDraft::AddLoopScalars(const OpenClKernel& opencl) {
  const std::vector<PointerCall::Argument>& arguments = call_.arguments;
  if (arguments.size() != opencl.scalar_bytes.size()) return false;
  int tiles = 0;
  std::vector<std::byte> scalars;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PointerCall::Argument& argument = arguments[i];
    const bool is_copied = !task_.copied.empty() && task_.copied[i] > 0;
    const std::size_t bytes = is_copied ? task_.copied[i] : sizeof argument.offset;
    if (bytes != opencl.scalar_bytes[i] || (!is_copied && argument.tile != tiles++)) return false;
    const auto* const begin =
        static_cast<const std::byte*>(is_copied ? argument.value : &argument.offset);
    scalars.insert(scalars.end(), begin, begin + bytes);
  }
  if (tiles != opencl.blocks) return false;
  scalars_ = std::move(scalars);
  return true;
}

absl::Status PointerDraft::AddScalars() {
  // Functions of all kinds of devices get the same arguments; kernels of loops get their own.
  const OpenClKernel* const opencl =
      code_.without_text == nullptr ? code_.kernel.opencl().get() : nullptr;
  const CudaKernel* const cuda = code_.kernel.cuda().get();
  if (opencl != nullptr || cuda != nullptr) {
    const char* const whose = opencl != nullptr ? "OpenCL's" : "CUDA's";
    const std::vector<std::size_t>& scalar_bytes =
        opencl != nullptr ? opencl->scalar_bytes : cuda->scalar_bytes;
    int tiles = 0;
    std::size_t scalars = 0;
    for (const PointerCall::Argument& argument : call_.arguments) {
      if (argument.tile >= 0) {
        if (argument.tile != tiles++ || argument.offset != 0) {
          return absl::InvalidArgumentError(
              absl::StrCat(whose, " pointers are the beginnings of different blocks"));
        }
        continue;
      }
      if (scalars < scalar_bytes.size()) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&argument.value);
        scalars_.insert(scalars_.end(), bytes, bytes + scalar_bytes[scalars]);
      }
      ++scalars;
    }
    if (tiles != static_cast<int>(tiles_.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(whose, " pointers are all blocks of the task"));
    }
    if (scalars != scalar_bytes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(scalars, " scalars, but ", scalar_bytes.size(), " were registered"));
    }
  }
  const PointerCall* const call = &call_;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&call);
  scalars_.insert(scalars_.end(), bytes, bytes + sizeof call);
  return absl::OkStatus();
}

}  // namespace taskrt
