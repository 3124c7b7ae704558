#include "lwt/wait/deadlock_report.h"

#include <cstdio>
#include <cstdlib>

namespace lwt {

void DieOfDeadlock(std::string_view report, std::string_view stacks) {
  std::fprintf(stderr,
               "lwt: deadlock: every thread waits, and no thread is left to wake one.\n%.*s%.*s",
               static_cast<int>(report.size()), report.data(), static_cast<int>(stacks.size()),
               stacks.data());
  std::abort();
}

void DieOfCycle(std::string_view report) {
  std::fprintf(stderr, "lwt: deadlock: threads wait for each other in a cycle.\n%.*s",
               static_cast<int>(report.size()), report.data());
  std::abort();
}

void WarnOfStall(std::string_view report, std::string_view stacks) {
  std::fprintf(stderr,
               "lwt: a stall: every thread waits, unless an OS thread outside of the pool wakes "
               "one.\n%.*s%.*s",
               static_cast<int>(report.size()), report.data(), static_cast<int>(stacks.size()),
               stacks.data());
}

void WarnOfHeldWorkers(std::string_view workers, std::string_view threads) {
  std::fprintf(stderr,
               "lwt: a stall: these workers have run one thread for long without a suspension, and "
               "no thread makes progress. A std::mutex, std::call_once, the guard of a function's "
               "static variable or a blocking system call holds the worker: lwt::Mutex, lwt::Once "
               "and lwt/io.h suspend the thread.\n%.*s%.*s",
               static_cast<int>(workers.size()), workers.data(), static_cast<int>(threads.size()),
               threads.data());
}

}  // namespace lwt
