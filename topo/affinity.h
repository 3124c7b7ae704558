// Putting a thread on its slot, and asking where it was put.
//
// ScopedAffinity pins the calling thread and restores the mask it found. It needs
// nothing of what made the thread, so it serves std::thread, an OpenMP region,
// a oneTBB arena (topo/tbb.h) and a runtime's workers alike.
//
// `CurrentSlot()` answers from a thread-local variable that the pin has set:
// no system call, so it may stand in an inner loop.
//
// Source: [ULIBC14] section 3.2; figure 6 lines (3) to (10).
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "topo/mapping.h"
#include "topo/pu_set.h"
#include "topo/topology.h"

namespace topo {

// How tightly a thread is bound to its slot.
enum class Level {
  kPu,    // to that hardware thread
  kCore,  // to any allowed hardware thread of the core
  kNode,  // to any allowed hardware thread of the NUMA node
};

// The allowed PUs that a thread at `slot` may use at that level.
PuSet PusOf(const Topology& topology, const Slot& slot, Level level);

// A resource. The calling thread is bound for as long as this lives.
//
// Threads: construct and destroy on the same thread. Scopes nest: the inner one
// ends first and gives back what the outer one had set. Anything else aborts.
class [[nodiscard]] ScopedAffinity {
 public:
  // Binds the calling thread. A slot of policy none binds nothing, but the
  // thread still answers CurrentSlot(). Errors: FailedPrecondition for a
  // topology that is not of this machine; PermissionDenied or InvalidArgument
  // where the kernel refuses, naming PUs; nothing is then left changed.
  static absl::StatusOr<ScopedAffinity> Pin(const Topology& topology, const Slot& slot,
                                            Level level = Level::kPu);

  ScopedAffinity(ScopedAffinity&& other) noexcept;
  ScopedAffinity& operator=(ScopedAffinity&&) = delete;
  ~ScopedAffinity();

 private:
  ScopedAffinity() = default;

  bool owns_ = false;   // moved-from ones restore nothing
  bool bound_ = false;  // policy none has no mask to give back
  PuSet previous_mask_;
  const Slot* previous_slot_ = nullptr;
  // On the heap so that CurrentSlot() survives moves of this object.
  std::unique_ptr<const Slot> slot_;
};

namespace affinity_state {
// Written by the thread's own pins only. Initialized at compile time, so that
// reading it costs one load and no guard.
extern constinit thread_local const Slot* current_slot;
}  // namespace affinity_state

// The slot that the calling thread is pinned to by the innermost live
// ScopedAffinity, or null. Two nanoseconds at most.
inline const Slot* CurrentSlot() { return affinity_state::current_slot; }

}  // namespace topo
