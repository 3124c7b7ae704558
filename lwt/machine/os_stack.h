// The stack that the system gave the calling OS thread. Code that runs on that thread may be on
// another one, as lightweight threads are.
#pragma once

#include <cstdint>

namespace lwt {

// A value. Empty where the system does not report it.
struct OsStack {
  std::uintptr_t begin = 0, end = 0;

  bool Has(std::uintptr_t address) const { return begin <= address && address < end; }
};

// Not inlined: after a switch the OS thread is another.
const OsStack& ThisOsStack();

}  // namespace lwt
