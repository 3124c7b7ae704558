#include "lwt/io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "lwt/kernel/scheduler.h"
#include "lwt/pool.h"
#include "lwt/reactor/file_turns.h"
#include "lwt/reactor/poller.h"
#include "lwt/reactor/proactor.h"

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

// The pool's by whose thread this is called, if it waits by io_uring.
Proactor* ProactorHere() {
  Scheduler* const scheduler = Scheduler::Current();
  return scheduler == nullptr ? nullptr : scheduler->pool().proactor();
}

// Waits on this pool's poller or proactor, or by the system's poll outside of pools. How many
// are ready, or -errno.
int WaitForAny(std::span<pollfd> fds, Deadline deadline) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    if (scheduler->simulator() == nullptr) {
      if (Proactor* const proactor = ProactorHere()) return proactor->Wait(fds, deadline);
      return scheduler->pool().poller().Wait(fds, deadline);
    }
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

// Is it for the caller to find out otherwise whether the call, with RWF_NOWAIT, would block?
bool IsUnknown(const IoResult& result) {
  return result.error == EOPNOTSUPP || result.error == EINVAL || result.error == ESPIPE ||
         result.error == ENOSYS || result.error == EPERM;  // a filter of a container's
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
  if (!IsUnknown(result)) return result;
  if (IsAlwaysReady(fd)) return Once(all);
  // A file without RWF_NOWAIT: asks first. The call may yet block, where another reader or
  // writer comes between, and on terminals. A ready pipe takes so much without blocking:
  const std::size_t some = events == POLLOUT ? std::min<std::size_t>(bytes, PIPE_BUF) : bytes;
  if (const int error = WaitUntilCertain(fd, events, deadline); error != 0) return Failed(error);
  return Retry(fd, events, deadline, [&] { return plain(some); });
}

IoResult ResultOf(int returned) { return returned < 0 ? Failed(-returned) : IoResult{returned, 0}; }

// As read(2) and write(2) limit it.
constexpr std::size_t kMostBytes = 0x7ffff000;

io_uring_sqe TransferEntry(io_uring_op operation, int fd, const void* buffer, std::size_t bytes) {
  io_uring_sqe entry = {};
  entry.opcode = static_cast<std::uint8_t>(operation);
  entry.fd = fd;
  entry.addr = reinterpret_cast<std::uint64_t>(buffer);
  entry.len = static_cast<std::uint32_t>(std::min(bytes, kMostBytes));
  entry.off = static_cast<std::uint64_t>(-1);  // at its position, if it has one
  return entry;
}

// Sockets, pipes, terminals, ... `now`: as of Transfer.
template <typename Now>
IoResult TransferStream(Proactor& proactor, const io_uring_sqe& entry, Deadline deadline, Now now) {
  const short events = entry.opcode == IORING_OP_READ ? POLLIN : POLLOUT;
  IoResult result = Once(now);
  while (WouldBlock(result) || IsUnknown(result)) {
    if (deadline <= Clock::now()) return Failed(ETIMEDOUT);
    result = ResultOf(proactor.Perform(entry, deadline));
    if (!WouldBlock(result)) return result;
    // A non-blocking descriptor, for which the kernel does not wait.
    if (const int error = WaitFor(entry.fd, events, deadline); error != 0) return Failed(error);
  }
  return result;
}

// Ordinary files: at their position, one thread after the other. The kernel does not move it for an
// operation that bypasses the page cache, so it is moved here.
template <typename Now, typename Plain>
IoResult TransferFile(Pool& pool, io_uring_sqe entry, Deadline deadline, Now now, Plain plain) {
  FileTurns::Turn turn;
  turn.fd = entry.fd;
  if (!pool.file_turns().Enter(turn, deadline)) return Failed(ETIMEDOUT);
  const int flags = fcntl(entry.fd, F_GETFL);
  IoResult result = Failed(EAGAIN);
  // Where the page cache is bypassed, RWF_NOWAIT waits for the device all the same.
  if ((flags & O_DIRECT) == 0) result = Once(now);
  if (WouldBlock(result) || IsUnknown(result)) {
    const off_t position = lseek(entry.fd, 0, SEEK_CUR);
    entry.off = static_cast<std::uint64_t>(position);
    result = ResultOf(pool.proactor()->Perform(entry, deadline));
    if (WouldBlock(result)) {  // A non-blocking descriptor, which files otherwise ignore.
      entry.flags = IOSQE_ASYNC;
      result = ResultOf(pool.proactor()->Perform(entry, deadline));
    }
    const bool is_append = entry.opcode == IORING_OP_WRITE && (flags & O_APPEND) != 0;
    if (result.error == ENOMEM) {
      result = Once(plain);  // The kernel cannot do it meanwhile. This moves the position itself.
    } else if (result.value > 0 && is_append) {
      lseek(entry.fd, 0, SEEK_END);
    } else if (result.value > 0) {
      lseek(entry.fd, position + result.value, SEEK_SET);
    }
  }
  pool.file_turns().Leave(turn);
  return result;
}

// By the proactor of this pool. `now`, `plain`: as of Transfer.
template <typename Now, typename Plain>
IoResult Hand(const io_uring_sqe& entry, std::size_t bytes, Deadline deadline, Now now,
              Plain plain) {
  Pool& pool = Scheduler::Here().pool();
  // Few descriptors have a position, and to ask for it costs less than fstat.
  if (lseek(entry.fd, 0, SEEK_CUR) >= 0 && IsAlwaysReady(entry.fd)) {
    return TransferFile(pool, entry, deadline, now, [&] { return plain(bytes); });
  }
  return TransferStream(*pool.proactor(), entry, deadline, now);
}

void MakeNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) == 0) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

}  // namespace

IoResult Read(int fd, std::span<std::byte> buffer, Deadline deadline) {
  const iovec piece = {buffer.data(), buffer.size()};
  const auto now = [&] { return preadv2(fd, &piece, 1, -1, RWF_NOWAIT); };
  const auto plain = [&](std::size_t bytes) { return read(fd, buffer.data(), bytes); };
  if (ProactorHere() == nullptr) {
    return Transfer(fd, POLLIN, buffer.size(), deadline, now, plain);
  }
  const io_uring_sqe entry = TransferEntry(IORING_OP_READ, fd, buffer.data(), buffer.size());
  return Hand(entry, buffer.size(), deadline, now, plain);
}

IoResult Write(int fd, std::span<const std::byte> bytes, Deadline deadline) {
  const iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  const auto now = [&] { return pwritev2(fd, &piece, 1, -1, RWF_NOWAIT); };
  const auto plain = [&](std::size_t some) { return write(fd, bytes.data(), some); };
  if (ProactorHere() == nullptr) {
    return Transfer(fd, POLLOUT, bytes.size(), deadline, now, plain);
  }
  const io_uring_sqe entry = TransferEntry(IORING_OP_WRITE, fd, bytes.data(), bytes.size());
  return Hand(entry, bytes.size(), deadline, now, plain);
}

IoResult Accept(int socket, Deadline deadline) {
  if (Proactor* const proactor = ProactorHere()) {
    io_uring_sqe entry = {};
    entry.opcode = IORING_OP_ACCEPT;
    entry.fd = socket;
    entry.accept_flags = SOCK_CLOEXEC;
    const IoResult accepted = ResultOf(proactor->Perform(entry, deadline));
    if (!WouldBlock(accepted)) return accepted;  // Else it is non-blocking.
  }
  MakeNonBlocking(socket);
  return Retry(socket, POLLIN, deadline,
               [&] { return accept4(socket, nullptr, nullptr, SOCK_CLOEXEC); });
}

IoResult Connect(int socket, const sockaddr* address, socklen_t bytes, Deadline deadline) {
  if (Proactor* const proactor = ProactorHere()) {
    io_uring_sqe entry = {};
    entry.opcode = IORING_OP_CONNECT;
    entry.fd = socket;
    entry.addr = reinterpret_cast<std::uint64_t>(address);
    entry.off = bytes;
    return ResultOf(proactor->Perform(entry, deadline));
  }
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
  return ResultOf(ready);
}

}  // namespace lwt
