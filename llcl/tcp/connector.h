// The connections of a rank before they carry bytes: this rank's calls, and the calls of the other
// ranks, which may come at any time as long as the job lives.
//
//   acquaintance.h  which of two calls counts (pure)
//   call.h          a call of one rank
//   reception.h     who calls
//
// Threads: one at a time; no member waits.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/siphash.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/acquaintance.h"
#include "llcl/tcp/call.h"
#include "llcl/tcp/reception.h"

namespace llcl {

// The ranks that may meet. A value.
struct TcpJob {
  SipKey secret = {};                  // of the job
  Rank mine{0};                        // this rank
  std::vector<std::string> addresses;  // by rank: of the rank, with a space between two
  std::vector<int> hosts;              // by rank: ranks of one host do not meet
};

// A resource.
class TcpConnector {
 public:
  explicit TcpConnector(TcpJob job) : job_(std::move(job)) {}
  TcpConnector(const TcpConnector&) = delete;
  TcpConnector& operator=(const TcpConnector&) = delete;
  // Before all else. Errors: ResourceExhausted.
  absl::Status Open(TcpListeners listeners);

  const std::vector<std::string>& listens_at() const { return reception_->addresses(); }
  // May this rank and `rank` meet?
  bool MayMeet(Rank rank) const { return HostOf(rank) != HostOf(job_.mine); }
  // Is a call of one of them under way?
  bool IsMeeting(Rank rank) const {
    const Acquaintance::State state = Of(rank).state();
    return state == Acquaintance::State::kCalled || state == Acquaintance::State::kAwaited;
  }
  // May this rank be welcome at `rank`, which it does not know yet?
  bool MayBeMet(Rank rank) const;

  // The ranks have met that meet at the start.
  void EndStart();
  // Calls `rank`, unless they have met, or one of them calls already; then the call ends at
  // `to_answer` at the latest. The times: CallOptions.
  void Want(Rank rank, Deadline to_connect, Deadline to_answer);
  // As Want, and a rank that has said that it calls itself is called, too.
  void Doubt(Rank rank, Deadline until);
  // It is gone: from here on it is not welcome.
  void OnGone(Rank rank);
  // From here on this rank meets no other one.
  void Close();

  // Goes on with all calls. `met`: by a connection that does not block. `missed`: the rank was not
  // reached, with a sentence. Errors: TcpReception::Poll.
  using OnMet = absl::FunctionRef<void(Rank, OwnedFd)>;
  using OnMissed = absl::FunctionRef<void(Rank, const std::string&)>;
  absl::Status Poll(OnMet met, OnMissed missed);
  // Under way.
  std::size_t calls() const { return calls_.size(); }
  // Has a rank said since the last call of this member that it calls itself?
  bool TakeAwaited() { return std::exchange(has_awaited_, false); }
  // The descriptor becomes readable then.
  void WakeAt(Deadline time);
  // Becomes readable once something has come for Poll; after EndStart also at due(), unless the
  // system has no timer (wakes_in_time).
  int descriptor() const { return news_.get(); }
  // The time of the next Poll where nothing comes; Deadline::max(): never.
  Deadline due() const;
  bool wakes_in_time() const { return timer_.get() >= 0 || due() == Deadline::max(); }
  // A sentence where this process lacks what a call needs; the call goes on. Else empty.
  std::string Lack() const;

 private:
  int HostOf(Rank rank) const { return job_.hosts[static_cast<std::size_t>(ToInt(rank))]; }
  Acquaintance& Of(Rank rank) { return ranks_[static_cast<std::size_t>(ToInt(rank))]; }
  const Acquaintance& Of(Rank rank) const { return ranks_[static_cast<std::size_t>(ToInt(rank))]; }
  void EndCall(Rank rank);
  void PollCalls(OnMet met, OnMissed missed);
  void OnCalled(Rank rank, Called called, OnMet met, OnMissed missed);
  void EndAwaiting();
  void SetTimer();

  const TcpJob job_;
  std::vector<Acquaintance> ranks_;  // by rank
  OwnedFd news_;                     // an epoll of all that follows
  OwnedFd timer_;                    // or none
  std::unique_ptr<TcpReception> reception_;
  std::list<TcpCall> calls_;
  std::map<Rank, Deadline> awaited_;  // ranks that call themselves, and when this rank calls again
  bool has_awaited_ = false;
  Deadline wakes_at_ = Deadline::max(), timer_at_ = Deadline::max();
  std::size_t first_ = 0;  // the position of the address at which a rank was reached last
};

}  // namespace llcl
