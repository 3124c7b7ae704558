#include "dsm/home/remote_atomics.h"

#include <utility>

namespace dsm {

absl::StatusOr<std::unique_ptr<RemoteAtomics>> RemoteAtomics::Make(const Peers& peers,
                                                                   const AddressMap& map,
                                                                   const SpaceMemory& memory,
                                                                   HomeClaims& claims) {
  std::unique_ptr<RemoteAtomics> atomics(new RemoteAtomics(peers, map, memory, claims));
  auto answers = peers.endpoint().Allocate(kSlots * kSlotBytes);
  if (!answers.ok()) return answers.status();
  atomics->answers_ = *std::move(answers);
  return atomics;
}

RemoteAtomics::AnswerSlot::AnswerSlot(RemoteAtomics& atomics)
    : atomics_(atomics), slot_(atomics.free_slots_.TryTake()) {
  while (slot_ == llcl::kNullTag) {
    atomics_.peers_.endpoint().TryAdvance();
    slot_ = atomics_.free_slots_.TryTake();
  }
}

RemoteAtomics::AnswerSlot::~AnswerSlot() {
  if (is_free_) atomics_.free_slots_.Free(slot_);
}

}  // namespace dsm
