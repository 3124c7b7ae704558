#include "lwt/pthread/named_semaphore.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "absl/base/thread_annotations.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/placed.h"
#include "lwt/worker.h"
#include "topo/mutex.h"

namespace lwt::c {
namespace {

topo::Mutex all_mutex;
// By the system's address, which is the same for the same semaphore. Never destroyed: threads may
// be left as the program ends.
using All = std::map<sem_t*, std::unique_ptr<NamedSemaphore>>;
All& all ABSL_GUARDED_BY(all_mutex) = *new All;

}  // namespace

NamedSemaphore::NamedSemaphore(sem_t* system) : system_(system) {
  Make<AnySemaphore>(&holder_, this);
}

NamedSemaphore* NamedSemaphore::Open(const char* name, int flags, mode_t mode, unsigned value) {
  const topo::Lock lock(all_mutex);
  sem_t* const system =
      (flags & O_CREAT) != 0 ? sem_open(name, flags, mode, value) : sem_open(name, flags);
  if (system == SEM_FAILED) return nullptr;
  try {
    std::unique_ptr<NamedSemaphore>& found = all[system];
    if (found == nullptr) found.reset(new NamedSemaphore(system));
    ++found->opens_;
    return found.get();
  } catch (const std::bad_alloc&) {
    sem_close(system);
    errno = ENOMEM;
    return nullptr;
  }
}

int NamedSemaphore::Close(const sem_t* held_by) {
  const topo::Lock lock(all_mutex);
  for (auto& [system, semaphore] : all) {
    if (&semaphore->holder_ != held_by) continue;
    if (sem_close(system) != 0) return errno;
    if (--semaphore->opens_ == 0) all.erase(system);
    return 0;
  }
  return EINVAL;
}

int NamedSemaphore::Wait(std::optional<Deadline> deadline) {
  if (Worker::Current() == nullptr) return WaitOnOsThread(deadline);
  using std::chrono::microseconds;
  constexpr microseconds kLongest(2000);
  std::unique_lock lock(mutex_);
  for (microseconds pause(20);; pause = std::min(pause * 2, kLongest)) {
    const int error = TryWait();
    if (error != EAGAIN) return error;
    if (deadline && Now() >= *deadline) return ETIMEDOUT;
    const Deadline next = lwt::DeadlineAfter(pause);
    (void)posted_.WaitUntil(lock, deadline ? std::min(*deadline, next) : next);
  }
}

int NamedSemaphore::WaitOnOsThread(std::optional<Deadline> deadline) {
  if (!deadline) return sem_wait(system_) == 0 ? 0 : errno;
  const std::chrono::nanoseconds end = deadline->time_since_epoch();
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec at = {static_cast<time_t>(end.count() / kSecond),
                       static_cast<long>(end.count() % kSecond)};
  return sem_clockwait(system_, CLOCK_MONOTONIC, &at) == 0 ? 0 : errno;
}

int NamedSemaphore::TryWait() {
  const KeepErrno
      keep;  // A wait that tries in vain first, and then has a unit, does not set errno.
  return sem_trywait(system_) == 0 ? 0 : Errno();
}

// Takes no mutex, because handlers of signals post: a thread that begins to wait just now finds the
// unit as it looks again.
int NamedSemaphore::Post() {
  if (sem_post(system_) != 0) return errno;
  posted_.NotifyOne();
  return 0;
}

int NamedSemaphore::Value(int& value) { return sem_getvalue(system_, &value) == 0 ? 0 : errno; }

}  // namespace lwt::c
