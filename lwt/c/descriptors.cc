#include "lwt/c/descriptors.h"

#include <fcntl.h>

#include "lwt/thread.h"
#include "topo/mutex.h"

namespace lwt::c {
namespace {

topo::Mutex non_blocking_mutex;

}  // namespace

[[gnu::noinline]] int Errno() { return errno; }
[[gnu::noinline]] void SetErrno(int error) { errno = error; }

ssize_t Returned(const IoResult& result) {
  if (result.error == 0) return result.value;
  SetErrno(result.error);
  return -1;
}

bool WaitsHere(int fd) {
  if (!IsLightweightThread()) return false;
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

NonBlocking::NonBlocking(int fd) ABSL_NO_THREAD_SAFETY_ANALYSIS : fd_(fd),
                                                                  flags_(fcntl(fd, F_GETFL)) {
  non_blocking_mutex.Lock();
  fcntl(fd_, F_SETFL, flags_ | O_NONBLOCK);
}

NonBlocking::~NonBlocking() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const int error = Errno();
  fcntl(fd_, F_SETFL, flags_);
  non_blocking_mutex.Unlock();
  SetErrno(error);
}

int WaitUntilReady(int fd, short events) {
  pollfd one = {fd, events, 0};
  const IoResult result = Poll({&one, 1});
  if (result.error != 0) return result.error;
  return (one.revents & POLLNVAL) != 0 ? EBADF : 0;
}

}  // namespace lwt::c
