#include "lwt/myth/sync.h"

#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>

#include "lwt/c/cancel.h"
#include "lwt/c/moments.h"
#include "lwt/c/owned_lock.h"
#include "lwt/c/placed.h"
#include "lwt/lwt.h"

namespace {

using lwt::c::Destroy;
using lwt::c::Make;

lwt::ConditionVariable& In(myth_cond_t* cond) { return lwt::c::In<lwt::ConditionVariable>(cond); }
lwt::c::OwnedLock& In(myth_mutex_t* mutex) { return lwt::c::In<lwt::c::OwnedLock>(mutex); }

bool IsStatus(int status) { return status == 0 || status == 1; }

// A value: one thread that waits, or signals that came before it.
class Uncond {
 public:
  void Wait() {
    lwt::Waiter self;
    std::uintptr_t before = 0;
    while (true) {
      lwt::CheckContract(before == 0 || IsSignals(before),
                         "one thread at a time waits for a myth_uncond_t");
      const std::uintptr_t after =
          before == 0 ? reinterpret_cast<std::uintptr_t>(&self) : (before == 1 ? 0 : before - 2);
      if (!word_.CompareExchange(before, after, std::memory_order_acq_rel)) continue;
      if (before == 0) self.Wait("an uncondition variable");
      return;
    }
  }
  void Signal() {
    std::uintptr_t before = 0;
    while (true) {
      const std::uintptr_t after = before == 0 ? 1 : IsSignals(before) ? before + 2 : 0;
      if (!word_.CompareExchange(before, after, std::memory_order_acq_rel)) continue;
      // The object may be gone.
      if (after == 0) reinterpret_cast<lwt::Waiter*>(before)->Wake();
      return;
    }
  }

 private:
  static bool IsSignals(std::uintptr_t word) { return word % 2 == 1; }

  // 0, the waiter, or 2 n - 1 for n signals.
  lwt::Atomic<std::uintptr_t> word_{0};
};

}  // namespace

extern "C" {

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
  (void)lwt::c::WaitForChange(In(cond), In(mutex), {});
  return 0;
}
int myth_cond_timedwait(myth_cond_t* cond, myth_mutex_t* mutex, const struct timespec* abstime) {
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  const lwt::Deadline deadline = lwt::c::DeadlineAt(*abstime);
  return lwt::c::WaitForChange(In(cond), In(mutex), deadline) ? 0 : ETIMEDOUT;
}
int myth_condattr_init(myth_condattr_t* /*attr*/) { return 0; }
int myth_condattr_destroy(myth_condattr_t* /*attr*/) { return 0; }

int myth_barrier_init(myth_barrier_t* barrier, const myth_barrierattr_t* /*attr*/,
                      unsigned int count) {
  if (count == 0 || count > std::numeric_limits<int>::max()) return EINVAL;
  return Make<lwt::Barrier>(barrier, static_cast<int>(count));
}
int myth_barrier_destroy(myth_barrier_t* barrier) { return Destroy<lwt::Barrier>(barrier); }
int myth_barrier_wait(myth_barrier_t* barrier) {
  int result = 0;
  lwt::c::In<lwt::Barrier>(barrier).ArriveAndWait([&] { result = MYTH_BARRIER_SERIAL_THREAD; });
  return result;
}
int myth_barrierattr_init(myth_barrierattr_t* /*attr*/) { return 0; }
int myth_barrierattr_destroy(myth_barrierattr_t* /*attr*/) { return 0; }

int myth_join_counter_init(myth_join_counter_t* jc, const myth_join_counterattr_t* /*attr*/,
                           int val) {
  return val < 0 ? EINVAL : Make<lwt::Latch>(jc, val);
}
int myth_join_counter_wait(myth_join_counter_t* jc) {
  lwt::c::In<lwt::Latch>(jc).Wait();
  return 0;
}
int myth_join_counter_dec(myth_join_counter_t* jc) {
  lwt::c::In<lwt::Latch>(jc).CountDown();
  return 0;
}
int myth_join_counterattr_init(myth_join_counterattr_t* /*attr*/) { return 0; }
int myth_join_counterattr_destroy(myth_join_counterattr_t* /*attr*/) { return 0; }

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
int myth_felock_wait_and_lock(myth_felock_t* fe, int status_to_wait) {
  if (!IsStatus(status_to_wait)) return EINVAL;
  myth_mutex_lock(&fe->mutex);
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
int myth_felockattr_init(myth_felockattr_t* /*attr*/) { return 0; }
int myth_felockattr_destroy(myth_felockattr_t* /*attr*/) { return 0; }

int myth_uncond_init(myth_uncond_t* uncond) { return Make<Uncond>(uncond); }
int myth_uncond_destroy(myth_uncond_t* uncond) { return Destroy<Uncond>(uncond); }
int myth_uncond_wait(myth_uncond_t* uncond) {
  lwt::c::In<Uncond>(uncond).Wait();
  return 0;
}
int myth_uncond_signal(myth_uncond_t* uncond) {
  lwt::c::In<Uncond>(uncond).Signal();
  return 0;
}

}  // extern "C"
