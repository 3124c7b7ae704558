// MassiveThreads' synchronization: lwt's objects in C's structs.
#include <cerrno>
#include <chrono>
#include <limits>
#include <new>

#include "lwt/lwt.h"
#include "lwt/myth.h"

namespace {

// The object in a struct. It was made there by Make, or is all zeros, which is
// what a new Mutex and a new ConditionVariable are.
template <typename T, typename Struct>
T& In(Struct* holder) {
  static_assert(sizeof(T) <= sizeof holder->lwt && alignof(T) <= alignof(Struct));
  return *std::launder(reinterpret_cast<T*>(holder->lwt));
}
template <typename T, typename Struct, typename... Args>
int Make(Struct* holder, Args... args) {
  static_assert(sizeof(T) <= sizeof holder->lwt && alignof(T) <= alignof(Struct));
  new (holder->lwt) T(args...);
  return 0;
}
template <typename T, typename Struct>
int Destroy(Struct* holder) {
  In<T>(holder).~T();
  return 0;
}

lwt::Mutex& In(myth_mutex_t* mutex) { return In<lwt::Mutex>(mutex); }
lwt::ConditionVariable& In(myth_cond_t* cond) { return In<lwt::ConditionVariable>(cond); }

bool IsTime(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }
bool IsStatus(int status) { return status == 0 || status == 1; }

// From now on; too long for the clock is for ever.
lwt::Deadline DeadlineAfter(std::int64_t seconds, std::int64_t nanoseconds) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  if (seconds > kMost) return lwt::Deadline::max();
  if (seconds < 0) return lwt::Now();
  return lwt::DeadlineAfter(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

extern "C" {

int myth_mutex_init(myth_mutex_t* mutex, const myth_mutexattr_t* /*attr*/) {
  return Make<lwt::Mutex>(mutex);
}
int myth_mutex_destroy(myth_mutex_t* mutex) { return Destroy<lwt::Mutex>(mutex); }
// A C program locks and unlocks as it likes: the analysis knows only locks that it sees both ends
// of.
int myth_mutex_lock(myth_mutex_t* mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  In(mutex).Lock();
  return 0;
}
int myth_mutex_trylock(myth_mutex_t* mutex) { return In(mutex).TryLock() ? 0 : EBUSY; }
int myth_mutex_unlock(myth_mutex_t* mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  In(mutex).Unlock();
  return 0;
}

int myth_cond_init(myth_cond_t* cond, const myth_condattr_t* /*attr*/) {
  return Make<lwt::ConditionVariable>(cond);
}
int myth_cond_destroy(myth_cond_t* cond) { return Destroy<lwt::ConditionVariable>(cond); }
int myth_cond_signal(myth_cond_t* cond) {
  In(cond).NotifyOne();
  return 0;
}
int myth_cond_broadcast(myth_cond_t* cond) {
  In(cond).NotifyAll();
  return 0;
}
int myth_cond_wait(myth_cond_t* cond, myth_mutex_t* mutex) {
  In(cond).Wait(In(mutex));
  return 0;
}
int myth_cond_timedwait(myth_cond_t* cond, myth_mutex_t* mutex, const struct timespec* abstime) {
  if (!IsTime(*abstime)) return EINVAL;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const bool borrows = abstime->tv_nsec < now.tv_nsec;
  const lwt::Deadline deadline =
      DeadlineAfter(abstime->tv_sec - now.tv_sec - borrows,
                    abstime->tv_nsec - now.tv_nsec + (borrows ? 1'000'000'000 : 0));
  const lwt::Waited waited = In(cond).WaitUntil(In(mutex), deadline);
  return waited == lwt::Waited::kTimedOut ? ETIMEDOUT : 0;
}

int myth_barrier_init(myth_barrier_t* barrier, const myth_barrierattr_t* /*attr*/,
                      unsigned int count) {
  if (count == 0 || count > std::numeric_limits<int>::max()) return EINVAL;
  return Make<lwt::Barrier>(barrier, static_cast<int>(count));
}
int myth_barrier_destroy(myth_barrier_t* barrier) { return Destroy<lwt::Barrier>(barrier); }
int myth_barrier_wait(myth_barrier_t* barrier) {
  int result = 0;
  In<lwt::Barrier>(barrier).ArriveAndWait([&] { result = MYTH_BARRIER_SERIAL_THREAD; });
  return result;
}

int myth_join_counter_init(myth_join_counter_t* jc, const myth_join_counterattr_t* /*attr*/,
                           int val) {
  return val < 0 ? EINVAL : Make<lwt::Latch>(jc, val);
}
int myth_join_counter_wait(myth_join_counter_t* jc) {
  In<lwt::Latch>(jc).Wait();
  return 0;
}
int myth_join_counter_dec(myth_join_counter_t* jc) {
  In<lwt::Latch>(jc).CountDown();
  return 0;
}

int myth_felock_init(myth_felock_t* fe, const myth_felockattr_t* /*attr*/) {
  myth_mutex_init(&fe->mutex, nullptr);
  for (myth_cond_t& cond : fe->cond) myth_cond_init(&cond, nullptr);
  fe->status = 0;
  return 0;
}
int myth_felock_destroy(myth_felock_t* fe) {
  for (myth_cond_t& cond : fe->cond) myth_cond_destroy(&cond);
  return myth_mutex_destroy(&fe->mutex);
}
int myth_felock_lock(myth_felock_t* fe) { return myth_mutex_lock(&fe->mutex); }
int myth_felock_unlock(myth_felock_t* fe) { return myth_mutex_unlock(&fe->mutex); }
int myth_felock_wait_and_lock(myth_felock_t* fe,
                              int status_to_wait) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (!IsStatus(status_to_wait)) return EINVAL;
  In(&fe->mutex).Lock();
  In(&fe->cond[status_to_wait])
      .Wait(
          In(&fe->mutex), [&] { return fe->status == status_to_wait; }, "the status of a felock");
  return 0;
}
int myth_felock_mark_and_signal(myth_felock_t* fe, int status_to_signal) {
  if (!IsStatus(status_to_signal)) return EINVAL;
  fe->status = status_to_signal;
  In(&fe->cond[status_to_signal]).NotifyOne();
  return myth_felock_unlock(fe);
}
int myth_felock_status(myth_felock_t* fe) { return fe->status; }

unsigned int myth_sleep(unsigned int seconds) {
  lwt::SleepFor(std::chrono::seconds(seconds));
  return 0;
}
int myth_usleep(unsigned int microseconds) {
  lwt::SleepFor(std::chrono::microseconds(microseconds));
  return 0;
}
int myth_nanosleep(const struct timespec* req, struct timespec* rem) {
  if (!IsTime(*req) || req->tv_sec < 0) return EINVAL;
  lwt::SleepUntil(DeadlineAfter(req->tv_sec, req->tv_nsec));
  if (rem != nullptr) *rem = {0, 0};
  return 0;
}

}  // extern "C"
