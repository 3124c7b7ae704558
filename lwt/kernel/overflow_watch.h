// Names the thread whose stack has overflown, before the program ends.
#pragma once

#include <signal.h>

#include <cstddef>

namespace lwt {

class Pool;

// In place of the words on PoolOptions in reports of overflows of this pool's stacks: how a program
// that does not make the pool itself gets larger ones. A literal. For one pool at a time.
void AdviseOnOverflows(const Pool& pool, const char* advice);

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
