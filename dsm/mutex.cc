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
  // Others must not wait for who has failed, nor miss what it was told.
  (void)space_->locks().Unlock(id_, locked->left_inconsistent_by);
  return acquired;
}

absl::Status Mutex::Unlock() {
  const absl::Status released = space_->Release(protects_);
  // Others must not wait for who has failed.
  const absl::Status unlocked =
      space_->locks().Unlock(id_, released.ok() ? LockQueue::kNobody : space_->rank());
  return released.ok() ? unlocked : released;
}

}  // namespace dsm
