// Blocking I/O that blocks the thread and not the worker: MassiveThreads' other
// half.
//
//   lwt::IoResult got = lwt::Read(socket, buffer);
//   if (got.error != 0) ...
//
// Each is as the system call of its name, but for three things. It suspends the
// calling lightweight thread while the call would block. It gives the error in its
// result: `errno` belongs to the OS thread, which may be another afterwards. And no
// signal ends it: EINTR is no error here.
//
// PoolOptions::io_backend says how a pool's threads wait. Either way a call first tries whether it
// can be done at once.
//
// By epoll (poller.h) a thread waits until its descriptor is ready. Ordinary files, directories and
// block devices cannot be waited for, as poll(2) calls them always ready: reading what is not in
// memory holds up the worker, whatever the deadline.
//
// By io_uring (proactor.h) the kernel does the operation meanwhile, of ordinary files too. Those of
// a pool's threads on one such descriptor that move its position take turns; descriptors that share
// their position (dup, fork) are not known to each other. At a deadline the operation is cancelled;
// one that a device has begun cannot be, and is awaited. What it had done is the result. The
// operation is done in the name of the worker's OS thread, whose own system calls it may interrupt.
// Where the kernel has no memory or may start no thread for it, that of an ordinary file holds up
// the worker, as by epoll, and others end with ENOMEM.
//
// Descriptors stay in the mode they are in, except that by epoll Accept and Connect make their
// socket non-blocking.
//
// Threads: any; outside of pools they are the system calls, but for signals and the
// deadline. Several threads may wait for one descriptor. Close none that is waited
// for: by epoll its waiters are left behind (Poller::Wait), by io_uring they wait on for the file.
// Source: [7] of [NNT13], Nakashima and Taura: I/O in MassiveThreads.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <span>

#include "lwt/timer.h"

namespace lwt {

// A value.
struct IoResult {
  ssize_t value = 0;  // as the system call returns it: bytes, a descriptor; -1 with an error
  // errno; ETIMEDOUT after the deadline; EOPNOTSUPP where a thread on simulated workers
  // would have to wait: I/O is not simulated. EMFILE, ENFILE, ENOMEM, EAGAIN, ENOSPC too
  // where the system gives no means to wait.
  int error = 0;
};

// Up to buffer.size() bytes; 0 at the end.
IoResult Read(int fd, std::span<std::byte> buffer, Deadline deadline = Deadline::max());
// At least one byte of them, if there is no error.
IoResult Write(int fd, std::span<const std::byte> bytes, Deadline deadline = Deadline::max());
// The new connection's descriptor, closed on exec.
IoResult Accept(int socket, Deadline deadline = Deadline::max());
IoResult Connect(int socket, const sockaddr* address, socklen_t bytes,
                 Deadline deadline = Deadline::max());
// How many of them are ready; 0 after the deadline. Negative descriptors are ignored.
IoResult Poll(std::span<pollfd> fds, Deadline deadline = Deadline::max());

}  // namespace lwt
