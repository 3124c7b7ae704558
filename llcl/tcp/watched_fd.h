// A descriptor that an epoll watches as long as it is here. A process that forks may keep a closed
// descriptor's file open, and the epoll would go on watching it: so the watch ends by name.
//
// Threads: one at a time.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <utility>

#include "llcl/owned_fd.h"

namespace llcl {

// A resource. The epoll outlives it.
class WatchedFd {
 public:
  WatchedFd(OwnedFd fd, int epoll, std::uint32_t events) : fd_(std::move(fd)), epoll_(epoll) {
    is_watched_ = Control(EPOLL_CTL_ADD, events);
  }
  ~WatchedFd() { EndWatch(); }
  WatchedFd(WatchedFd&& other) noexcept
      : fd_(std::move(other.fd_)),
        epoll_(other.epoll_),
        is_watched_(std::exchange(other.is_watched_, false)) {}
  WatchedFd& operator=(WatchedFd&&) = delete;

  int get() const { return fd_.get(); }
  // False: the system has no memory for it.
  bool is_watched() const { return is_watched_; }
  void Watch(std::uint32_t events) { (void)Control(EPOLL_CTL_MOD, events); }
  // From here on the epoll does not watch it.
  OwnedFd Take() {
    EndWatch();
    return std::move(fd_);
  }

 private:
  bool Control(int what, std::uint32_t events) {
    epoll_event event = {.events = events, .data = {}};
    return fd_.get() >= 0 && epoll_ctl(epoll_, what, fd_.get(), &event) == 0;
  }
  void EndWatch() {
    if (std::exchange(is_watched_, false)) (void)Control(EPOLL_CTL_DEL, 0);
  }

  OwnedFd fd_;
  int epoll_;
  bool is_watched_ = false;
};

}  // namespace llcl
