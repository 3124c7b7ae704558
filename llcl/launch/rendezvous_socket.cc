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
  if (error != 0) return Cannot("find", address, gai_strerror(error));
  return Found(found, freeaddrinfo);
}

OwnedFd SocketFor(const addrinfo& at) {
  return OwnedFd(
      socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
}

void Set(int fd, int level, int option, int value) {
  (void)setsockopt(fd, level, option, &value, sizeof value);
}

// A machine's death is noticed after some ten seconds, whether this side waits to
// receive or to send.
void SetUp(int fd) {
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
  return error == 0 ? std::string(host) + ":" + port : "somebody";
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
  const addrinfo& at = **found;
  OwnedFd fd = SocketFor(at);
  if (fd.get() < 0) return Cannot("listen at", address, std::strerror(errno));
  // A job may follow on one that has just ended.
  Set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (bind(fd.get(), at.ai_addr, at.ai_addrlen) != 0 || listen(fd.get(), SOMAXCONN) != 0) {
    return Cannot("listen at", address, std::strerror(errno));
  }
  return fd;
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
  const absl::StatusOr<Found> found = Resolve(address, 0);
  if (!found.ok()) return found.status();
  int error = 0;
  for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
    Dialing dialing = BeginToDial(*at);
    error = dialing.error;
    if (error != 0) continue;
    pollfd connected = {dialing.fd.get(), POLLOUT, 0};
    const bool is_settled = poll(&connected, 1, MillisecondsTo(deadline)) == 1;
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

std::string LocalAddressOf(int fd) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  char host[NI_MAXHOST];
  if (getsockname(fd, address, &length) != 0 ||
      getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return host;
}

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

}  // namespace llcl
