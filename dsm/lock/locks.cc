#include "dsm/lock/locks.h"

#include <cstring>
#include <string>
#include <vector>

namespace dsm {

LockId Locks::New(int home) {
  const topo::Lock lock(mutex_);
  return {home, made_[home]++};
}

absl::StatusOr<Locked> Locks::Lock(LockId id) {
  Waiter waiter;
  waiter.home = id.home;
  std::uint64_t number = 0;
  {
    // Before the request: the home may be lost from then on, and its grant may come.
    const topo::Lock lock(mutex_);
    number = ++requests_;
    waiting_[number] = &waiter;
  }
  if (const absl::Status sent = Send(id, {.lock = id.number, .asker = number}); !sent.ok()) {
    const topo::Lock lock(mutex_);
    waiting_.erase(number);
    return sent;
  }
  peers_->WaitFor(waiter.answered);
  // The thread that raised the flag has taken the waiter from the list under the mutex; from then
  // on no thread knows of it.
  const topo::Lock lock(mutex_);
  if (waiter.answered.outcome() != llcl::Outcome::kDone) {
    return absl::UnavailableError(peers_->HowGone(id.home) + ", the lock's home");
  }
  held_[id] = number;
  return waiter.locked;
}

absl::Status Locks::Unlock(LockId id, int left_inconsistent_by) {
  std::uint64_t number = 0;
  {
    const topo::Lock lock(mutex_);
    const auto found = held_.find(id);
    if (found == held_.end()) {
      return absl::FailedPreconditionError("no thread of this rank has the lock");
    }
    number = found->second;
    held_.erase(found);
  }
  return Send(id, {.lock = id.number,
                   .releases = 1,
                   .asker = number,
                   .left_inconsistent_by = left_inconsistent_by});
}

absl::Status Locks::Send(LockId id, const ToHome& message) {
  const llcl::Posted posted = peers_->endpoint().KeepTrying([&] {
    return peers_->endpoint().TrySend({.to = llcl::Rank{id.home},
                                       .handler = handlers_.to_home,
                                       .payload = std::as_bytes(std::span(&message, 1))});
  });
  if (posted == llcl::Posted::kPosted) return absl::OkStatus();
  return absl::UnavailableError(peers_->HowGone(id.home) + ", the lock's home");
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
  Waiter& waiter = *found->second;
  waiting_.erase(found);
  waiter.locked = message.locked;
  waiter.answered.completion().Complete(llcl::Outcome::kDone);
}

void Locks::OnGone(int rank) {
  const topo::Lock lock(mutex_);
  gone_.insert(rank);
  for (auto& [number, queue] : queues_) {
    if (const auto grant = queue.Lose(rank)) SendGrant(*grant);
  }
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    Waiter& waiter = *at->second;
    if (waiter.home != rank) {
      ++at;
      continue;
    }
    at = waiting_.erase(at);
    waiter.answered.completion().Complete(llcl::Outcome::kPeerDown);
  }
}

}  // namespace dsm
