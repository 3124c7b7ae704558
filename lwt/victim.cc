#include "lwt/victim.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lwt/contract.h"
#include "lwt/pool.h"

namespace lwt {

Victim Worker::victim(int worker) const {
  CheckContract(worker >= 0 && worker < workers(), "a victim is a worker of the pool");
  return Victim(pool_.worker(worker));
}

void Victim::Put(ReadyThread thread) const {
  Descriptor* const given = Worker::Unwrap(std::move(thread));
  worker_->CheckTaken(given, "Victim::Put");
  Descriptor& put = *given;
  put.entry = EntryOf(put);
  worker_->queue_.Put(put);
  worker_->NotifyOthers();
}

// Who takes a thread has to be able to run it.
void Victim::CheckThief(const char* call) const { Worker::OfPool(worker_->pool(), call); }

ReadyThread Victim::Take() const {
  CheckThief("Victim::Take");
  Worker& thief = *Worker::Current();
  // A record needs a thread, and cannot be put back.
  Descriptor* const spare = thief.cache_.New();
  if (spare != nullptr) thief.cache_.Free(*spare);
  Entry entry;
  const lwt::Take result = worker_->queue_.TakeIf(
      entry, [&](const Entry& found) { return spare != nullptr || !IsRecord(found.item); });
  return Taken(result, entry);
}

// Counts what a take brought.
ReadyThread Victim::Taken(lwt::Take result, const Entry& entry) const {
  Worker& thief = Worker::Here();
  if (result != lwt::Take::kTaken) {
    (result == lwt::Take::kEmpty ? thief.counters_.empty : thief.counters_.lost).Add();
    return {};
  }
  Descriptor& thread = IsRecord(entry.item) ? *thief.Promote(entry) : ThreadOf(entry.item);
  // A call from outside that has not begun was nobody's work yet.
  if (worker_ != &thief && !thread.is_new_call) {
    thief.counters_.steals.Add();
    thief.Trace(TraceEvent::Kind::kSteal, worker_->index_, thread.depth);
    thief.counters_.steals_by_depth[std::min<std::uint32_t>(thread.depth, kMostDepths - 1)].Add();
    if (thief.simulator_ != nullptr) {
      thief.simulator_->Spend(thief, thief.simulator_->StealCost(thief.index_, worker_->index_),
                              &SimulatedTime::stealing_ns);
    }
  }
  return Worker::Wrap(thread);
}

std::int64_t Victim::size() const { return worker_->queue_.SizeSeenByThief(); }

Descriptor* Victim::PeekThread(std::span<std::byte> hint, std::size_t& bytes) const {
  Entry entry;
  if (!worker_->queue_.Peek(entry) || IsRecord(entry.item)) return nullptr;
  Descriptor& thread = ThreadOf(entry.item);
  return thread.hint.TryRead(hint, bytes) ? &thread : nullptr;
}

bool Victim::PeekBytes(std::span<std::byte> hint) const {
  Entry entry;
  if (!worker_->queue_.Peek(entry)) return false;
  if (HintClass(entry.item) != HintClassOf(hint.size())) return false;
  if (hint.size() <= sizeof entry.hint) {
    std::memcpy(hint.data(), &entry.hint, hint.size());
    return true;
  }
  // A descriptor is one for ever: at worst it is another thread's by now.
  std::size_t bytes = 0;
  return ThreadOf(entry.item).hint.TryRead(hint, bytes) && bytes == hint.size();
}

ReadyThread RandomVictim::Steal(Worker& self) {
  const int victim = self.RandomPeer();
  return victim == self.index() ? ReadyThread() : self.victim(victim).Take();
}

}  // namespace lwt
