// A call of a rank with several addresses, as CallPlan says. The first connection to prove the
// identity of the rank gets our proof; the remaining connections are closed before: so the rank
// never hears two proofs.
//
// Threads: one at a time; no member waits.
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/siphash.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/call_plan.h"
#include "llcl/tcp/watched_fd.h"

namespace llcl {

// A value.
struct CallOptions {
  std::vector<std::string> addresses = {};  // of the other rank, host:port in digits
  std::size_t first = 0;                    // the position of the address to be called first
  SipKey key = {};                          // of the rank that is called
  Rank rank{0};                             // the rank that is called
  Rank mine{0};
  int size = 1;  // of the job
  // The call ends at the first time where no address has taken it, and at the second in any case: a
  // rank whose process is stopped takes a call and does not answer. The time in which this process
  // lacks what a call needs does not count for the first.
  Deadline to_connect = Deadline::max(), to_answer = Deadline::max();
};

// The end of a call. A value.
struct Called {
  Verdict verdict = Verdict::kTaken;
  OwnedFd fd{};              // welcome: the connection, which does not block
  std::size_t position = 0;  // then: of the address
  std::string why = {};      // not reached: a sentence with all addresses and the reason of each
};

// A resource. The epoll watches all connections that may have something to be heard; it outlives
// this.
class TcpCall {
 public:
  TcpCall(CallOptions options, int epoll);
  TcpCall(const TcpCall&) = delete;
  TcpCall& operator=(const TcpCall&) = delete;

  Rank rank() const { return options_.rank; }
  // The connections to be polled are added to `fds`: attempts() of them.
  void AddTo(std::vector<pollfd>& fds) const;
  std::size_t attempts() const { return attempts_.size(); }
  // With the answers for them, once one has come, or due() is over. Nothing: the call goes on.
  std::optional<Called> Poll(std::span<const pollfd> fds);
  // It ends then at the latest.
  void EndAt(Deadline time) { to_answer_ = std::min(to_answer_, time); }
  // Has the rank got this one's proof?
  bool has_proved() const { return !attempts_.empty() && attempts_.front().step == Step::kProved; }
  // The time of the next Poll where nothing comes; Deadline::max(): never.
  Deadline due() const;
  // The error of the system where this process, and no other, is the reason that it goes on; else
  // 0.
  int lack() const { return lack_; }

 private:
  enum class Step : std::uint8_t { kDials, kGreeted, kProved };
  struct Attempt {
    std::size_t position;
    WatchedFd fd;
    Approach approach;
    Step step = Step::kDials;
  };
  using Attempts = std::list<Attempt>;
  enum class Progress : std::uint8_t { kGoesOn, kOver, kAnswered };

  std::int64_t NowMs() const;
  void Begin(std::size_t position);
  // The call of an address has failed for now, or for good.
  void OnFailed(std::size_t position, int error);
  // The process that has taken the call has hung up.
  void OnHungUp(std::size_t position);
  bool HasTakers() const;
  Progress Greet(Attempt& attempt);
  Progress Hear(Attempt& attempt);
  void Prove(Attempts::iterator answered);
  std::optional<Called> HearVerdict(Attempts::iterator proved);

  const CallOptions options_;
  const int epoll_;
  const Deadline begun_ = std::chrono::steady_clock::now();
  Deadline to_connect_, to_answer_;
  CallPlan plan_;
  Attempts attempts_;
  int lack_ = 0;
};

}  // namespace llcl
