// The departed ranks, left or lost. The program hears of each rank once.
//
// A leaving rank says farewell (collective/farewell.h). A device notices the end of a rank's
// process (smp/device.h, tcp/device.h, ofi/peers.h), but no reason: the farewell may lie in a batch
// of messages, received and not yet handled by another thread. So a rank counts as lost once all
// messages from before the notice are handled (executor/batches.h).
//
// Threads: any, all members, at the same time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/conduit/executors.h"
#include "llcl/presence.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A resource. `executors` outlive it.
class Departures {
 public:
  using Callback = std::function<void(Rank)>;  // or none
  // `on_loss` and `on_leave` are called once for each rank of `size` that is lost, or has left.
  Departures(Executors& executors, int size, Callback on_loss, Callback on_leave)
      : executors_(executors),
        size_(size),
        on_loss_(std::move(on_loss)),
        on_leave_(std::move(on_leave)),
        presence_(new std::atomic<Presence>[static_cast<std::size_t>(size)]()),
        expected_(new std::atomic<Presence>[static_cast<std::size_t>(size)]()),
        is_to_hear_(new std::atomic<bool>[static_cast<std::size_t>(size)]()) {}

  Presence PresenceOf(Rank rank) const {
    return presence_[static_cast<std::size_t>(ToInt(rank))].load(std::memory_order_acquire);
  }
  // The refusal of a request on `rank`, when a device says: gone.
  Posted Refusal(Rank rank) const {
    return PresenceOf(rank) == Presence::kLeft ? Posted::kLeft : Posted::kPeerDown;
  }

  // Have the devices lost ranks that Report has not looked at?
  bool has_new() const { return executors_.losses() != seen_.load(std::memory_order_relaxed); }
  // Called in each step with has_new(). False: another thread does it, or messages from before are
  // still handled. `lost` gets the ranks that had not left.
  bool Report(std::vector<Rank>& lost);
  // The farewell of `rank` is complete.
  void OnFarewell(Rank rank);
  // The rank has gone so, as others say, but messages of it may still come: it has gone so once the
  // devices lose it. kLost does not replace kLeft.
  void Expect(Rank rank, Presence gone) {
    std::atomic<Presence>& expected = expected_[static_cast<std::size_t>(ToInt(rank))];
    Presence none = Presence::kHere;
    if (gone == Presence::kLeft) {
      expected.store(gone, std::memory_order_release);
    } else {
      (void)expected.compare_exchange_strong(none, gone, std::memory_order_acq_rel);
    }
  }
  // kHere: nothing is expected.
  Presence ExpectedOf(Rank rank) const {
    return expected_[static_cast<std::size_t>(ToInt(rank))].load(std::memory_order_acquire);
  }
  // Do losses wait for the handling of messages, or this rank's farewell for an answer?
  bool IsPending() const { return has_new() || unheard_.load(std::memory_order_relaxed) > 0; }

  // This rank leaves: from here on the program hears of no departure.
  void StopReporting() { is_silent_.store(true, std::memory_order_relaxed); }
  bool is_leaving() const { return is_silent_.load(std::memory_order_relaxed); }
  // This rank's farewell goes to `rank`: an answer will come, or `rank` departs.
  void ExpectHearing(Rank rank);
  void OnHeard(Rank rank);

 private:
  // Was it here?
  bool SetPresence(Rank rank, Presence gone);

  Executors& executors_;
  const int size_;
  const Callback on_loss_, on_leave_;
  const std::unique_ptr<std::atomic<Presence>[]> presence_;  // by rank
  const std::unique_ptr<std::atomic<Presence>[]> expected_;  // by rank
  const std::unique_ptr<std::atomic<bool>[]> is_to_hear_;    // by rank: this one's farewell
  std::atomic<int> unheard_{0};                              // of is_to_hear_
  std::atomic<int> seen_{0};                                 // of the devices' losses
  std::atomic<bool> is_silent_{false};

  topo::Mutex mutex_;
  // Is the loss of the ranks in noticed_ waiting for the handling of messages?
  bool is_waiting_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Rank> noticed_ ABSL_GUARDED_BY(mutex_);
  int losses_ ABSL_GUARDED_BY(mutex_) = 0;  // of the devices, with these
};

}  // namespace llcl
