#include "llcl/executor/progress_thread.h"

#include <poll.h>

namespace llcl {

void ProgressThread::Wake() {
  if (!doorbell_.is_open()) return;
  ExecutorCounters::Add(counters_.wakings);
  doorbell_.Ring();
}

void ProgressThread::SleepUntilRung(int descriptor, int most_ms) {
  ExecutorCounters::Add(counters_.sleeps);
  pollfd fds[] = {{doorbell_.descriptor(), POLLIN, 0}, {descriptor, POLLIN, 0}};
  (void)poll(fds, descriptor >= 0 ? 2 : 1, most_ms);
  if (fds[0].revents != 0) doorbell_.Clear();
}

void ProgressThread::Stop() {
  if (!thread_.joinable()) return;
  stopping_.Store(1, std::memory_order_release);
  Wake();
  thread_.join();
}

}  // namespace llcl
