#include "llcl/launch/rendezvous_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "llcl/launch/addresses.h"
#include "llcl/launch/rendezvous_rules.h"

namespace llcl {
namespace {

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

absl::Status Cannot(const char* what, const HostAndPort& address, const char* why) {
  return absl::UnavailableError(std::string("cannot ") + what + " " + address.host + ":" +
                                address.port + ": " + why);
}

absl::StatusOr<Found> Resolve(const HostAndPort& address, int flags) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (error == EAI_SYSTEM) return Cannot("find", address, std::strerror(errno));
  if (error != 0) return Cannot("find", address, gai_strerror(error));
  return Found(found, freeaddrinfo);
}

bool IsOfLoopback(const addrinfo& at) {
  char host[NI_MAXHOST];
  return getnameinfo(at.ai_addr, at.ai_addrlen, host, sizeof host, nullptr, 0, NI_NUMERICHOST) ==
             0 &&
         IsLoopback(host);
}

bool IsName(const HostAndPort& address) { return !Resolve(address, AI_NUMERICHOST).ok(); }

OwnedFd SocketFor(const addrinfo& at) {
  return OwnedFd(
      socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
}

void Set(int fd, int level, int option, int value) {
  (void)setsockopt(fd, level, option, &value, sizeof value);
}

// A caller by IPv4 has an address of IPv6 at a listener of both: ::ffff:10.0.0.1.
std::string WithoutPrefix(std::string_view host) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool is_mapped =
      host.substr(0, kMapped.size()) == kMapped && host.find('.') != std::string_view::npos;
  return std::string(is_mapped ? host.substr(kMapped.size()) : host);
}

// Of one side of a connection, in digits; `name_of` is getsockname or getpeername. Empty: it is not
// known.
std::string AddressOf(int fd, int (*name_of)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  char host[NI_MAXHOST];
  if (name_of(fd, address, &length) != 0 ||
      getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return WithoutPrefix(host);
}

// The network loses no packets between processes of one machine, so BBR's pacing has no use there:
// it halves the rate of sends of 256 KiB and more. An administrator may have forbidden reno: then
// the machine's choice stays.
void LeaveOutPacing(int fd) {
  const std::string own = AddressOf(fd, getsockname), other = AddressOf(fd, getpeername);
  const bool is_inside = !own.empty() && (own == other || (IsLoopback(own) && IsLoopback(other)));
  if (!is_inside) return;
  constexpr std::string_view kWithout = "reno";
  (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kWithout.data(), kWithout.size());
}

// A machine's death is noticed after some ten seconds, whether this side waits to
// receive or to send.
void SetUp(int fd) {
  LeaveOutPacing(fd);
  Set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  Set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 4);
  Set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2);
  Set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  Set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 10000);
}

Dialing BeginToDial(const addrinfo& at) {
  Dialing dialing = {SocketFor(at)};
  const bool has_begun =
      dialing.fd.get() >= 0 &&
      (connect(dialing.fd.get(), at.ai_addr, at.ai_addrlen) == 0 || errno == EINPROGRESS);
  if (!has_begun) dialing.error = errno;
  return dialing;
}

std::string NameOf(const sockaddr_storage& at, socklen_t length) {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  const int error = getnameinfo(reinterpret_cast<const sockaddr*>(&at), length, host, sizeof host,
                                port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  return error == 0 ? WithoutPrefix(host) + ":" + port : "somebody";
}

// Its descriptor is -1 where the system refuses, with `error`.
struct Listening {
  OwnedFd fd;
  int error = 0;
};
Listening ListenAt(const addrinfo& at) {
  OwnedFd fd = SocketFor(at);
  if (fd.get() < 0) return {OwnedFd(), errno};
  // A job may follow on one that has just ended.
  Set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  // IPv4, too, at the address that stands for all.
  if (at.ai_family == AF_INET6) Set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(fd.get(), at.ai_addr, at.ai_addrlen) != 0 || listen(fd.get(), SOMAXCONN) != 0) {
    return {OwnedFd(), errno};
  }
  return {std::move(fd)};
}

// At the first that can be bound, else the error of the first. `skips`: addresses of the loopback;
// the error is 0 where there is no other.
Listening ListenAtOne(const addrinfo* found, bool skips) {
  Listening listening;
  for (; found != nullptr; found = found->ai_next) {
    if (skips && IsOfLoopback(*found)) continue;
    Listening next = ListenAt(*found);
    if (next.fd.get() >= 0) return next;
    if (listening.error == 0) listening.error = next.error;
  }
  return listening;
}

}  // namespace

int MillisecondsTo(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

absl::StatusOr<OwnedFd> Listen(const HostAndPort& address) {
  const absl::StatusOr<Found> found = Resolve(address, AI_PASSIVE);
  if (!found.ok()) return found.status();
  Listening listening = ListenAtOne(found->get(), false);
  if (listening.fd.get() < 0) return Cannot("listen at", address, std::strerror(listening.error));
  return std::move(listening.fd);
}

absl::StatusOr<OwnedFd> ListenForRanks(const HostAndPort& address, std::string& instead) {
  instead.clear();
  const absl::StatusOr<Found> found = Resolve(address, AI_PASSIVE);
  absl::Status refused = found.status();
  CannotListen why = CannotListen::kNotFound;
  const bool is_name = IsName(address);
  if (found.ok()) {
    // Of a machine's name other machines call no address of the loopback.
    Listening listening = ListenAtOne(found->get(), is_name && !IsLoopbackName(address.host));
    if (listening.fd.get() >= 0) return std::move(listening.fd);
    why = listening.error == 0               ? CannotListen::kOnlyHere
          : listening.error == EADDRNOTAVAIL ? CannotListen::kNotOurs
                                             : CannotListen::kOtherwise;
    refused = why == CannotListen::kOnlyHere
                  ? absl::UnavailableError(address.host +
                                           " leads to this machine's loopback alone (/etc/hosts)")
                  : Cannot("listen at", address, std::strerror(listening.error));
  }
  if (!ListensEverywhere(is_name, why)) return refused;
  instead = std::string(refused.message());
  for (const char* const all : {"::", "0.0.0.0"}) {
    absl::StatusOr<OwnedFd> fd = Listen({all, address.port});
    if (fd.ok()) return fd;
    refused = fd.status();
  }
  return refused;
}

absl::StatusOr<Caller> Accept(int listener) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  OwnedFd fd(
      accept4(listener, reinterpret_cast<sockaddr*>(&at), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd.get() < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    return absl::UnavailableError(std::string("cannot accept: ") + std::strerror(errno));
  }
  // Otherwise it has hung up meanwhile, or there was none.
  if (fd.get() < 0) return absl::NotFoundError("nobody calls");
  SetUp(fd.get());
  return Caller{std::move(fd), NameOf(at, length)};
}

absl::StatusOr<OwnedFd> Dial(const HostAndPort& address, Deadline deadline) {
  constexpr std::chrono::seconds kMostForEach{5};
  const absl::StatusOr<Found> found = Resolve(address, 0);
  if (!found.ok()) return found.status();
  int error = 0;
  for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
    Dialing dialing = BeginToDial(*at);
    error = dialing.error;
    if (error != 0) continue;
    pollfd connected = {dialing.fd.get(), POLLOUT, 0};
    const Deadline until = std::min(deadline, std::chrono::steady_clock::now() + kMostForEach);
    const bool is_settled = poll(&connected, 1, MillisecondsTo(until)) == 1;
    error = is_settled ? FinishDialing(dialing.fd.get()) : ETIMEDOUT;
    if (error != 0) continue;
    (void)fcntl(dialing.fd.get(), F_SETFL, fcntl(dialing.fd.get(), F_GETFL) & ~O_NONBLOCK);
    return std::move(dialing.fd);
  }
  return Cannot("connect to", address, std::strerror(error));
}

Dialing BeginToDial(const HostAndPort& address) {
  const absl::StatusOr<Found> found = Resolve(address, AI_NUMERICHOST);
  if (!found.ok()) return {OwnedFd(), EINVAL};
  return BeginToDial(**found);
}

int FinishDialing(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  if (error == 0) SetUp(fd);
  return error;
}

std::string LocalAddressOf(int fd) { return AddressOf(fd, getsockname); }

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd ready = {fd, POLLOUT, 0};
      (void)poll(&ready, 1, -1);
      continue;
    }
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool SendNow(int fd, std::string_view bytes) {
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace llcl
