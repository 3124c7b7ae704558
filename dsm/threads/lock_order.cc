#include "dsm/threads/lock_order.h"

#include <cstdio>
#include <cstdlib>

namespace dsm {
namespace lock_order {
namespace {

constexpr const char* kNames[] = {"kEvicting", "kSending", "kLocks", "kRaces", "kHome", "kThreads"};

// A bit for each level that the thread holds. A user-level thread holds none while another runs.
thread_local unsigned held = 0;

[[noreturn]] void End(const char* what) {
  for (unsigned level = 0;; ++level) {
    if ((held >> level & 1) == 0) continue;
    std::fprintf(stderr, "dsm: a thread that holds %s %s (dsm/threads/lock_order.h)\n",
                 kNames[level], what);
    std::abort();
  }
}

}  // namespace

void Acquire(LockLevel level) {
  const auto at = static_cast<unsigned>(level);
  if (held >> at != 0) {
    char what[64];
    std::snprintf(what, sizeof what, "takes %s", kNames[at]);
    held &= ~0u << at;
    End(what);
  }
  held |= 1u << at;
}

void Release(LockLevel level) { held &= ~(1u << static_cast<unsigned>(level)); }

void RequireNone(const char* what) {
  if (held != 0) End(what);
}

}  // namespace lock_order
}  // namespace dsm
