// OpenMP's device data environment: which blocks are present on the devices, by their reference
// counts, and where their newest values are when a data region ends or is updated. The devices
// share one environment, as the runtime chooses where a target runs.
//
// A task's own maps end with the task (ExitTarget); a data region begins by Enter and ends by Exit.
// A task of the runtime makes no new block present: other tasks may come to use the same memory,
// and wait for that task.
//
// Threads: any.
//
// Source: OpenMP 5.1, sections 2.14.4 to 2.14.7 and 2.21.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/pointer_blocks.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/pointers/pointer_task.h"

namespace taskrt {

// The change of the reference count at the end of a data region.
enum class ExitType {
  kRelease,  // one less
  kDelete,   // OpenMP's map type delete: it is zero then
};

// A value: a view of a runtime's blocks, which outlives it.
class DataEnvironment {
 public:
  explicit DataEnvironment(PointerRuntime& runtime)
      : runtime_(runtime.runtime()), blocks_(runtime.blocks()) {}

  // target enter data: the reference count of the map's block is one more. The first makes the
  // block present. Errors: InvalidArgument: the block's size is not known, or the map is in part
  // another block's.
  absl::Status Enter(const PointerMap& map, const Caller& caller);
  // target exit data: where the count is zero then, the block's value comes to the host if the map
  // says so, and is lost otherwise.
  absl::Status Exit(const PointerMap& map, ExitType type, const Caller& caller);
  // target update: the host has the newest value of the map's part of a block; and: it gets it.
  absl::Status UpdateDevice(const PointerMap& map, const Caller& caller);
  absl::Status UpdateHost(const PointerMap& map, const Caller& caller);

  // The end of a target's own maps: the values are home, and blocks that are not present, and that
  // no other task uses, are blocks no more.
  absl::Status ExitTarget(std::span<const PointerMap* const> maps);
  // The same of all blocks whose maps had the types alloc or release alone.
  absl::Status ExitReleased();

  bool HasRegions();  // Is some block's reference count above zero?
  bool IsPresent(const PointerMap& map);
  // Is the map of a block that the caller, or a task above it, uses?
  bool IsUsedBy(const Caller& caller, const PointerMap& map);

 private:
  using Known = PointerBlocks::Known;
  using Lock = PointerBlocks::Lock;
  // Whose value of a block counts when it ends.
  enum class Newest { kDevice, kHost };

  static bool MayWaitFor(const Known& known, const Caller& caller);
  absl::Status EndBlock(std::uintptr_t begin, Newest newest, Lock& lock);
  absl::Status RunOn(Handle handle, Mode mode, const Kernel& kernel,
                     std::span<const std::byte> scalars);

  Runtime& runtime_;
  PointerBlocks& blocks_;
};

}  // namespace taskrt
