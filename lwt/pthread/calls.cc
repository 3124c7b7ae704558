// System calls that block, of pthread programs.
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "lwt/myth/cancel.h"
#include "lwt/myth/descriptors.h"
#include "lwt/myth/io.h"
#include "lwt/myth/moments.h"
#include "lwt/myth/threads.h"
#include "lwt/pthread/functions.h"

extern "C" {

unsigned lwt_sleep(unsigned seconds) { return myth_sleep(seconds); }
int lwt_usleep(useconds_t microseconds) { return myth_usleep(microseconds); }
int lwt_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!lwt::c::IsTime(*time) || time->tv_sec < 0) return EINVAL;
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return ENOTSUP;
  if ((flags & TIMER_ABSTIME) == 0) return myth_nanosleep(time, left);
  lwt::c::SleepOrEnd(lwt::c::DeadlineAt(*time, clock));
  return 0;
}
int lwt_nanosleep(const timespec* time, timespec* left) {
  const int error = myth_nanosleep(time, left);
  return static_cast<int>(lwt::c::Returned({error == 0 ? 0 : -1, error}));
}

ssize_t lwt_read(int fd, void* buffer, size_t bytes) { return myth_read(fd, buffer, bytes); }
ssize_t lwt_write(int fd, const void* buffer, size_t bytes) {
  return myth_write(fd, buffer, bytes);
}
ssize_t lwt_readv(int fd, const iovec* pieces, int count) { return myth_readv(fd, pieces, count); }
ssize_t lwt_writev(int fd, const iovec* pieces, int count) {
  return myth_writev(fd, pieces, count);
}
ssize_t lwt_recv(int socket, void* buffer, size_t bytes, int flags) {
  return myth_recv(socket, buffer, bytes, flags);
}
ssize_t lwt_recvfrom(int socket, void* buffer, size_t bytes, int flags, sockaddr* address,
                     socklen_t* address_bytes) {
  return myth_recvfrom(socket, buffer, bytes, flags, address, address_bytes);
}
ssize_t lwt_recvmsg(int socket, msghdr* message, int flags) {
  return myth_recvmsg(socket, message, flags);
}
ssize_t lwt_send(int socket, const void* buffer, size_t bytes, int flags) {
  return myth_send(socket, buffer, bytes, flags);
}
ssize_t lwt_sendto(int socket, const void* buffer, size_t bytes, int flags, const sockaddr* address,
                   socklen_t address_bytes) {
  return myth_sendto(socket, buffer, bytes, flags, address, address_bytes);
}
ssize_t lwt_sendmsg(int socket, const msghdr* message, int flags) {
  return myth_sendmsg(socket, message, flags);
}
int lwt_accept(int socket, sockaddr* address, socklen_t* address_bytes) {
  return myth_accept(socket, address, address_bytes);
}
int lwt_accept4(int socket, sockaddr* address, socklen_t* address_bytes, int flags) {
  return myth_accept4(socket, address, address_bytes, flags);
}
int lwt_connect(int socket, const sockaddr* address, socklen_t address_bytes) {
  return myth_connect(socket, address, address_bytes);
}
int lwt_poll(pollfd* fds, nfds_t count, int timeout) { return myth_poll(fds, count, timeout); }
int lwt_select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
               timeval* timeout) {
  return myth_select(count, readable, writable, exceptional, timeout);
}

}  // extern "C"
