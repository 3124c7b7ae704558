#include "llcl/tcp/meeting.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "llcl/launch/agreement.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/crowd.h"
#include "llcl/launch/interfaces.h"
#include "llcl/launch/place.h"
#include "llcl/launch/random_name.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/process_limits.h"
#include "llcl/tcp/call.h"
#include "llcl/tcp/call_plan.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};  // for one to prove itself
constexpr std::size_t kMostCallers = 256;     // at a time

// The rank that answers has a key of its own: a proof for one rank is of no use at another.
SipKey KeyOf(const SipKey& secret, int answering) {
  SipKey key = {};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t word = SipHash(secret, absl::StrCat("rank ", answering, ", half ", half));
    const std::string bytes = LittleEndianBytes(word, 8);
    std::copy(bytes.begin(), bytes.end(), key.begin() + static_cast<std::ptrdiff_t>(8 * half));
  }
  return key;
}

// The sockets at which a rank listens, and the addresses that it publishes.
struct Listeners {
  std::vector<OwnedFd> fds;
  std::vector<std::string> addresses;  // host:port, the first to be called first
};

absl::StatusOr<std::string> AddressOf(int listener) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  const std::string host = LocalAddressOf(listener);
  if (host.empty() || getsockname(listener, reinterpret_cast<sockaddr*>(&at), &length) != 0) {
    return absl::UnavailableError("a listening socket has no port");
  }
  // The port is at the same place in both families.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&at) + 2;
  const int port = bytes[0] << 8 | bytes[1];
  const bool has_colons = host.find(':') != std::string::npos;
  return has_colons ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

// The ranks of higher numbers, as they call.
class Door {
 public:
  Door(Listeners listeners, const SipKey& key, Rank mine, const Neighbors& here,
       std::vector<OwnedFd>& connections)
      : listeners_(std::move(listeners)),
        key_(key),
        mine_(mine),
        here_(here),
        connections_(connections) {}

  absl::Status AwaitAll(Deadline deadline) {
    while (!Missing().empty()) {
      if (Clock::now() >= deadline) {
        return absl::UnavailableError(absl::StrCat("rank ", Missing(), " has not come to ",
                                                   absl::StrJoin(listeners_.addresses, " or "),
                                                   ": ", AddressAdvice("this machine")));
      }
      if (absl::Status waited = AwaitSome(deadline); !waited.ok()) return waited;
    }
    return absl::OkStatus();
  }

 private:
  struct Visitor {
    OwnedFd fd;
    Interview interview;
    Deadline until;
  };

  // A rank of a higher number on another host, that has not come.
  bool IsAwaited(int rank) const {
    return rank > ToInt(mine_) && !here_.Have(Rank{rank}) &&
           connections_[static_cast<std::size_t>(rank)].get() < 0;
  }
  // "2, 3": numbers of ranks.
  std::string Missing() const {
    std::string missing;
    for (int rank = ToInt(mine_) + 1; rank < static_cast<int>(connections_.size()); ++rank) {
      if (IsAwaited(rank)) absl::StrAppend(&missing, missing.empty() ? "" : ", ", rank);
    }
    return missing;
  }

  absl::Status AwaitSome(Deadline deadline) {
    std::vector<pollfd> fds;
    for (const OwnedFd& listener : listeners_.fds) fds.push_back({listener.get(), POLLIN, 0});
    for (const Visitor& visitor : visitors_) {
      fds.push_back({visitor.fd.get(), POLLIN, 0});
      deadline = std::min(deadline, visitor.until);
    }
    (void)poll(fds.data(), fds.size(), MillisecondsTo(deadline));
    std::size_t at = listeners_.fds.size();
    for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++at) {
      const bool has_spoken = fds[at].revents != 0;
      const bool stays = Clock::now() < visitor->until && (!has_spoken || Hear(*visitor));
      visitor = stays ? std::next(visitor) : visitors_.erase(visitor);
    }
    for (std::size_t i = 0; i < listeners_.fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      if (absl::Status accepted = AcceptAll(fds[i].fd); !accepted.ok()) return accepted;
    }
    return absl::OkStatus();
  }

  absl::Status AcceptAll(int listener) {
    for (std::size_t i = 0; i < kMostCallers; ++i) {
      absl::StatusOr<Caller> caller = Accept(listener);
      if (absl::IsNotFound(caller.status())) break;
      if (!caller.ok() && visitors_.empty()) return caller.status();
      if (!caller.ok() || visitors_.size() >= kMostCallers) MakeRoom();
      if (!caller.ok()) continue;
      absl::StatusOr<std::string> nonce = RandomName(kNonceBytes / 2);
      if (!nonce.ok()) return nonce.status();
      visitors_.push_back(
          {std::move(caller->fd),
           Interview(key_, static_cast<int>(connections_.size()), *std::move(nonce)),
           Clock::now() + kPatience});
      // A rank's greeting has often come with it.
      if (!Hear(visitors_.back())) visitors_.pop_back();
    }
    return absl::OkStatus();
  }

  // Nobody is sent away unheard: a greeting may have come since the last look.
  void MakeRoom() {
    while (true) {
      const auto visitor = FirstToLeave(visitors_);
      const bool was_greeted = visitor->interview.has_greeted();
      const bool stays = Hear(*visitor);
      if (stays && !was_greeted && visitor->interview.has_greeted()) continue;
      visitors_.erase(visitor);
      return;
    }
  }

  // False: the visitor has become a connection, or is sent away.
  bool Hear(Visitor& visitor) {
    char bytes[kGreetingBytes];
    const ssize_t got = recv(visitor.fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    const std::string answer = visitor.interview.Hear({bytes, static_cast<std::size_t>(got)});
    if (!answer.empty() && !SendAll(visitor.fd.get(), answer)) return false;
    if (visitor.interview.is_refused()) return false;
    if (!visitor.interview.is_proved()) return true;
    const int rank = visitor.interview.rank();
    const bool is_expected = !visitor.interview.is_of_other_size() && IsAwaited(rank);
    const char verdict = static_cast<char>(is_expected ? Verdict::kWelcome : Verdict::kTaken);
    if (SendAll(visitor.fd.get(), {&verdict, 1}) && is_expected) {
      connections_[static_cast<std::size_t>(rank)] = std::move(visitor.fd);
    }
    return false;
  }

  const Listeners listeners_;
  const SipKey key_;
  const Rank mine_;
  const Neighbors& here_;
  std::vector<OwnedFd>& connections_;  // by rank
  std::list<Visitor> visitors_;
};

// Of the conduit, its executor among them: the connections, the device's two epolls
// and the progress thread's doorbell; before these there are the listeners, and as many connections
// to a rank that is called.
std::uint64_t DescriptorsFor(std::size_t connections, std::size_t listeners) {
  return connections + std::max<std::uint64_t>(5, 2 * listeners);
}

// A listener for each address that is published, and none for all addresses of the machine: so
// nobody else hears that a job is here, and a link's or a tunnel's address stays closed.
absl::StatusOr<Listeners> ListenAt(const std::vector<std::string>& hosts) {
  Listeners listeners;
  absl::Status failure = absl::UnavailableError("this machine has no address that is up");
  for (const std::string& host : hosts) {
    absl::StatusOr<OwnedFd> listener = Listen({host, "0"});
    // An address may have gone, or not be usable yet.
    if (!listener.ok()) failure = listener.status();
    if (!listener.ok()) continue;
    absl::StatusOr<std::string> address = AddressOf(listener->get());
    if (!address.ok()) return address.status();
    listeners.fds.push_back(*std::move(listener));
    listeners.addresses.push_back(*std::move(address));
  }
  if (!listeners.fds.empty()) return listeners;
  return absl::UnavailableError(
      absl::StrCat(std::string(failure.message()), ": ", AddressAdvice("this machine")));
}

// Returns the addresses at which the other ranks call, with a space between two.
absl::StatusOr<std::string> ListenFor(Launch& launch, const std::string& chosen,
                                      std::size_t connections, Listeners& listeners) {
  const auto places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  const auto found = FindAddresses(launch, *places, chosen);
  if (!found.ok()) return found.status();
  const std::vector<std::string>& hosts = *found;
  const int size = launch.size();
  const std::string purpose =
      absl::StrCat("a job of ", size, size == 1 ? " rank" : " ranks", " by TCP");
  if (absl::Status room = CheckDescriptors(purpose, DescriptorsFor(connections, hosts.size()));
      !room.ok()) {
    return room;
  }
  absl::StatusOr<Listeners> made = ListenAt(hosts);
  if (!made.ok()) return made.status();
  listeners = *std::move(made);
  return absl::StrJoin(listeners.addresses, " ");
}

// `connections`: by rank, as many as there are ranks.
absl::Status Connect(const Launch& launch, const SipKey& secret, const Neighbors& here,
                     const std::vector<std::string>& addresses, Listeners listeners,
                     Deadline deadline, std::vector<OwnedFd>& connections) {
  const int rank = ToInt(launch.rank());
  // The machines of a job are mostly alike: where one was reached at its second address, so is the
  // next, and a job of many ranks waits for a first address once.
  std::size_t first = 0;
  // Rank 0 calls nobody, so that it answers at once, then rank 1, and so on: no circle.
  for (int lower = 0; lower < rank; ++lower) {
    if (here.Have(Rank{lower})) continue;
    const auto at = static_cast<std::size_t>(lower);
    absl::StatusOr<Called> called =
        CallRank({.addresses = absl::StrSplit(addresses[at], ' ', absl::SkipEmpty()),
                  .first = first,
                  .key = KeyOf(secret, lower),
                  .rank = lower,
                  .mine = launch.rank(),
                  .size = launch.size(),
                  .deadline = deadline});
    if (!called.ok()) return called.status();
    first = called->position;
    connections[at] = std::move(called->fd);
  }
  Door door(std::move(listeners), KeyOf(secret, rank), launch.rank(), here, connections);
  return door.AwaitAll(deadline);
}

}  // namespace

absl::StatusOr<std::vector<OwnedFd>> MeetByTcp(Launch& launch, const std::string& node,
                                               const Neighbors& here,
                                               std::chrono::milliseconds time) {
  const auto secrets =
      AllgatherOrRefuse(launch, ToInt(launch.rank()) == 0 ? RandomName(sizeof(SipKey))
                                                          : absl::StatusOr<std::string>(""));
  if (!secrets.ok()) return secrets.status();
  const std::optional<SipKey> secret = ParseSecret(secrets->front());
  if (!secret) return absl::UnavailableError("rank 0's secret is not understood");

  Listeners listeners;
  const auto size = static_cast<std::size_t>(launch.size());
  const auto addresses =
      AllgatherOrRefuse(launch, ListenFor(launch, node, size - here.size(), listeners));
  if (!addresses.ok()) return addresses.status();
  std::vector<OwnedFd> connections(size);
  const absl::Status connected = Connect(launch, *secret, here, *addresses, std::move(listeners),
                                         Clock::now() + time, connections);
  // A rank that has not connected does not come to the meeting either.
  if (absl::IsUnavailable(connected)) return connected;
  // No rank goes before all have met.
  if (absl::Status all = MeetOrRefuse(launch, connected); !all.ok()) return all;
  return connections;
}

}  // namespace llcl
