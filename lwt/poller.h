// Threads that wait for file descriptors, and the OS thread that watches for them.
//
// A pool has a poller from its first wait on. It sleeps in epoll_wait and costs
// nothing while nothing happens. A descriptor is registered while somebody waits
// for it, one shot at a time.
//
// Threads: any. Order: what follows Wait sees what made the descriptor ready, as
//   after poll(2). Progress: a mutex for some instructions and a system call.
#pragma once

#include <poll.h>

#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "lwt/timer.h"
#include "lwt/wait_list.h"
#include "lwt/waiter.h"

namespace lwt {

// A resource of a pool.
class Poller {
 public:
  // Errors: ResourceExhausted where the system gives no epoll instance or thread.
  static absl::StatusOr<std::unique_ptr<Poller>> Create();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // As poll(2): waits until one of `fds` has one of its events, or an error or
  // hang-up, or until the deadline; sets revents; returns how many are ready, or
  // -errno. Who closes a descriptor that is waited for leaves its waiters behind.
  int Wait(std::span<pollfd> fds, Deadline deadline);

 private:
  struct Call;
  // One descriptor of one call, in the list of its descriptor.
  struct Node {
    Call* call = nullptr;
    pollfd* asked = nullptr;
    Node* newer = nullptr;
    Node* older = nullptr;
    bool queued = false;
  };
  // On the stack of who waits.
  struct Call {
    Waiter waiter;
    std::span<Node> nodes;
  };
  using Waiting = WaitList<Node>;

  Poller(int epoll, int stop) : epoll_(epoll), stop_(stop) {}
  void Watch();
  int Register(int fd, const Waiting& waiting);
  void OnReady(int fd, short events);
  bool Withdraw(Call& call);

  const int epoll_;
  const int stop_;  // an eventfd: ends Watch
  std::mutex mutex_;
  std::unordered_map<int, Waiting> waiting_;  // under mutex_
  std::thread watcher_;
};

}  // namespace lwt
