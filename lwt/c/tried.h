// What a call that failed because of another thread does before it returns.
//
// Threads: any.
#pragma once

#include <cerrno>

#include "lwt/thread.h"

namespace lwt::c {

// `result` itself. Programs try in loops, and a lightweight thread is not interrupted: so one that
// has got EBUSY lets others of its worker run, the one that holds what it tries among them.
inline int Tried(int result) {
  if (result == EBUSY && IsLightweightThread()) Yield();
  return result;
}

}  // namespace lwt::c
