#include "dsm/mutex.h"

#include "absl/strings/str_cat.h"

namespace dsm {

absl::StatusOr<Mutex> Mutex::Make(Space& space, int home, std::span<const std::byte> protects) {
  if (home < 0 || home >= space.ranks()) {
    return absl::InvalidArgumentError(
        absl::StrCat("home is ", home, ": it is a rank, 0 to ", space.ranks() - 1));
  }
  if (absl::Status good = space.CheckAllocated(protects); !good.ok()) return good;
  return Mutex(space, space.locks().New(home), protects);
}

absl::StatusOr<Locked> Mutex::Lock() {
  const absl::StatusOr<Locked> locked = space_->locks().Lock(id_);
  if (!locked.ok()) return locked;
  const absl::Status acquired = space_->Acquire(protects_);
  if (acquired.ok()) return locked;
  // The lock goes on to the next rank, with the news that this grant has brought.
  (void)space_->locks().Unlock(id_, locked->left_inconsistent_by);
  return acquired;
}

absl::Status Mutex::Unlock() {
  const absl::Status released = space_->Release(protects_);
  // The lock is given back though changes are lost; the next grant names this rank.
  const absl::Status unlocked =
      space_->locks().Unlock(id_, released.ok() ? LockQueue::kNobody : space_->rank());
  return released.ok() ? unlocked : released;
}

}  // namespace dsm
