#include "lwt/myth/io.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lwt/c/cancel.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/moments.h"
#include "lwt/thread.h"

namespace {

using lwt::c::EndIfCancelled;
using lwt::c::Retry;
using lwt::c::Returned;
using lwt::c::WaitsHere;

// Sends all bytes of a stream, as a blocking call does: what was sent, or -1 if nothing was.
template <typename Some>
ssize_t All(const void* buffer, size_t bytes, Some some) {
  size_t done = 0;
  do {
    const ssize_t sent = some(static_cast<const std::byte*>(buffer) + done, bytes - done);
    if (sent < 0) return done > 0 ? static_cast<ssize_t>(done) : -1;
    done += static_cast<size_t>(sent);
  } while (done < bytes);
  return static_cast<ssize_t>(done);
}

bool IsStream(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// Does the call itself ask not to block?
bool AsksNotToBlock(int flags) { return (flags & MSG_DONTWAIT) != 0; }

size_t BytesOf(std::span<const iovec> pieces) {
  size_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  return bytes;
}

lwt::Deadline DeadlineAfterMilliseconds(int timeout) {
  if (timeout < 0) return lwt::Deadline::max();
  return lwt::DeadlineAfter(std::chrono::milliseconds(timeout));
}

}  // namespace

extern "C" {

ssize_t myth_read(int fd, void* buffer, size_t bytes) {
  EndIfCancelled();
  if (!WaitsHere(fd)) return read(fd, buffer, bytes);
  return Returned(lwt::Read(fd, {static_cast<std::byte*>(buffer), bytes}));
}

ssize_t myth_write(int fd, const void* buffer, size_t bytes) {
  EndIfCancelled();
  if (!WaitsHere(fd)) return write(fd, buffer, bytes);
  return All(buffer, bytes, [fd](const std::byte* from, size_t left) {
    return Returned(lwt::Write(fd, {from, left}));
  });
}

ssize_t myth_readv(int fd, const struct iovec* pieces, int count) {
  EndIfCancelled();
  if (!WaitsHere(fd) || count <= 0) return readv(fd, pieces, count);
  if (const int waited = lwt::c::WaitUntilReady(fd, POLLIN); waited != 0) {
    return Returned({-1, waited});
  }
  return readv(fd, pieces, count);  // What is there: it does not wait for all of it.
}

ssize_t myth_writev(int fd, const struct iovec* pieces, int count) {
  EndIfCancelled();
  if (!WaitsHere(fd) || count <= 0) return writev(fd, pieces, count);
  std::vector<std::byte> all;
  const std::span<const iovec> parts(pieces, static_cast<size_t>(count));
  all.reserve(BytesOf(parts));
  for (const iovec& part : parts) {
    const auto* const from = static_cast<const std::byte*>(part.iov_base);
    all.insert(all.end(), from, from + part.iov_len);
  }
  return myth_write(fd, all.data(), all.size());
}

ssize_t myth_recv(int socket, void* buffer, size_t bytes, int flags) {
  return myth_recvfrom(socket, buffer, bytes, flags, nullptr, nullptr);
}

ssize_t myth_recvfrom(int socket, void* buffer, size_t bytes, int flags, struct sockaddr* address,
                      socklen_t* address_bytes) {
  EndIfCancelled();
  if (AsksNotToBlock(flags) || !WaitsHere(socket)) {
    return recvfrom(socket, buffer, bytes, flags, address, address_bytes);
  }
  const socklen_t space = address_bytes == nullptr ? 0 : *address_bytes;
  const auto some = [&](void* to, size_t most) {
    return Retry(socket, POLLIN, [&] {
      if (address_bytes != nullptr) *address_bytes = space;
      return recvfrom(socket, to, most, (flags & ~MSG_WAITALL) | MSG_DONTWAIT, address,
                      address_bytes);
    });
  };
  if ((flags & MSG_WAITALL) == 0 || (flags & MSG_PEEK) != 0 || !IsStream(socket)) {
    return some(buffer, bytes);
  }
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = some(static_cast<std::byte*>(buffer) + done, bytes - done);
    if (got < 0 && done == 0) return -1;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

ssize_t myth_recvmsg(int socket, struct msghdr* message, int flags) {
  EndIfCancelled();
  if (AsksNotToBlock(flags) || !WaitsHere(socket)) return recvmsg(socket, message, flags);
  return Retry(socket, POLLIN, [&] { return recvmsg(socket, message, flags | MSG_DONTWAIT); });
}

ssize_t myth_send(int socket, const void* buffer, size_t bytes, int flags) {
  return myth_sendto(socket, buffer, bytes, flags, nullptr, 0);
}

ssize_t myth_sendto(int socket, const void* buffer, size_t bytes, int flags,
                    const struct sockaddr* address, socklen_t address_bytes) {
  EndIfCancelled();
  if (AsksNotToBlock(flags) || !WaitsHere(socket)) {
    return sendto(socket, buffer, bytes, flags, address, address_bytes);
  }
  const auto some = [&](const std::byte* from, size_t left) {
    return Retry(socket, POLLOUT, [&] {
      return sendto(socket, from, left, flags | MSG_DONTWAIT, address, address_bytes);
    });
  };
  return IsStream(socket) ? All(buffer, bytes, some)
                          : some(static_cast<const std::byte*>(buffer), bytes);
}

ssize_t myth_sendmsg(int socket, const struct msghdr* message, int flags) {
  EndIfCancelled();
  if (AsksNotToBlock(flags) || !WaitsHere(socket)) return sendmsg(socket, message, flags);
  return Retry(socket, POLLOUT, [&] { return sendmsg(socket, message, flags | MSG_DONTWAIT); });
}

int myth_accept(int socket, struct sockaddr* address, socklen_t* address_bytes) {
  return myth_accept4(socket, address, address_bytes, 0);
}

int myth_accept4(int socket, struct sockaddr* address, socklen_t* address_bytes, int flags) {
  EndIfCancelled();
  if (!WaitsHere(socket)) return accept4(socket, address, address_bytes, flags);
  const socklen_t space = address_bytes == nullptr ? 0 : *address_bytes;
  return static_cast<int>(Retry(socket, POLLIN, [&]() -> ssize_t {
    const lwt::c::NonBlocking non_blocking(socket);
    if (address_bytes != nullptr) *address_bytes = space;
    return accept4(socket, address, address_bytes, flags);
  }));
}

int myth_connect(int socket, const struct sockaddr* address, socklen_t address_bytes) {
  EndIfCancelled();
  if (!WaitsHere(socket)) return connect(socket, address, address_bytes);
  int error = 0;
  {
    const lwt::c::NonBlocking non_blocking(socket);
    if (connect(socket, address, address_bytes) != 0) error = lwt::c::Errno();
  }
  if (error == EAGAIN) return connect(socket, address, address_bytes);  // A local listener is full.
  if (error == EINPROGRESS || error == EINTR) {
    error = lwt::c::WaitUntilReady(socket, POLLOUT);
    socklen_t size = sizeof error;
    if (error == 0) getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  return static_cast<int>(Returned({error == 0 ? 0 : -1, error}));
}

int myth_poll(struct pollfd* fds, nfds_t count, int timeout) {
  EndIfCancelled();
  if (!lwt::IsLightweightThread() || timeout == 0) return poll(fds, count, timeout);
  return static_cast<int>(
      Returned(lwt::Poll({fds, static_cast<size_t>(count)}, DeadlineAfterMilliseconds(timeout))));
}

int myth_select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                struct timeval* timeout) {
  EndIfCancelled();
  if (!lwt::IsLightweightThread()) return select(count, readable, writable, exceptional, timeout);
  if (count < 0 || count > FD_SETSIZE || (timeout != nullptr && timeout->tv_usec < 0)) {
    return static_cast<int>(Returned({-1, EINVAL}));
  }
  const auto has = [](int fd, const fd_set* set) { return set != nullptr && FD_ISSET(fd, set); };
  std::vector<pollfd> fds;
  for (int fd = 0; fd < count; ++fd) {
    const int events = (has(fd, readable) ? POLLIN : 0) | (has(fd, writable) ? POLLOUT : 0) |
                       (has(fd, exceptional) ? POLLPRI : 0);
    if (events != 0) fds.push_back({fd, static_cast<short>(events), 0});
  }
  const lwt::Deadline deadline =
      timeout == nullptr ? lwt::Deadline::max()
                         : lwt::c::DeadlineAfter(timeout->tv_sec, timeout->tv_usec * 1000L);
  const lwt::IoResult result = lwt::Poll(fds, deadline);
  if (result.error != 0) return static_cast<int>(Returned(result));
  const bool has_bad = std::any_of(fds.begin(), fds.end(), [](const pollfd& polled) {
    return (polled.revents & POLLNVAL) != 0;
  });
  if (has_bad) return static_cast<int>(Returned({-1, EBADF}));
  int ready = 0;
  const auto report = [&](const pollfd& polled, short asked, int reported, fd_set* set) {
    if ((polled.events & asked) == 0) return;
    if ((polled.revents & reported) == 0) return FD_CLR(polled.fd, set);
    ++ready;
  };
  for (const pollfd& polled : fds) {
    report(polled, POLLIN, POLLIN | POLLHUP | POLLERR, readable);
    report(polled, POLLOUT, POLLOUT | POLLERR, writable);
    report(polled, POLLPRI, POLLPRI, exceptional);
  }
  return ready;
}

}  // extern "C"
