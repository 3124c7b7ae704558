// SIGINT and SIGTERM as a question: a program that works in steps ends between two of them, with
// the best that it has. The second signal ends it at once.
#pragma once

#include <signal.h>

namespace program {

// A resource; one at a time.
//
// Threads: WasAsked by any.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();  // the handlers are the ones of before
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static bool WasAsked();

 private:
  struct sigaction before_[2] = {};
};

}  // namespace program
