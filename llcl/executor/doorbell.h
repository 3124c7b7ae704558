// An eventfd that wakes a thread that sleeps in poll(2).
//
// Threads: Ring, any; the rest, the thread that sleeps.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "llcl/owned_fd.h"
#include "llcl/process_limits.h"

namespace llcl {

// A resource. Closed at first: Ring then does nothing.
class Doorbell {
 public:
  // Throws std::system_error where the process has no descriptor left.
  void Open() {
    fd_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (fd_.get() >= 0) return;
    const int error = errno;
    throw std::system_error(error, std::generic_category(), WhyCallFailed("eventfd2", error));
  }
  bool is_open() const { return fd_.get() >= 0; }
  // Readable once it was rung.
  int descriptor() const { return fd_.get(); }

  void Ring() {
    const std::uint64_t one = 1;
    if (is_open()) (void)!write(fd_.get(), &one, sizeof one);
  }
  void Clear() {
    std::uint64_t rings = 0;
    (void)!read(fd_.get(), &rings, sizeof rings);
  }

 private:
  OwnedFd fd_;
};

}  // namespace llcl
