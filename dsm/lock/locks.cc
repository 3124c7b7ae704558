#include "dsm/lock/locks.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "topo/atomic.h"

namespace dsm {
namespace {

// A turn ends with its first term after this time: some terms of short sections, and one of long
// ones.
constexpr std::chrono::milliseconds kYoung{1};
// Some hundred nanoseconds, in which a thread that locks in a loop comes back.
constexpr int kPausesToLinger = 40;

}  // namespace

LockId Locks::New(int home) {
  const topo::Lock lock(mutex_);
  return {home, made_[home]++};
}

absl::Status Locks::WhyHomeIsGone(LockId id) const {
  return absl::UnavailableError(peers_->HowGone(id.home) + ", the lock's home");
}

absl::StatusOr<Locks::Entered> Locks::Lock(LockId id) {
  Waiter waiter;
  waiter.id = id;
  std::uint64_t number = 0;
  auto entry = Cohort::Entry::kWaits;
  {
    // Before the request: the home may be lost from then on, and its grant may come.
    const topo::Lock lock(mutex_);
    if (gone_.contains(id.home)) return WhyHomeIsGone(id);
    number = ++requests_;
    entry = own_[id].cohort.Enter(number);
    if (entry == Cohort::Entry::kHolds) return Entered{};
    waiting_[number] = &waiter;
  }
  if (entry == Cohort::Entry::kAsk) {
    if (const absl::Status asked = Ask(id, number); !asked.ok()) return asked;
  }
  while (true) {
    peers_->WaitFor(waiter.answered);
    const topo::Lock lock(mutex_);
    if (waiter.answered.outcome() != llcl::Outcome::kDone) return WhyHomeIsGone(id);
    // The thread that says so has taken the waiter from the list.
    if (waiter.holds) return waiter.entered;
    if (const auto served_before = own_[id].cohort.TryAgain(number)) {
      waiting_.erase(number);
      return Entered{.locked = {.served_before = *served_before}};
    }
    waiter.answered.Reset();
  }
}

absl::StatusOr<bool> Locks::Unlock(LockId id) {
  {
    const topo::Lock lock(mutex_);
    OwnTurns& turns = own_[id];
    if (!turns.cohort.is_held()) {
      return absl::FailedPreconditionError("no thread of this rank has the lock");
    }
    const bool is_old =
        turns.cohort.ends_term() && std::chrono::steady_clock::now() - turns.began > kYoung;
    const Cohort::Exited exited =
        turns.cohort.Exit(is_old ? Cohort::Age::kOld : Cohort::Age::kYoung);
    if (exited.served) Serve(*exited.served, {});
    if (exited.woken) Wake(*exited.woken);
    if (!exited.lingers) return exited.ends_turn;
  }
  for (int i = 0; i < kPausesToLinger; ++i) topo::Pause();
  const topo::Lock lock(mutex_);
  return own_[id].cohort.EndLinger().ends_turn;
}

absl::Status Locks::GiveUp(LockId id, int left_inconsistent_by) {
  {
    const topo::Lock lock(mutex_);
    (void)own_[id].cohort.EndTurn();
  }
  return EndTurn(id, left_inconsistent_by);
}

absl::Status Locks::EndTurn(LockId id, int left_inconsistent_by) {
  std::uint64_t asker = 0;
  std::optional<Cohort::Number> next;
  {
    const topo::Lock lock(mutex_);
    OwnTurns& turns = own_[id];
    asker = turns.asker;
    next = turns.cohort.Left();
  }
  const absl::Status released = Send(id, {.lock = id.number,
                                          .releases = 1,
                                          .asker = asker,
                                          .left_inconsistent_by = left_inconsistent_by});
  if (next) (void)Ask(id, *next);
  return released;
}

absl::Status Locks::Ask(LockId id, std::uint64_t asker) {
  const absl::Status sent = Send(id, {.lock = id.number, .asker = asker});
  if (sent.ok()) return sent;
  const topo::Lock lock(mutex_);
  FailAll(own_[id]);
  return sent;
}

// From here on no thread but the waiter's own knows of it.
void Locks::Serve(const Cohort::Served& served, const Entered& entered) {
  const auto found = waiting_.find(served.number);
  Waiter& waiter = *found->second;
  waiting_.erase(found);
  waiter.holds = true;
  waiter.entered = entered;
  waiter.entered.locked.served_before = served.served_before;
  waiter.answered.completion().Complete(llcl::Outcome::kDone);
}

void Locks::Wake(std::uint64_t number) {
  waiting_.at(number)->answered.completion().Complete(llcl::Outcome::kDone);
}

void Locks::FailAll(OwnTurns& turns) {
  for (const Cohort::Number number : turns.cohort.Fail()) {
    const auto found = waiting_.find(number);
    Waiter& waiter = *found->second;
    waiting_.erase(found);
    waiter.answered.completion().Complete(llcl::Outcome::kPeerDown);
  }
}

absl::Status Locks::Send(LockId id, const ToHome& message) {
  const llcl::Posted posted = peers_->endpoint().KeepTrying([&] {
    return peers_->endpoint().TrySend({.to = llcl::Rank{id.home},
                                       .handler = handlers_.to_home,
                                       .payload = std::as_bytes(std::span(&message, 1))});
  });
  if (posted == llcl::Posted::kPosted) return absl::OkStatus();
  return WhyHomeIsGone(id);
}

void Locks::OnMessageToHome(int from, std::span<const std::byte> bytes) {
  ToHome message;
  if (bytes.size() != sizeof message) return;
  std::memcpy(&message, bytes.data(), sizeof message);
  const LockQueue::Asker asker = {from, message.asker};
  const topo::Lock lock(mutex_);
  LockQueue& queue = queues_[message.lock];
  // A new queue knows nothing of ranks that went before.
  for (const int rank : gone_) (void)queue.Lose(rank);
  const auto grant = message.releases != 0
                         ? queue.Release(asker, static_cast<int>(message.left_inconsistent_by))
                         : queue.Request(asker);
  if (grant) SendGrant(*grant);
}

void Locks::SendGrant(const LockQueue::Grant& grant) {
  SendToWaiter(grant.to.rank, {.asker = grant.to.number,
                               .locked = {grant.left_inconsistent_by, grant.served_before}});
}

void Locks::SendToWaiter(int rank, const ToWaiter& message) {
  const llcl::Posted posted =
      peers_->endpoint().TrySend({.to = llcl::Rank{rank},
                                  .handler = handlers_.to_waiter,
                                  .payload = std::as_bytes(std::span(&message, 1))});
  // Else it is on its way, or the rank is gone, for which OnGone is called.
  if (posted != llcl::Posted::kFull && posted != llcl::Posted::kNoTag) return;
  // At the end of what waits for room, each time: the credits that this message lacks may come back
  // by what is behind it, on the other rank as here.
  peers_->endpoint().Later([this, rank, message] {
    SendToWaiter(rank, message);
    return true;
  });
}

void Locks::OnMessageToWaiter(std::span<const std::byte> bytes) {
  ToWaiter message;
  if (bytes.size() != sizeof message) return;
  std::memcpy(&message, bytes.data(), sizeof message);
  const topo::Lock lock(mutex_);
  const auto found = waiting_.find(message.asker);
  if (found == waiting_.end()) return;
  OwnTurns& turns = own_[found->second->id];
  if (!turns.cohort.is_asked()) return;
  turns.asker = message.asker;
  turns.began = std::chrono::steady_clock::now();
  Serve(turns.cohort.Grant(message.locked.served_before),
        {.locked = message.locked, .begins_turn = true});
}

void Locks::OnGone(int rank) {
  const topo::Lock lock(mutex_);
  gone_.insert(rank);
  for (auto& [number, queue] : queues_) {
    if (const auto grant = queue.Lose(rank)) SendGrant(*grant);
  }
  for (auto& [id, turns] : own_) {
    if (id.home == rank) FailAll(turns);
  }
}

}  // namespace dsm
