#include "lwt/wait/deadlock_report.h"

#include <cstdio>
#include <cstdlib>

namespace lwt {

void DieOfDeadlock(std::string_view report) {
  std::fprintf(stderr, "lwt: deadlock: every thread waits for another.\n%.*s",
               static_cast<int>(report.size()), report.data());
  std::abort();
}

void DieOfCycle(std::string_view report) {
  std::fprintf(stderr, "lwt: deadlock: threads wait for each other in a cycle.\n%.*s",
               static_cast<int>(report.size()), report.data());
  std::abort();
}

void WarnOfStall(std::string_view report) {
  std::fprintf(stderr,
               "lwt: a stall: every thread waits for another, unless somebody outside of the pool "
               "wakes them.\n%.*s",
               static_cast<int>(report.size()), report.data());
}

}  // namespace lwt
