#include "lwt/io.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "lwt/poller.h"
#include "lwt/pool.h"
#include "lwt/worker.h"

namespace lwt {
namespace {

// So that no compiler keeps the address of one OS thread's errno for another's.
[[gnu::noinline]] int LastError() {
  asm volatile("");
  return errno;
}

IoResult Failed(int error) { return {-1, error}; }

// Waits on this pool's poller, or by the system's poll outside of pools.
int WaitForAny(std::span<pollfd> fds, Deadline deadline) {
  if (Worker* const worker = Worker::Current(); worker != nullptr) {
    return worker->pool().poller().Wait(fds, deadline);
  }
  int milliseconds = -1;
  if (deadline != Deadline::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
  }
  const int ready = poll(fds.data(), fds.size(), milliseconds);
  return ready < 0 ? -LastError() : ready;
}

// 0 once it is ready, or an error.
int WaitFor(int fd, short events, Deadline deadline) {
  pollfd one = {fd, events, 0};
  const int ready = WaitForAny({&one, 1}, deadline);
  if (ready < 0) return ready == -EINTR ? 0 : -ready;
  if (ready == 0) return ETIMEDOUT;
  return (one.revents & POLLNVAL) != 0 ? EBADF : 0;
}

// Calls `call` until it neither would block nor was interrupted.
template <typename Call>
IoResult Retry(int fd, short events, Deadline deadline, Call call) {
  while (true) {
    const ssize_t value = call();
    if (value >= 0) return {value, 0};
    const int error = LastError();
    if (error == EINTR) continue;
    if (error != EAGAIN && error != EWOULDBLOCK) return Failed(error);
    if (const int waited = WaitFor(fd, events, deadline); waited != 0) return Failed(waited);
  }
}

// For files that do not know RWF_NOWAIT: asks first. Blocks for others that take
// what was there, and for terminals in their ways.
template <typename Call>
IoResult AskFirst(int fd, short events, Deadline deadline, Call call) {
  if (const int waited = WaitFor(fd, events, deadline); waited != 0) return Failed(waited);
  return Retry(fd, events, deadline, call);
}

bool IsUnknown(const IoResult& result) {
  return result.error == EOPNOTSUPP || result.error == EINVAL || result.error == ESPIPE;
}

void MakeNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) == 0) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

}  // namespace

IoResult Read(int fd, std::span<std::byte> buffer, Deadline deadline) {
  const iovec piece = {buffer.data(), buffer.size()};
  const IoResult result =
      Retry(fd, POLLIN, deadline, [&] { return preadv2(fd, &piece, 1, -1, RWF_NOWAIT); });
  if (!IsUnknown(result)) return result;
  return AskFirst(fd, POLLIN, deadline, [&] { return read(fd, buffer.data(), buffer.size()); });
}

IoResult Write(int fd, std::span<const std::byte> bytes, Deadline deadline) {
  const iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  const IoResult result =
      Retry(fd, POLLOUT, deadline, [&] { return pwritev2(fd, &piece, 1, -1, RWF_NOWAIT); });
  if (!IsUnknown(result)) return result;
  // A pipe that is ready takes so much without blocking.
  const std::size_t some = std::min<std::size_t>(bytes.size(), PIPE_BUF);
  return AskFirst(fd, POLLOUT, deadline, [&] { return write(fd, bytes.data(), some); });
}

IoResult Accept(int socket, Deadline deadline) {
  MakeNonBlocking(socket);
  return Retry(socket, POLLIN, deadline,
               [&] { return accept4(socket, nullptr, nullptr, SOCK_CLOEXEC); });
}

IoResult Connect(int socket, const sockaddr* address, socklen_t bytes, Deadline deadline) {
  MakeNonBlocking(socket);
  if (connect(socket, address, bytes) == 0) return {};
  // EAGAIN: a local socket whose listener's queue is full says so and goes no further.
  const int error = LastError();
  if (error != EINPROGRESS && error != EINTR) return Failed(error);
  if (const int waited = WaitFor(socket, POLLOUT, deadline); waited != 0) return Failed(waited);
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
