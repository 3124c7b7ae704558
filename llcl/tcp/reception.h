// The ranks that call this one, at each of its addresses: who proves to be of the job is welcome,
// if this rank expects it. A stranger that finds the port gets no answer that helps it, and keeps
// no rank waiting.
//
// Threads: one at a time; no member waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/siphash.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/watched_fd.h"

namespace llcl {

// The sockets at which a rank listens, and the addresses that it publishes. A value.
struct TcpListeners {
  std::vector<OwnedFd> fds;
  std::vector<std::string> addresses;  // host:port, the first to be called first
};

// A listener for each host, and none for all addresses of the machine: so nobody else hears that a
// job is here, and a link's or a tunnel's address stays closed. Errors: Unavailable where this
// machine has none of them.
absl::StatusOr<TcpListeners> ListenAt(const std::vector<std::string>& hosts);

// A resource. The epoll watches all that may have something to be heard; it outlives this.
class TcpReception {
 public:
  // `key`: of this rank; `size`: of the job.
  TcpReception(TcpListeners listeners, const SipKey& key, int size, int epoll);

  const std::vector<std::string>& addresses() const { return addresses_; }

  // Hears what has come. `judge` gets a rank that has proved itself, and says whether it is
  // expected; `meet` then gets its connection, which does not block. Errors: Unavailable where the
  // system has no descriptor or memory for a caller; then Poll accepts none for some time.
  using Judge = absl::FunctionRef<Verdict(Rank)>;
  using Meet = absl::FunctionRef<void(Rank, OwnedFd)>;
  absl::Status Poll(Judge judge, Meet meet);
  // From here on it hears no more than kMostLater callers at a time, as it stays open.
  static constexpr std::size_t kMostLater = 32;
  void EndStart() { most_ = kMostLater; }
  // The time of the next Poll where nothing comes; Deadline::max(): never.
  Deadline due() const;
  // From here on nobody is heard.
  void Close();

 private:
  struct Visitor {
    WatchedFd fd;
    Interview interview;
    Deadline until;
  };
  absl::Status AcceptAll(int listener, Judge judge, Meet meet);
  void MakeRoom(Judge judge, Meet meet);
  bool Hear(Visitor& visitor, Judge judge, Meet meet);
  void Rest();
  void EndRest();

  const SipKey key_;
  const int size_;
  const int epoll_;
  std::vector<std::string> addresses_;
  std::vector<WatchedFd> listeners_;
  std::list<Visitor> visitors_;  // the oldest first
  std::size_t most_ = 256;       // of visitors_
  bool rests_ = false;
  Deadline rests_until_;
};

}  // namespace llcl
