// Who is told when a thread touches memory that is not there: handlers of SIGSEGV and
// SIGBUS that ask those who watch the address, and leave all other faults to whoever had
// the signal before, so that a wild pointer ends a program as it always did.
//
// Threads: any, all members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dsm {

// Told of faults in its memory, in the thread that faulted, in the signal handler.
class FaultListener {
 public:
  virtual ~FaultListener() = default;
  // True: the access is to be tried again. False: it is none of ours.
  virtual bool OnFault(std::uint64_t offset, bool writes) = 0;
};

// A resource: from its construction to its end faults in `view` go to `listener`.
class FaultWatch {
 public:
  // `signal`: SIGSEGV or SIGBUS. Aborts where there are more than 16 at a time.
  FaultWatch(int signal, std::span<const std::byte> view, FaultListener& listener);
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;

 private:
  const int signal_;
  std::size_t place_ = 0;
};

}  // namespace dsm
