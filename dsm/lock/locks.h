// The locks of a space: the queues of ranks, for locks that are at home here, and the threads of
// this rank that wait for any (cohort.h). Messages go between the two:
//
//   rank --request--> home --grant--> rank (serves its threads) --release--> home
//
// Threads: any, all members.
// Order: what came before a release happens before what follows the next grant of that lock.
// Progress: the handlers of messages and losses never wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "dsm/lock/cohort.h"
#include "dsm/lock/lock_queue.h"
#include "dsm/peers/peers.h"
#include "dsm/threads/lock_order.h"
#include "llcl/completion.h"
#include "llcl/messenger.h"

namespace dsm {

// How a lock was got. A value.
struct Locked {
  // The rank that held it before, and is gone, or whose changes did not all get home.
  int left_inconsistent_by = LockQueue::kNobody;
  // Threads of this rank and turns of others that were served since the thread asked.
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
  // Before the members that follow. The peers outlive all calls.
  void Begin(const Peers& peers) { peers_ = &peers; }

  // A new lock; all ranks call it in the same order.
  LockId New(int home);
  // A lock that a thread has.
  struct Entered {
    Locked locked;
    bool begins_turn = false;  // of this rank, which has not seen yet what others wrote
  };
  // Errors: Unavailable where the home is gone.
  absl::StatusOr<Entered> Lock(LockId id);
  // A thread of this rank gives the lock back. True: EndTurn must follow, when the changes of the
  // rank's turn are at home. Errors: FailedPrecondition where no thread of this rank has it.
  absl::StatusOr<bool> Unlock(LockId id);
  // `left_inconsistent_by`: the next grant's Locked says so. Errors: as Lock.
  absl::Status EndTurn(LockId id, int left_inconsistent_by = LockQueue::kNobody);
  // Instead of Unlock and EndTurn: the turn ends though threads of this rank wait. Errors: as Lock.
  absl::Status GiveUp(LockId id, int left_inconsistent_by);

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
    LockId id;
    bool holds = false;  // else it tries again
    Entered entered;
    llcl::Flag answered;
  };
  // A lock as this rank knows it.
  struct OwnTurns {
    Cohort cohort;
    std::uint64_t asker = 0;  // the number of the request that the turn was granted to
    std::chrono::steady_clock::time_point began;  // the turn
  };

  absl::Status WhyHomeIsGone(LockId id) const;
  absl::Status Ask(LockId id, std::uint64_t asker);
  void Wake(std::uint64_t number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Serve(const Cohort::Served& served, const Entered& entered)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FailAll(OwnTurns& turns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
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
  std::map<LockId, OwnTurns> own_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dsm
