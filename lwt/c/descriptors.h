// File descriptors as blocking programs use them, by lightweight threads.
//
// A descriptor that the program made non-blocking stays so: its calls return EAGAIN as ever. For
// all others a call that would block waits for the descriptor first (io.h).
//
// Threads: any.
#pragma once

#include <cerrno>

#include "lwt/io.h"

namespace lwt::c {

// errno of the OS thread on which the calling thread runs now: the compiler may keep the address of
// `errno` over a call that suspends.
int Errno();
void SetErrno(int error);

// While it lives, the thread may set errno; then errno is as before. For a call that makes system
// calls which may fail without its failing.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { SetErrno(before_); }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int before_ = Errno();
};

// As a system call returns it: the value, or -1 with errno set.
ssize_t Returned(const IoResult& result);

// Is it for calls to block by switching threads: on a worker, and with a descriptor that blocks?
bool WaitsHere(int fd);

// While it lives, the descriptor does not block; one at a time in the program, and for an instant.
class NonBlocking {
 public:
  explicit NonBlocking(int fd);
  ~NonBlocking();
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  const int fd_;
  const int flags_;
};

// Waits until the descriptor is ready for `events` of poll(2). 0, or an errno value.
int WaitUntilReady(int fd, short events);

// Calls `call`, which never blocks, until it does not return -1 with EAGAIN (or EINTR); waits in
// between. What it returned, with errno.
template <typename Call>
ssize_t Retry(int fd, short events, Call call) {
  while (true) {
    const ssize_t value = call();
    if (value >= 0) return value;
    const int error = Errno();
    if (error == EINTR) continue;
    if (error != EAGAIN) return Returned({-1, error});
    if (const int waited = WaitUntilReady(fd, events); waited != 0) return Returned({-1, waited});
  }
}

}  // namespace lwt::c
