#include "llcl/endpoint/departures.h"

#include <utility>

namespace llcl {

bool Departures::SetPresence(Rank rank, Presence gone) {
  Presence here = Presence::kHere;
  const bool was_here =
      presence_[static_cast<std::size_t>(ToInt(rank))].compare_exchange_strong(here, gone);
  OnHeard(rank);
  return was_here;
}

bool Departures::Report(std::vector<Rank>& lost) {
  if (!mutex_.TryLock()) return false;  // Another thread does it.
  if (!is_waiting_) {
    losses_ = executors_.losses();
    noticed_.clear();
    for (int rank = 0; rank < size_; ++rank) {
      if (executors_.IsDown(Rank{rank}) && PresenceOf(Rank{rank}) == Presence::kHere) {
        noticed_.push_back(Rank{rank});
      }
    }
    executors_.MarkBatches();
    is_waiting_ = true;
  }
  if (!executors_.HaveHandledMarked()) {
    mutex_.Unlock();
    return false;
  }
  is_waiting_ = false;
  std::vector<Rank> left;
  for (const Rank rank : noticed_) {
    const bool leaves = ExpectedOf(rank) == Presence::kLeft;
    if (!SetPresence(rank, leaves ? Presence::kLeft : Presence::kLost)) continue;
    (leaves ? left : lost).push_back(rank);
  }
  seen_.store(losses_, std::memory_order_relaxed);
  mutex_.Unlock();
  if (is_silent_.load(std::memory_order_relaxed)) return true;
  for (const Rank rank : lost) {
    if (on_loss_) on_loss_(rank);
  }
  for (const Rank rank : left) {
    if (on_leave_) on_leave_(rank);
  }
  return true;
}

void Departures::ExpectHearing(Rank rank) {
  unheard_.fetch_add(1, std::memory_order_relaxed);
  is_to_hear_[static_cast<std::size_t>(ToInt(rank))].store(true);
  // The rank may have gone meanwhile.
  if (presence_[static_cast<std::size_t>(ToInt(rank))].load() != Presence::kHere) OnHeard(rank);
}

void Departures::OnHeard(Rank rank) {
  if (!is_to_hear_[static_cast<std::size_t>(ToInt(rank))].exchange(false)) return;
  unheard_.fetch_sub(1, std::memory_order_relaxed);
}

void Departures::OnFarewell(Rank rank) {
  if (!SetPresence(rank, Presence::kLeft)) return;
  executors_.OnLeft(rank);
  if (on_leave_ && !is_silent_.load(std::memory_order_relaxed)) on_leave_(rank);
}

}  // namespace llcl
