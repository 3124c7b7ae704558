#include "lwt/io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "lwt/pool.h"
#include "lwt/reactor/poller.h"
#include "lwt/schedule/scheduler.h"

namespace lwt {
namespace {

IoResult Failed(int error) { return {-1, error}; }

// A deadline as poll(2)'s timeout.
int MillisecondsUntil(Deadline deadline, Deadline now) {
  if (deadline == Deadline::max()) return -1;
  if (deadline <= now) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
  return static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
}

// Waits on this pool's poller, or by the system's poll outside of pools. How many
// are ready, or -errno.
int WaitForAny(std::span<pollfd> fds, Deadline deadline) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    if (scheduler->simulator() == nullptr) return scheduler->pool().poller().Wait(fds, deadline);
    // No virtual time passes in this call, so no other simulated thread could make them ready.
    const int ready = poll(fds.data(), fds.size(), 0);
    if (ready < 0) return -LastError();
    return ready == 0 ? -EOPNOTSUPP : ready;
  }
  while (true) {
    const Deadline now = Clock::now();
    const int ready = poll(fds.data(), fds.size(), MillisecondsUntil(deadline, now));
    if (ready > 0 || (ready == 0 && now >= deadline)) return ready;
    if (ready < 0 && LastError() != EINTR) return -LastError();
  }
}

// 0 once it is ready, or an error.
int WaitFor(int fd, short events, Deadline deadline) {
  pollfd one = {fd, events, 0};
  const int ready = WaitForAny({&one, 1}, deadline);
  if (ready < 0) return -ready;
  if (ready == 0) return ETIMEDOUT;
  return (one.revents & POLLNVAL) != 0 ? EBADF : 0;
}

// WaitFor without false alarms, for callers that would not notice one: it may come of another
// file that had this descriptor's number and is still open elsewhere.
int WaitUntilCertain(int fd, short events, Deadline deadline) {
  pollfd one = {fd, events, 0};
  do {
    if (const int waited = WaitFor(fd, events, deadline); waited != 0) return waited;
  } while (poll(&one, 1, 0) <= 0);
  return 0;
}

// Calls `call` until no signal interrupts it.
template <typename Call>
IoResult Once(Call call) {
  while (true) {
    const ssize_t value = call();
    if (value >= 0) return {value, 0};
    if (const int error = LastError(); error != EINTR) return Failed(error);
  }
}

bool WouldBlock(const IoResult& result) {
  return result.error == EAGAIN || result.error == EWOULDBLOCK;
}

// Calls `call` until it would not block.
template <typename Call>
IoResult Retry(int fd, short events, Deadline deadline, Call call) {
  IoResult result = Once(call);
  while (WouldBlock(result)) {
    if (const int waited = WaitFor(fd, events, deadline); waited != 0) return Failed(waited);
    result = Once(call);
  }
  return result;
}

// Files that poll(2) calls ready whether or not a call would block.
bool IsAlwaysReady(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 &&
         (S_ISREG(file.st_mode) || S_ISBLK(file.st_mode) || S_ISDIR(file.st_mode));
}

// `now` is the call with RWF_NOWAIT, `plain(bytes)` without.
template <typename Now, typename Plain>
IoResult Transfer(int fd, short events, std::size_t bytes, Deadline deadline, Now now,
                  Plain plain) {
  const auto all = [&] { return plain(bytes); };
  IoResult result = Once(now);
  for (bool waited = false; WouldBlock(result); waited = true) {
    if (waited && IsAlwaysReady(fd)) return Once(all);
    if (const int error = WaitFor(fd, events, deadline); error != 0) return Failed(error);
    result = Once(now);
  }
  const bool is_unknown =
      result.error == EOPNOTSUPP || result.error == EINVAL || result.error == ESPIPE;
  if (!is_unknown) return result;
  if (IsAlwaysReady(fd)) return Once(all);
  // A file without RWF_NOWAIT: asks first. The call may yet block, where another reader or
  // writer comes between, and on terminals. A ready pipe takes so much without blocking:
  const std::size_t some = events == POLLOUT ? std::min<std::size_t>(bytes, PIPE_BUF) : bytes;
  if (const int error = WaitUntilCertain(fd, events, deadline); error != 0) return Failed(error);
  return Retry(fd, events, deadline, [&] { return plain(some); });
}

void MakeNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) == 0) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

}  // namespace

IoResult Read(int fd, std::span<std::byte> buffer, Deadline deadline) {
  const iovec piece = {buffer.data(), buffer.size()};
  return Transfer(
      fd, POLLIN, buffer.size(), deadline, [&] { return preadv2(fd, &piece, 1, -1, RWF_NOWAIT); },
      [&](std::size_t bytes) { return read(fd, buffer.data(), bytes); });
}

IoResult Write(int fd, std::span<const std::byte> bytes, Deadline deadline) {
  const iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  return Transfer(
      fd, POLLOUT, bytes.size(), deadline, [&] { return pwritev2(fd, &piece, 1, -1, RWF_NOWAIT); },
      [&](std::size_t some) { return write(fd, bytes.data(), some); });
}

IoResult Accept(int socket, Deadline deadline) {
  MakeNonBlocking(socket);
  return Retry(socket, POLLIN, deadline,
               [&] { return accept4(socket, nullptr, nullptr, SOCK_CLOEXEC); });
}

IoResult Connect(int socket, const sockaddr* address, socklen_t bytes, Deadline deadline) {
  MakeNonBlocking(socket);
  if (connect(socket, address, bytes) == 0) return {};
  // EAGAIN: a local socket whose listener's queue is full returns it and goes no further.
  const int error = LastError();
  if (error != EINPROGRESS && error != EINTR) return Failed(error);
  if (const int waited = WaitUntilCertain(socket, POLLOUT, deadline); waited != 0) {
    return Failed(waited);
  }
  int outcome = 0;
  socklen_t size = sizeof outcome;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &outcome, &size);
  return outcome == 0 ? IoResult{} : Failed(outcome);
}

IoResult Poll(std::span<pollfd> fds, Deadline deadline) {
  const int ready = WaitForAny(fds, deadline);
  return ready < 0 ? Failed(-ready) : IoResult{ready, 0};
}

}  // namespace lwt
