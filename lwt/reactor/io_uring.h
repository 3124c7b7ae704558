// An io_uring of the kernel: operations are handed over by a system call, and their results come
// back by a queue in memory that is shared with the kernel.
//
// By raw system calls; no library. The kernel starts no thread that polls (SQPOLL): the submitting
// OS thread starts an operation in its system call, and later stages run on that OS thread, which
// is interrupted for them, or on a thread of the kernel's. So an OS thread that submits lives until
// its operations have completed.
//
// Threads: any.
// Order: what came before Submit happens before Reap hands out the completion (the tail of the
//   submission queue, released and acquired: the kernel's own order is not seen by
//   ThreadSanitizer).
// Progress: Submit holds a mutex during its system call, which never waits for a device or a peer.
//   Reap takes a lock for the time of a copy; a thread that comes meanwhile goes on.
#pragma once

#include <linux/io_uring.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace lwt {

// A value. Powers of two, which the kernel reduces to what it allows.
struct IoUringSizes {
  unsigned submissions = 256;  // handed over in one system call, at the most
  // That wait to be reaped, in shared memory; more of them the kernel keeps in its own.
  unsigned completions = 4096;
};

// A resource.
class IoUring {
 public:
  // Errors: Unavailable, with errno's text, where the kernel refuses a ring, as it does in many
  // containers (seccomp, kernel.io_uring_disabled), or with the name of what it misses: it is
  // Linux 5.7 or newer.
  static absl::StatusOr<std::unique_ptr<IoUring>> Create(const IoUringSizes& sizes = {});
  ~IoUring();
  IoUring(const IoUring&) = delete;
  IoUring& operator=(const IoUring&) = delete;

  // How many were handed over, in order, and why not the next one (errno; 0: all were).
  struct Submitted {
    std::size_t count = 0;
    int error = 0;
  };
  // `fill(i, entry)` describes the i-th operation in an entry of zeros; it runs with a lock held.
  template <typename Fill>
  Submitted Submit(std::size_t count, Fill fill) {
    const topo::Lock lock(submit_mutex_);
    Submitted submitted;
    while (submitted.count < count && submitted.error == 0) {
      const std::size_t some = std::min<std::size_t>(count - submitted.count, entries_.size());
      for (std::size_t i = 0; i < some; ++i) fill(submitted.count + i, EmptyEntry(i));
      submitted.count += HandOver(static_cast<unsigned>(some), submitted.error);
    }
    return submitted;
  }

  // Waits until a completion is there to be reaped; may return early.
  void Wait();
  bool HasCompletions() const;

  // Calls `take(user_data, result)` for completions that are there, each once, without a lock.
  template <typename Take>
  void Reap(Take take) {
    std::array<Completion, kBatch> batch;
    while (HasCompletions()) {
      const std::size_t got = TakeSome(batch);
      if (got == 0) return;  // Another thread does.
      for (std::size_t i = 0; i < got; ++i) take(batch[i].user_data, batch[i].result);
    }
  }

 private:
  static constexpr std::size_t kBatch = 32;

  struct Completion {
    std::uint64_t user_data = 0;
    int result = 0;
  };
  // Words of the memory that is shared with the kernel.
  struct Queue {
    unsigned* head = nullptr;
    unsigned* tail = nullptr;
    unsigned mask = 0;
  };

  IoUring() = default;
  absl::Status Open(const IoUringSizes& sizes);
  absl::Status Check(unsigned features) const;
  absl::Status Map(const io_uring_params& made);
  io_uring_sqe& EmptyEntry(std::size_t i) ABSL_EXCLUSIVE_LOCKS_REQUIRED(submit_mutex_);
  unsigned HandOver(unsigned count, int& error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(submit_mutex_);
  std::size_t TakeSome(std::span<Completion> into);

  // Set by Open; the same from then on.
  int fd_ = -1;
  std::span<std::byte> shared_;
  std::span<io_uring_sqe> entries_;
  Queue submissions_;
  Queue completions_;
  const io_uring_cqe* completed_ = nullptr;

  topo::Mutex submit_mutex_;  // of the entries, and of what is between their queue's head and tail
  topo::SpinLock reap_lock_;  // of the completions' head
};

}  // namespace lwt
