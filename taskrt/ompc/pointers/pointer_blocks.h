// The blocks of a runtime by the host pointers that mean them (pointers.h): OpenMP's present table.
//
// Threads: any; all but the construction and the destruction by the thread that holds mutex().
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/mutex.h"
#include "taskrt/handle.h"
#include "taskrt/ompc/pointers/pointers.h"
#include "taskrt/runtime.h"

namespace taskrt {

// A resource.
struct PointerBlock {
  Handle handle;
  bool is_programs = false;  // a task that no task has created uses it
  // OpenMP's reference count: of the data regions that the block is in.
  int reference_count = 0;
  bool is_infinite = false;    // the reference count is infinite, until ompc_target_unmap
  bool is_released = false;    // only mapped by alloc or release: the host keeps its own value
  std::uint64_t last_use = 0;  // by a task, of the table's uses
  int waiters = 0;             // threads that still need the handle
  std::unique_ptr<std::byte> placeholder;  // registered while the block's size is not known

  bool is_present() const { return reference_count > 0 || is_infinite; }
};

// A resource. The runtime outlives its uses.
class PointerBlocks {
 public:
  using Known = Pointers<PointerBlock>::Known;
  using Lock = std::unique_lock<lwt::Mutex>;

  explicit PointerBlocks(Runtime& runtime) : runtime_(runtime) {}

  lwt::Mutex& mutex() { return mutex_; }

  // The block that the pointer is into; null: none.
  Known* Find(std::uintptr_t pointer) { return pointers_.Find(pointer); }
  // Is the pointer into a block of a data region, or of ompc_target_map's?
  bool IsPresent(std::uintptr_t pointer) {
    const Known* const known = pointers_.Find(pointer);
    return known != nullptr && known->value.is_present();
  }
  // The block in which so many bytes are, once it is as large. Size 0: whatever is there. Lets go
  // of the lock while it waits for tasks. Errors: InvalidArgument: it is in part another block's.
  absl::StatusOr<Known*> At(std::uintptr_t begin, std::uint64_t bytes, Lock& lock);
  void Remove(const Known& known) { pointers_.Remove(known); }
  // A number above all that were returned before.
  std::uint64_t NewUse() { return ++uses_; }

  auto begin() { return pointers_.begin(); }
  auto end() { return pointers_.end(); }

 private:
  Known& Add(std::uintptr_t begin, std::uint64_t bytes);

  Runtime& runtime_;
  lwt::Mutex mutex_;
  Pointers<PointerBlock> pointers_;
  std::uint64_t uses_ = 0;
};

}  // namespace taskrt
