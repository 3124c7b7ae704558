// System calls that block, of pthread programs.
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "lwt/c/cancel.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/moments.h"
#include "lwt/myth/io.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/live_threads.h"
#include "lwt/worker.h"

namespace {

int Returned(int error) { return static_cast<int>(lwt::c::Returned({error == 0 ? 0 : -1, error})); }

bool IsOnWorker() { return lwt::Worker::Current() != nullptr; }

// The result of `call`, as a system call's. Where it has not failed, errno is as before: a call
// that waits makes system calls that fail with EAGAIN, and then succeeds.
template <typename Call>
auto Kept(Call call) {
  const int before = lwt::c::Errno();
  const auto result = call();
  if (result >= 0) lwt::c::SetErrno(before);
  return result;
}

// False: a handler of a signal to the thread has run meanwhile.
bool SleepUntil(lwt::Deadline deadline) {
  lwt::c::ProgramThread* const self = lwt::c::LiveThreads::Self();
  if (self == nullptr) {
    lwt::c::SleepOrEnd(deadline);
    return true;
  }
  return lwt::c::SleepUnlessChanged(deadline, self->interruptions, self->interruptions.load());
}

// 0; EINTR: with `left` (or null), what was not slept. Outside of workers it is the system's, which
// any signal ends.
int Sleep(clockid_t clock, const timespec& time, timespec* left) {
  const lwt::c::KeepErrno keep;
  if (!IsOnWorker()) return clock_nanosleep(clock, 0, &time, left);
  const lwt::Deadline deadline = lwt::c::DeadlineAfter(time.tv_sec, time.tv_nsec);
  if (SleepUntil(deadline)) return 0;
  if (left != nullptr) {
    using std::chrono::nanoseconds;
    const nanoseconds rest = std::max<nanoseconds>(deadline - lwt::Now(), nanoseconds(0));
    *left = {static_cast<time_t>(rest.count() / 1'000'000'000),
             static_cast<long>(rest.count() % 1'000'000'000)};
  }
  return EINTR;
}

}  // namespace

extern "C" {

unsigned lwt_sleep(unsigned seconds) {
  timespec left = {static_cast<time_t>(seconds), 0};
  if (Sleep(CLOCK_MONOTONIC, left, &left) == 0) return 0;
  return static_cast<unsigned>(left.tv_sec) + (left.tv_nsec > 0 ? 1 : 0);
}
int lwt_usleep(useconds_t microseconds) {
  const timespec time = {static_cast<time_t>(microseconds / 1'000'000),
                         static_cast<long>(microseconds % 1'000'000) * 1000};
  return Returned(Sleep(CLOCK_MONOTONIC, time, nullptr));
}
int lwt_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!lwt::c::IsTime(*time) || time->tv_sec < 0) return EINVAL;
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return ENOTSUP;
  if ((flags & TIMER_ABSTIME) == 0) return Sleep(clock, *time, left);
  if (!IsOnWorker()) return clock_nanosleep(clock, flags, time, left);
  return SleepUntil(lwt::c::DeadlineAt(*time, clock)) ? 0 : EINTR;
}
int lwt_nanosleep(const timespec* time, timespec* left) {
  if (!lwt::c::IsTime(*time) || time->tv_sec < 0) return Returned(EINVAL);
  return Returned(Sleep(CLOCK_MONOTONIC, *time, left));
}

ssize_t lwt_read(int fd, void* buffer, size_t bytes) {
  return Kept([&] { return myth_read(fd, buffer, bytes); });
}
ssize_t lwt_write(int fd, const void* buffer, size_t bytes) {
  return Kept([&] { return myth_write(fd, buffer, bytes); });
}
ssize_t lwt_readv(int fd, const iovec* pieces, int count) {
  return Kept([&] { return myth_readv(fd, pieces, count); });
}
ssize_t lwt_writev(int fd, const iovec* pieces, int count) {
  return Kept([&] { return myth_writev(fd, pieces, count); });
}
ssize_t lwt_recv(int socket, void* buffer, size_t bytes, int flags) {
  return Kept([&] { return myth_recv(socket, buffer, bytes, flags); });
}
ssize_t lwt_recvfrom(int socket, void* buffer, size_t bytes, int flags, sockaddr* address,
                     socklen_t* address_bytes) {
  return Kept([&] { return myth_recvfrom(socket, buffer, bytes, flags, address, address_bytes); });
}
ssize_t lwt_recvmsg(int socket, msghdr* message, int flags) {
  return Kept([&] { return myth_recvmsg(socket, message, flags); });
}
ssize_t lwt_send(int socket, const void* buffer, size_t bytes, int flags) {
  return Kept([&] { return myth_send(socket, buffer, bytes, flags); });
}
ssize_t lwt_sendto(int socket, const void* buffer, size_t bytes, int flags, const sockaddr* address,
                   socklen_t address_bytes) {
  return Kept([&] { return myth_sendto(socket, buffer, bytes, flags, address, address_bytes); });
}
ssize_t lwt_sendmsg(int socket, const msghdr* message, int flags) {
  return Kept([&] { return myth_sendmsg(socket, message, flags); });
}
int lwt_accept(int socket, sockaddr* address, socklen_t* address_bytes) {
  return Kept([&] { return myth_accept(socket, address, address_bytes); });
}
int lwt_accept4(int socket, sockaddr* address, socklen_t* address_bytes, int flags) {
  return Kept([&] { return myth_accept4(socket, address, address_bytes, flags); });
}
int lwt_connect(int socket, const sockaddr* address, socklen_t address_bytes) {
  return Kept([&] { return myth_connect(socket, address, address_bytes); });
}
int lwt_poll(pollfd* fds, nfds_t count, int timeout) {
  return Kept([&] { return myth_poll(fds, count, timeout); });
}
int lwt_select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
               timeval* timeout) {
  return Kept([&] { return myth_select(count, readable, writable, exceptional, timeout); });
}

}  // extern "C"
