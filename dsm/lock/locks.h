// The locks of a space: their queues, for those that are at home here, and the threads of this rank
// that wait for any. Messages go between the two:
//
//   waiter --request--> home --grant--> waiter ... holder --release--> home
//
// Threads: any, all members.
// Order: what came before a release happens before what follows the next grant of that lock.
// Progress: the handlers of messages and losses never wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "dsm/lock/lock_order.h"
#include "dsm/lock/lock_queue.h"
#include "dsm/peers/peers.h"
#include "llcl/completion.h"
#include "llcl/messenger.h"

namespace dsm {

// How a lock was got. A value.
struct Locked {
  // The rank that held it before, and is gone, or whose changes did not all get home.
  int left_inconsistent_by = LockQueue::kNobody;
  std::uint64_t served_before = 0;
};

// Which lock. A value.
struct LockId {
  int home = 0;
  std::uint32_t number = 0;  // at that home
  auto operator<=>(const LockId&) const = default;
};

// A resource.
class Locks {
 public:
  // Messages of the two kinds go to these handlers.
  struct Handlers {
    llcl::HandlerId to_home{}, to_waiter{};
  };
  explicit Locks(Handlers handlers) : handlers_(handlers) {}
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;
  // Before New, Lock and Unlock. The peers outlive all calls.
  void Begin(const Peers& peers) { peers_ = &peers; }

  // A new lock; all ranks call it in the same order.
  LockId New(int home);
  // Errors: Unavailable where the home is gone.
  absl::StatusOr<Locked> Lock(LockId id);
  // `left_inconsistent_by`: the next grant's Locked says so. Precondition: a thread of this rank
  // has the lock. Errors: as Lock.
  absl::Status Unlock(LockId id, int left_inconsistent_by = LockQueue::kNobody);

  void OnMessageToHome(int from, std::span<const std::byte> message);
  void OnMessageToWaiter(std::span<const std::byte> message);
  void OnGone(int rank);

 private:
  struct ToHome {
    std::uint32_t lock = 0;
    std::uint32_t releases = 0;  // else it asks
    std::uint64_t asker = 0;
    std::int64_t left_inconsistent_by = LockQueue::kNobody;
  };
  struct ToWaiter {
    std::uint64_t asker = 0;
    Locked locked;
  };
  struct Waiter {
    int home = 0;
    Locked locked;
    llcl::Flag answered;
  };

  absl::Status Send(LockId id, const ToHome& message);
  void SendGrant(const LockQueue::Grant& grant);
  void SendToWaiter(int rank, const ToWaiter& message);

  const Handlers handlers_;
  const Peers* peers_ = nullptr;
  OrderedMutex<LockLevel::kLocks> mutex_;
  std::map<int, std::uint32_t> made_ ABSL_GUARDED_BY(mutex_);  // how many locks, by home
  // Of locks that are at home here, by number.
  std::map<std::uint32_t, LockQueue> queues_ ABSL_GUARDED_BY(mutex_);
  std::set<int> gone_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Waiter*> waiting_ ABSL_GUARDED_BY(mutex_);  // by number of the request
  std::map<LockId, std::uint64_t> held_ ABSL_GUARDED_BY(mutex_);  // by this rank: by which request
  std::uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dsm
