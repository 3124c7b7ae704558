#include "lwt/c/join.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>

#include "lwt/c/cancel.h"
#include "lwt/c/workers.h"
#include "lwt/kernel/join.h"
#include "lwt/worker.h"

namespace lwt::c {

int Join(Descriptor& thread, void** result) {
  if (void* joined = nullptr; Worker::Current() != nullptr && TryJoinThread(thread, joined)) {
    if (result != nullptr) *result = joined;
    return 0;
  }
  std::exception_ptr thrown;
  const int error = OnWorker([&] { thrown = JoinThread(thread, result); });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  return error;
}

// A completion has no waiters with deadlines, which would cost every join: this one looks, ever
// less often.
int JoinUntil(Descriptor& thread, void** result, Deadline deadline) {
  using std::chrono::microseconds;
  constexpr microseconds kLongest(2000);
  for (microseconds pause(20); thread.completion.IsRunning();
       pause = std::min(pause * 2, kLongest)) {
    if (Now() >= deadline) return ETIMEDOUT;
    SleepOrEnd(std::min(deadline, lwt::DeadlineAfter(pause)));
  }
  return Join(thread, result);
}

}  // namespace lwt::c
