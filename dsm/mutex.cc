#include "dsm/mutex.h"

#include "absl/strings/str_cat.h"
#include "dsm/threads/never_waits.h"

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
  never_waits::RequireNot("Mutex::Lock");
  const auto entered = space_->locks().Lock(id_);
  if (!entered.ok()) return entered.status();
  if (!entered->begins_turn) return entered->locked;
  const absl::Status acquired = space_->Acquire(protects_);
  if (acquired.ok()) return entered->locked;
  // The lock goes on to the next rank, with the news that this grant has brought.
  (void)space_->locks().GiveUp(id_, entered->locked.left_inconsistent_by);
  return acquired;
}

absl::Status Mutex::Unlock() {
  never_waits::RequireNot("Mutex::Unlock");
  const absl::StatusOr<bool> ends_turn = space_->locks().Unlock(id_);
  if (!ends_turn.ok()) return ends_turn.status();
  if (!*ends_turn) return absl::OkStatus();
  const absl::Status released = space_->Release(protects_);
  // The lock is given back though changes are lost; the next grant names this rank.
  const absl::Status ended =
      space_->locks().EndTurn(id_, released.ok() ? LockQueue::kNobody : space_->rank());
  return released.ok() ? ended : released;
}

}  // namespace dsm
