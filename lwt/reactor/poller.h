// Threads that wait for file descriptors, and the OS thread that watches for them.
//
// A pool's poller gets its epoll instance and its thread at the first wait. The
// thread sleeps in epoll_wait and costs nothing while nothing happens. A
// descriptor is registered when a thread waits for it, one shot at a time.
//
// A waiting call and its nodes, one for each descriptor, lie on the stack of the
// waiting thread; so a wait for few descriptors allocates nothing. The watcher or the
// deadline, whichever ends a call, claims it first; a claimed call is as if it were in no list.
//
// Threads: any.
// Order: what follows Wait sees what made the descriptor ready, as after poll(2).
//   Call::claimed (acq_rel) decides between watcher and deadline; Waiter orders the rest.
// Progress: a mutex for some instructions and an epoll_ctl. A deadline takes no
//   lock: it comes with the timers' lock held.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <span>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/joined_thread.h"
#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/mutex.h"

namespace lwt {

// errno. A compiler may keep the address of errno, but a thread that was suspended
// meanwhile may be on another OS thread: so this is not inlined.
int LastError();
// As poll(2) without waiting; -errno, never -EINTR.
int PollNow(std::span<pollfd> fds);

// A resource of a pool.
class Poller {
 public:
  Poller() = default;
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // As poll(2): waits until one of `fds` has one of its events, or an error or
  // hang-up, or until the deadline; sets revents; returns how many are ready, or
  // -errno: ENOMEM, what poll(2) and epoll_ctl(2) refuse, and where the system
  // gives no epoll instance or thread, why (the next call tries again). Signals do
  // not end it.
  //
  // Closing a descriptor that is waited for leaves its waiters behind, until
  // their deadlines, or until an event of it that comes after all (another
  // descriptor of the same file is open): then waiters that do not wait for that event
  // get POLLNVAL.
  int Wait(std::span<pollfd> fds, Deadline deadline);

 private:
  struct Call;
  // One descriptor of one call, in its bucket.
  struct Node {
    Call* call = nullptr;
    pollfd* asked = nullptr;
    int fd = -1;
    Node* newer = nullptr;
    Node* older = nullptr;
    bool queued = false;
  };
  // On the stack of the waiting thread. Its nodes are out of all lists before it goes.
  struct Call {
    Waiter waiter;
    std::span<Node> nodes;
    std::atomic<bool> claimed{false};  // by the watcher or the deadline
    Call* also_claimed = nullptr;      // of the watcher
  };
  using Waiting = WaitList<Node>;
  // As many as most processes may open. Not a table that grows: that allocates.
  static constexpr std::size_t kBuckets = 1024;

  // Calls that were claimed, and are to be woken once mutex_ is free.
  class Claimed;

  void Close();
  void Watch();
  void OnReady(int fd, short events);
  int Enter(Call& call, Node& node);
  void Leave(Call& call);

  int Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int StartWatcher() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Waiting& BucketOf(int fd) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return buckets_[static_cast<unsigned>(fd) % kBuckets];
  }
  int Register(int fd) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Claim(int fd, short events, Claimed& claimed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveNodes(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  topo::Mutex mutex_;
  // Set by Start, with mutex_ held, before the watcher runs; the same from then on.
  int epoll_ = -1;
  int stop_ = -1;  // an eventfd that ends Watch
  std::array<Waiting, kBuckets> buckets_ ABSL_GUARDED_BY(mutex_);
  JoinedThread watcher_;
};

}  // namespace lwt
