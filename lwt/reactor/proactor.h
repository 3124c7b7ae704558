// Threads that wait for operations which the kernel does for them (io_uring), and the OS thread
// that looks after the completions: beside the poller (poller.h), by which threads wait until
// they can do an operation themselves.
//
// A waiting thread hands its operation over by one system call and suspends. Completions are
// looked for by workers that have nothing to run, without a system call, and by the watcher, which
// sleeps in the kernel while there is none.
//
// An operation holds its file: closing the descriptor while a thread waits lets it wait on. At a
// deadline the thread has the operation cancelled and waits for its completion, so that the kernel
// writes nowhere afterwards; what had been done by then is the result, and nothing is lost.
//
// Threads: any of the pool's lightweight threads for Perform and Wait; any OS thread for Reap.
// Order: what follows Perform or Wait sees what the kernel did (Operation orders it).
// Progress: IoUring's. A cancellation is repeated every ten milliseconds until the operation has
//   completed: the kernel may have no memory for one, and before Linux 6.10 one may miss an
//   operation that just then begins to wait anew.
#pragma once

#include <linux/io_uring.h>
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/machine/joined_thread.h"
#include "lwt/reactor/io_uring.h"
#include "lwt/reactor/operation.h"
#include "lwt/timer.h"

namespace lwt {

// A resource of a pool.
class Proactor {
 public:
  // Without its watcher: completions are found by Reap only. Errors: as IoUring::Create.
  static absl::StatusOr<std::unique_ptr<Proactor>> Create(const IoUringSizes& sizes = {});
  // Precondition: no operation is left.
  ~Proactor();
  Proactor(const Proactor&) = delete;
  Proactor& operator=(const Proactor&) = delete;

  // Errors: ResourceExhausted where no more OS threads can be started. Once.
  absl::Status StartWatcher();

  // What the operation returned, or -errno: -ETIMEDOUT where the deadline ended it, -ENOMEM where
  // the kernel has no memory for it or cancels it by itself, as it does where it may start no
  // thread (and what a timer's descriptor calls ECANCELED). What `entry` points to must stay until
  // then.
  int Perform(const io_uring_sqe& entry, Deadline deadline);
  // As Poller::Wait; -ENOMEM too where the kernel has none for the operations.
  int Wait(std::span<pollfd> fds, Deadline deadline);

  // Wakes the threads whose operations have completed.
  void Reap() {
    if (ring_->HasCompletions()) ReapAll();
  }

  // How many operations were handed to the kernel, cancellations not counted.
  std::int64_t operations() const { return operations_.load(std::memory_order_relaxed); }

 private:
  struct Part;

  explicit Proactor(std::unique_ptr<IoUring> ring) : ring_(std::move(ring)) {}
  void ReapAll();
  void Watch();
  template <typename Describe>
  bool Call(std::span<Part> parts, Deadline deadline, Describe describe);
  void Finish(std::span<Part> parts, Operation& operation);
  void Cancel(std::span<Part> parts, Operation& operation);

  const std::unique_ptr<IoUring> ring_;
  std::atomic<std::int64_t> operations_{0};
  std::atomic<bool> stopping_{false};
  JoinedThread watcher_;
};

}  // namespace lwt
