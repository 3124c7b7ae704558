// A task while it is created: the words of a PointerTask become accesses, arguments and scalars.
//
// Threads: one, which holds the lock of the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "taskrt/ompc/pointers/pointer_blocks.h"
#include "taskrt/ompc/pointers/pointer_task.h"
#include "taskrt/ompc/pointers/pointers.h"

namespace taskrt {

// A value. What it is made of outlives it.
class PointerDraft {
 public:
  PointerDraft(PointerBlocks& blocks, const PointerCode& code, const PointerTask& task,
               PointerCall& call)
      : blocks_(blocks), code_(code), task_(task), call_(call), runs_(&code) {}

  // Of a task with blocks, or for devices. Errors: InvalidArgument, a sentence.
  absl::Status Fill(PointerBlocks::Lock& lock);
  // Of another task, without the lock.
  absl::Status FillWithoutBlocks();

  // The code that the task can run, which may be code.without_text.
  const PointerCode& runs() const { return *runs_; }
  std::span<const std::byte> scalars() const { return scalars_; }
  // Calls `use(known, mode)` for each block in the order of the task's accesses.
  template <typename Use>
  void ForEachUse(Use use) {
    for (const std::size_t tile : tiles_) use(*uses_[tile].known, ModeOf(uses_[tile].of_task));
  }

 private:
  using Known = PointerBlocks::Known;
  struct Use {
    Known* known = nullptr;
    PointerUse of_task;
  };

  PointerUse& UseOf(Known& known);
  std::optional<std::size_t> Find(std::uintptr_t pointer) const;
  bool IsUsedAbove(const Known& known) const {
    return task_.created_by != nullptr && task_.created_by->Uses(known.begin);
  }
  bool MayBePlain(std::uintptr_t pointer) const;
  absl::Status AddMaps(PointerBlocks::Lock& lock);
  absl::Status AddDependencies(PointerBlocks::Lock& lock);
  void AddPresent();
  absl::Status AddArguments();
  absl::Status AddScalars();
  bool AddLoopScalars(const OpenClKernel& opencl);

  PointerBlocks& blocks_;
  const PointerCode& code_;
  const PointerTask& task_;
  PointerCall& call_;
  const PointerCode* runs_;
  std::vector<Use> uses_;
  std::map<std::uintptr_t, Known*> by_base_pointer_;  // of its maps
  std::vector<std::size_t> tiles_;                    // of uses_, as its accesses will be
  std::vector<std::byte> scalars_;
};

}  // namespace taskrt
