#include "lwt/victim.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lwt/contract.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/simulator.h"

namespace lwt {

Victim Worker::victim(int worker) const {
  CheckContract(worker >= 0 && worker < workers(), "a victim is a worker of the pool");
  return Victim(static_cast<const Scheduler*>(this)->shared().scheduler(worker));
}

void Victim::Put(ReadyThread thread) const {
  Descriptor* const given = ReadyThreads::Unwrap(std::move(thread));
  scheduler_->ready().CheckGiven(given, "Victim::Put");
  Descriptor& put = *given;
  put.entry = EntryOf(put);
  scheduler_->ready().queue().Put(put);
  scheduler_->ready().NotifyOthers();
}

// The thief has to be able to run what it takes.
void Victim::CheckThief(const char* call) const { Scheduler::OfPool(scheduler_->shared(), call); }

ReadyThread Victim::Take() const {
  CheckThief("Victim::Take");
  Scheduler& thief = *Scheduler::Current();
  // A record needs a thread, and cannot be put back.
  Descriptor* const spare = thief.cache().New();
  if (spare != nullptr) thief.cache().Free(*spare);
  Entry entry;
  const lwt::Take result = scheduler_->ready().queue().TakeIf(
      entry, [&](const Entry& found) { return spare != nullptr || !IsRecord(found.item); });
  return Taken(result, entry);
}

// Counts what a take brought.
ReadyThread Victim::Taken(lwt::Take result, const Entry& entry) const {
  Scheduler& thief = Scheduler::Here();
  if (result != lwt::Take::kTaken) {
    (result == lwt::Take::kEmpty ? thief.activity().counters.empty : thief.activity().counters.lost)
        .Add();
    return {};
  }
  Descriptor& thread = IsRecord(entry.item) ? *thief.ready().Promote(entry) : ThreadOf(entry.item);
  // A call from outside that has not begun is not stolen: no worker has run it yet.
  if (scheduler_ != &thief && !thread.is_new_call) {
    thief.activity().counters.steals.Add();
    thief.Trace(TraceEvent::Kind::kSteal, scheduler_->index(), thread.depth);
    thief.activity()
        .counters.steals_by_depth[std::min<std::uint32_t>(thread.depth, kMostDepths - 1)]
        .Add();
    if (thief.simulator() != nullptr) {
      thief.simulator()->OnSteal(thief, scheduler_->index());
    }
  }
  return ReadyThreads::Wrap(thread);
}

std::int64_t Victim::size() const { return scheduler_->ready().queue().SizeSeenByThief(); }

// On simulated workers what a peek found may be old by the time that it is known.
void Victim::Peeked() const {
  if (scheduler_->simulator() == nullptr) return;
  Scheduler* const thief = Scheduler::Current();
  if (thief == nullptr || thief == scheduler_) return;
  scheduler_->simulator()->OnPeek(*thief, scheduler_->index());
}

Descriptor* Victim::PeekThread(std::span<std::byte> hint, std::size_t& bytes) const {
  Entry entry;
  const bool is_there = scheduler_->ready().queue().Peek(entry) && !IsRecord(entry.item);
  Descriptor* const thread = is_there ? &ThreadOf(entry.item) : nullptr;
  const bool is_read = is_there && thread->hint.TryRead(hint, bytes);
  Peeked();
  return is_read ? thread : nullptr;
}

bool Victim::PeekBytes(std::span<std::byte> hint) const {
  const bool is_read = CopyHint(hint);
  Peeked();
  return is_read;
}

bool Victim::CopyHint(std::span<std::byte> hint) const {
  Entry entry;
  if (!scheduler_->ready().queue().Peek(entry)) return false;
  if (HintClass(entry.item) != HintClassOf(hint.size())) return false;
  if (hint.size() <= sizeof entry.hint) {
    std::memcpy(hint.data(), &entry.hint, hint.size());
    return true;
  }
  // A descriptor is never freed before the pool: at worst it is another thread's by now.
  std::size_t bytes = 0;
  return ThreadOf(entry.item).hint.TryRead(hint, bytes) && bytes == hint.size();
}

}  // namespace lwt
