// Threads of pthread programs.
#include "lwt/myth/threads.h"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "lwt/myth/body.h"
#include "lwt/myth/cancel.h"
#include "lwt/myth/join.h"
#include "lwt/myth/key_values.h"
#include "lwt/myth/moments.h"
#include "lwt/myth/placed.h"
#include "lwt/myth/thread_mark.h"
#include "lwt/myth/tried.h"
#include "lwt/myth/workers.h"
#include "lwt/pthread/attributes.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace {

using lwt::Descriptor;
using lwt::ThreadAccess;
using lwt::c::ThreadAttributes;
using lwt::c::ThreadOf;

// Of threads that run, for a main that ends before them.
class LiveThreads {
 public:
  void Add(int count) {
    mutex_.Lock();
    count_ += count;
    const bool is_none_left = count_ == 0;
    mutex_.Unlock();
    if (is_none_left) none_left_.NotifyAll();
  }
  void WaitUntilNone() {
    mutex_.Lock();
    none_left_.Wait(
        mutex_, [this] { return count_ == 0; }, "the end of all threads");
    mutex_.Unlock();
  }

 private:
  lwt::Mutex mutex_;
  lwt::ConditionVariable none_left_;
  int count_ = 0;  // with mutex_ held
};
// Never destroyed: threads that are left when main returns end with the process, after all
// destructors.
LiveThreads& Live() {
  static LiveThreads* const live = new LiveThreads;
  return *live;
}

// As much as a program may have thought of, and far less than the system's 8 MiB, of which 10,000
// would not fit where address space is limited.
constexpr std::size_t kStackBytes = 1 << 20;

const ThreadAttributes* In(const pthread_attr_t* attr) {
  return attr == nullptr ? nullptr
                         : &lwt::c::In<ThreadAttributes>(const_cast<pthread_attr_t*>(attr));
}

// Was it neither joined nor detached, as far as nobody does so just now?
bool IsJoinable(pthread_t id) { return ThreadOf(id)->completion.IsHeld(); }

}  // namespace

extern "C" {

int lwt_pthread_create(pthread_t* thread, const pthread_attr_t* attr, void* (*function)(void*),
                       void* argument) noexcept {
  static const bool is_set = (lwt::c::SetDefaultStackBytes(kStackBytes), true);
  (void)is_set;
  const ThreadAttributes attributes = attr == nullptr ? ThreadAttributes() : *In(attr);
  const int error = lwt::c::OnWorker([&] {
    lwt::c::Body body = {function, argument};
    body.after = [] { Live().Add(-1); };
    lwt::Created made = lwt::c::CreateBody(body, {attributes.stack_bytes, {}});
    Live().Add(+1);
    Descriptor* const released = ThreadAccess::Release(made.thread);
    // The thread may read it at once.
    *thread = lwt::c::IdOf(*released);
    if (attributes.detach_state == PTHREAD_CREATE_DETACHED) ThreadAccess::Make(*released).Detach();
    lwt::Worker::Current()->Push(std::move(made.ready));
  });
  return error == ENOMEM ? EAGAIN : error;
}

void lwt_pthread_exit(void* result) {
  if (lwt::Worker::Current() != nullptr) lwt::c::End(result);
  lwt::c::CurrentKeyValues()->Destroy();
  if (!lwt::c::IsMainThread()) lwt::c::EndOsThread(result);
  Live().WaitUntilNone();
  std::exit(0);
}

int lwt_pthread_join(pthread_t id, void** result) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  lwt::c::EndIfCancelled();
  if (id == lwt_pthread_self()) return EDEADLK;
  if (!IsJoinable(id)) return EINVAL;
  return lwt::c::Join(*ThreadOf(id), result);
}
int lwt_pthread_tryjoin_np(pthread_t id, void** result) noexcept {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  return ThreadOf(id)->completion.IsRunning() ? lwt::c::Tried(EBUSY)
                                              : lwt::c::Join(*ThreadOf(id), result);
}
int lwt_pthread_clockjoin_np(pthread_t id, void** result, clockid_t clock,
                             const timespec* abstime) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (abstime == nullptr) return lwt_pthread_join(id, result);
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  return lwt::c::JoinUntil(*ThreadOf(id), result, lwt::c::DeadlineAt(*abstime, clock));
}
int lwt_pthread_timedjoin_np(pthread_t id, void** result, const timespec* abstime) {
  return lwt_pthread_clockjoin_np(id, result, CLOCK_REALTIME, abstime);
}
int lwt_pthread_detach(pthread_t id) noexcept {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (!IsJoinable(id)) return EINVAL;
  return lwt::c::OnWorker([&] { ThreadAccess::Make(*ThreadOf(id)).Detach(); });
}

pthread_t lwt_pthread_self(void) noexcept {
  const myth_thread_t self = myth_self();
  return self != nullptr ? reinterpret_cast<pthread_t>(self)
                         : lwt::c::IdOfMark(lwt::c::ThreadMark());
}
int lwt_pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int lwt_pthread_getconcurrency(void) noexcept { return 0; }
int lwt_pthread_setconcurrency(int level) noexcept { return level < 0 ? EINVAL : 0; }
int lwt_sched_yield(void) noexcept { return myth_sched_yield(); }

int lwt_pthread_cancel(pthread_t id) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  lwt::c::Cancel(*ThreadOf(id));
  return 0;
}
int lwt_pthread_setcancelstate(int state, int* before) {
  return myth_setcancelstate(state, before);
}
int lwt_pthread_setcanceltype(int type, int* before) { return myth_setcanceltype(type, before); }
void lwt_pthread_testcancel(void) { lwt::c::EndIfCancelled(); }
static_assert(PTHREAD_CANCEL_ENABLE == int{MYTH_CANCEL_ENABLE} &&
              PTHREAD_CANCEL_DISABLE == int{MYTH_CANCEL_DISABLE} &&
              PTHREAD_CANCEL_DEFERRED == int{MYTH_CANCEL_DEFERRED} &&
              PTHREAD_CANCEL_ASYNCHRONOUS == int{MYTH_CANCEL_ASYNCHRONOUS});

}  // extern "C"
