// Names the thread whose stack has overflown, before the program ends.
#pragma once

#include <signal.h>

#include <cstddef>

namespace lwt {

// A resource of a worker's OS thread. While one lives, a fault in the guard of a stack is reported
// as the overflow that it is, with the name and depth of the thread; then the program ends as by
// any fault. Other faults go to the handlers that there were before (the first such object of a
// process puts a SIGSEGV and SIGBUS handler in front of them). Has a signal stack of its own.
class OverflowWatch {
 public:
  OverflowWatch();
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  void* stack_ = nullptr;
  std::size_t bytes_ = 0;
  stack_t before_ = {};
};

}  // namespace lwt
