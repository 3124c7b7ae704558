#include "topo/affinity.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topo {

namespace affinity_state {
constinit thread_local const Slot* current_slot = nullptr;
}  // namespace affinity_state

PuSet PusOf(const Topology& topology, const Slot& slot, Level level) {
  const Pu* own = topology.Find(slot.pu);
  PuSet set;
  for (const Pu& pu : topology.pus()) {
    if (!pu.allowed || own == nullptr) continue;
    const bool member = level == Level::kPu     ? pu.id == own->id
                        : level == Level::kCore ? pu.core == own->core
                                                : topology.Home(pu) == slot.node;
    if (member) set.Insert(pu.id);
  }
  return set;
}

absl::StatusOr<ScopedAffinity> ScopedAffinity::Pin(const Topology& topology, const Slot& slot,
                                                   Level level) {
  ScopedAffinity scope;
  if (slot.pu != kAnyPu) {
    if (!topology.this_machine()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "cannot bind a thread by a topology of another machine: ", topology.source()));
    }
    absl::StatusOr<PuSet> before = AffinityMask(0);
    if (!before.ok()) return before.status();
    const absl::Status bound = SetAffinityMask(0, PusOf(topology, slot, level));
    if (!bound.ok()) {
      SetAffinityMask(0, *before).IgnoreError();  // It was in force a moment ago.
      return bound;
    }
    scope.previous_mask_ = *std::move(before);
    scope.bound_ = true;
  }
  scope.owns_ = true;
  scope.slot_ = std::make_unique<const Slot>(slot);
  scope.previous_slot_ = std::exchange(affinity_state::current_slot, scope.slot_.get());
  return scope;
}

ScopedAffinity::ScopedAffinity(ScopedAffinity&& other) noexcept
    : owns_(std::exchange(other.owns_, false)),
      bound_(other.bound_),
      previous_mask_(std::move(other.previous_mask_)),
      previous_slot_(other.previous_slot_),
      slot_(std::move(other.slot_)) {}

ScopedAffinity::~ScopedAffinity() {
  if (!owns_) return;
  if (affinity_state::current_slot != slot_.get()) {
    std::fprintf(stderr,
                 "%s:%d: a topo::ScopedAffinity ends on another thread than it began on, or before "
                 "one that began inside it\n",
                 __FILE__, __LINE__);
    std::abort();
  }
  affinity_state::current_slot = previous_slot_;
  // The cpuset may have shrunk meanwhile; the kernel then gives what is left.
  if (bound_) SetAffinityMask(0, previous_mask_).IgnoreError();
}

}  // namespace topo
