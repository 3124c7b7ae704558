#include "llcl/tcp/meeting.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/launch/agreement.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/crowd.h"
#include "llcl/launch/interfaces.h"
#include "llcl/launch/introduction.h"
#include "llcl/launch/place.h"
#include "llcl/launch/random_name.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/process_limits.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};  // for one to prove itself
constexpr std::size_t kMostCallers = 256;     // at a time
constexpr std::chrono::milliseconds kBeforeNextCall{10};

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

absl::StatusOr<std::string> NodeOf(Launch& launch, const std::string& chosen) {
  const auto places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  std::vector<std::string> addresses = FindAddresses(launch, *places, chosen);
  if (addresses.empty()) {
    return absl::UnavailableError(
        "this machine has no address by which others reach it: set LLCL_ADDRESS");
  }
  return std::move(addresses.front());
}

absl::StatusOr<std::string> AddressOf(int listener, const std::string& node) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&at), &length) != 0) {
    return absl::UnavailableError("a listening socket has no port");
  }
  // The port is at the same place in both families.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&at) + 2;
  const int port = bytes[0] << 8 | bytes[1];
  const bool has_colons = node.find(':') != std::string::npos;
  return has_colons ? absl::StrCat("[", node, "]:", port) : absl::StrCat(node, ":", port);
}

absl::StatusOr<OwnedFd> Call(const std::string& address, const SipKey& key, Rank mine, int size,
                             Deadline deadline) {
  const std::optional<HostAndPort> at = ParseAddress(address);
  if (!at) return absl::UnavailableError("its address is not understood: " + address);
  while (true) {
    absl::StatusOr<OwnedFd> fd = Dial(*at, deadline);
    if (!fd.ok()) return fd.status();
    const auto verdict = Introduce(fd->get(), address, key, mine, size, deadline);
    if (verdict.ok() && *verdict == Verdict::kWelcome) return fd;
    if (verdict.ok()) {
      return absl::UnavailableError("who listens at " + address + " expects another rank");
    }
    if (!absl::IsUnavailable(verdict.status()) || Clock::now() >= deadline) return verdict.status();
    // It has hung up: packets were lost until its patience was over, or strangers came in numbers.
    std::this_thread::sleep_for(kBeforeNextCall);
  }
}

// The ranks of higher numbers, as they call.
class Door {
 public:
  Door(OwnedFd listener, const SipKey& key, Rank mine, std::vector<OwnedFd>& connections)
      : listener_(std::move(listener)), key_(key), mine_(mine), connections_(connections) {}

  absl::Status AwaitAll(Deadline deadline) {
    while (!Missing().empty()) {
      if (Clock::now() >= deadline) {
        return absl::UnavailableError(
            absl::StrCat("rank ", Missing(), " has not connected by TCP"));
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

  // "2, 3": numbers of ranks.
  std::string Missing() const {
    std::string missing;
    for (std::size_t rank = static_cast<std::size_t>(ToInt(mine_)) + 1; rank < connections_.size();
         ++rank) {
      if (connections_[rank].get() < 0)
        absl::StrAppend(&missing, missing.empty() ? "" : ", ", rank);
    }
    return missing;
  }

  absl::Status AwaitSome(Deadline deadline) {
    std::vector<pollfd> fds = {{listener_.get(), POLLIN, 0}};
    for (const Visitor& visitor : visitors_) {
      fds.push_back({visitor.fd.get(), POLLIN, 0});
      deadline = std::min(deadline, visitor.until);
    }
    (void)poll(fds.data(), fds.size(), MillisecondsTo(deadline));
    std::size_t at = 1;
    for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++at) {
      const bool has_spoken = fds[at].revents != 0;
      const bool stays = Clock::now() < visitor->until && (!has_spoken || Hear(*visitor));
      visitor = stays ? std::next(visitor) : visitors_.erase(visitor);
    }
    return fds.front().revents == 0 ? absl::OkStatus() : AcceptAll();
  }

  absl::Status AcceptAll() {
    for (std::size_t i = 0; i < kMostCallers; ++i) {
      absl::StatusOr<Caller> caller = Accept(listener_.get());
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
    const bool is_expected = !visitor.interview.is_of_other_size() && rank > ToInt(mine_) &&
                             connections_[static_cast<std::size_t>(rank)].get() < 0;
    const char verdict = static_cast<char>(is_expected ? Verdict::kWelcome : Verdict::kTaken);
    if (SendAll(visitor.fd.get(), {&verdict, 1}) && is_expected) {
      connections_[static_cast<std::size_t>(rank)] = std::move(visitor.fd);
    }
    return false;
  }

  const OwnedFd listener_;
  const SipKey key_;
  const Rank mine_;
  std::vector<OwnedFd>& connections_;  // by rank
  std::list<Visitor> visitors_;
};

// Of the conduit, its executor among them: a connection to each other rank, the listener, one that
// calls, the device's two epolls and the progress thread's doorbell.
std::uint64_t DescriptorsFor(int ranks) { return static_cast<std::uint64_t>(ranks) - 1 + 5; }

// Returns the address at which the other ranks call.
absl::StatusOr<std::string> ListenFor(Launch& launch, const std::string& chosen,
                                      OwnedFd& listener) {
  const absl::StatusOr<std::string> node = NodeOf(launch, chosen);
  if (!node.ok()) return node.status();
  const int size = launch.size();
  const std::string purpose =
      absl::StrCat("a job of ", size, size == 1 ? " rank" : " ranks", " by TCP");
  if (absl::Status room = CheckDescriptors(purpose, DescriptorsFor(size)); !room.ok()) return room;
  absl::StatusOr<OwnedFd> made = Listen({*node, "0"});
  if (!made.ok()) return made.status();
  listener = *std::move(made);
  return AddressOf(listener.get(), *node);
}

// `connections`: by rank, as many as there are ranks.
absl::Status Connect(const Launch& launch, const SipKey& secret,
                     const std::vector<std::string>& addresses, OwnedFd listener, Deadline deadline,
                     std::vector<OwnedFd>& connections) {
  const int rank = ToInt(launch.rank());
  // Rank 0 calls nobody, so that it answers at once, then rank 1, and so on: no circle.
  for (int lower = 0; lower < rank; ++lower) {
    const auto at = static_cast<std::size_t>(lower);
    absl::StatusOr<OwnedFd> fd =
        Call(addresses[at], KeyOf(secret, lower), launch.rank(), launch.size(), deadline);
    if (!fd.ok()) {
      return absl::UnavailableError(
          absl::StrCat("rank ", lower, ": ", std::string(fd.status().message())));
    }
    connections[at] = *std::move(fd);
  }
  Door door(std::move(listener), KeyOf(secret, rank), launch.rank(), connections);
  if (absl::Status all = door.AwaitAll(deadline); !all.ok()) return all;
  for (const OwnedFd& fd : connections) {
    if (fd.get() >= 0) (void)fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<OwnedFd>> MeetByTcp(Launch& launch, const std::string& node,
                                               std::chrono::milliseconds time) {
  const auto secrets =
      AllgatherOrRefuse(launch, ToInt(launch.rank()) == 0 ? RandomName(sizeof(SipKey))
                                                          : absl::StatusOr<std::string>(""));
  if (!secrets.ok()) return secrets.status();
  const std::optional<SipKey> secret = ParseSecret(secrets->front());
  if (!secret) return absl::UnavailableError("rank 0's secret is not understood");

  OwnedFd listener;
  const auto addresses = AllgatherOrRefuse(launch, ListenFor(launch, node, listener));
  if (!addresses.ok()) return addresses.status();
  std::vector<OwnedFd> connections(static_cast<std::size_t>(launch.size()));
  const absl::Status connected =
      Connect(launch, *secret, *addresses, std::move(listener), Clock::now() + time, connections);
  // A rank that has not connected does not come to the meeting either.
  if (absl::IsUnavailable(connected)) return connected;
  // No rank goes before all have met.
  if (absl::Status all = MeetOrRefuse(launch, connected); !all.ok()) return all;
  return connections;
}

}  // namespace llcl
