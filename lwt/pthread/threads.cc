// Threads of pthread programs.
#include "lwt/myth/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "lwt/c/body.h"
#include "lwt/c/cancel.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/join.h"
#include "lwt/c/key_values.h"
#include "lwt/c/moments.h"
#include "lwt/c/placed.h"
#include "lwt/c/tried.h"
#include "lwt/c/workers.h"
#include "lwt/contract.h"
#include "lwt/kernel/join.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/pthread/attributes.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/live_threads.h"
#include "lwt/pthread/signal_set.h"
#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace {

using lwt::Descriptor;
using lwt::c::LiveThreads;
using lwt::c::ProgramThread;
using lwt::c::ThreadAttributes;
using lwt::c::ThreadOf;

const ThreadAttributes* In(const pthread_attr_t* attr) {
  return attr == nullptr ? nullptr
                         : &lwt::c::In<ThreadAttributes>(const_cast<pthread_attr_t*>(attr));
}

// The workers, by the first thread that is created. They inherit the creator's mask.
void StartWorkers() {
  lwt::c::UseSystemStackDefault();
  {
    const lwt::c::MaskHere mask(lwt::c::BlockedHere() | lwt::c::kBlockedOnWorkers);
    (void)lwt::c::StartWorkers(lwt::c::Defaults());  // ThePool says why it cannot.
  }
  // A child of fork(2) has the one worker of its thread, and may exec a program.
  (void)LiveThreads::Get();
  (void)pthread_atfork(nullptr, nullptr, [] {
    LiveThreads::StartAnew();
    const ProgramThread* const self = LiveThreads::Self();
    if (self == nullptr) return;
    const sigset_t blocked = self->blocked.ToSystem();
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  });
}

// The first mask of a thread that the calling thread creates.
lwt::c::SignalSet BlockedByCreator() {
  const ProgramThread* const self = LiveThreads::Self();
  if (self != nullptr) return self->blocked;
  const lwt::c::SignalSet blocked = lwt::c::BlockedHere();
  if (lwt::Worker::Current() != nullptr) return blocked - lwt::c::kBlockedOnWorkers;
  if (lwt::c::IsMainThread()) LiveThreads::Get().NoteMain(blocked);
  return blocked;
}

void* RunFunction(void* argument) {
  ProgramThread& self = *static_cast<ProgramThread*>(argument);
  lwt::c::SetErrno(0);  // Not that of the last thread of this OS thread, or of this descriptor.
  return self.function(self.argument);
}

// 0, if it was neither joined nor detached, as far as nobody does so just now; EINVAL: it runs yet.
int JoinError(pthread_t id) {
  const auto& completion = ThreadOf(id)->completion;
  if (completion.IsHeld()) return 0;
  return completion.HasEnded() ? ESRCH : EINVAL;
}

// Of OS threads.
thread_local int cancel_type = PTHREAD_CANCEL_DEFERRED;
// Not inlined: after a switch the OS thread is another.
[[gnu::noinline]] int& CancelTypeOfOsThread() { return cancel_type; }

}  // namespace

extern "C" {

int lwt_pthread_create(pthread_t* thread, const pthread_attr_t* attr, void* (*function)(void*),
                       void* argument) noexcept {
  const ThreadAttributes attributes = attr == nullptr ? ThreadAttributes() : *In(attr);
  // As the system answers a user who has no privileges: threads of lwt's have no priorities.
  if (attributes.inherits_schedule == PTHREAD_EXPLICIT_SCHED && attributes.policy != SCHED_OTHER) {
    return EPERM;
  }
  static const bool is_started = (StartWorkers(), true);
  (void)is_started;
  std::unique_ptr<ProgramThread> made(new (std::nothrow) ProgramThread(function, argument));
  if (made == nullptr) return EAGAIN;
  made->blocked = attributes.has_mask ? attributes.blocked : BlockedByCreator();
  const lwt::c::KeepErrno keep;
  const int error = lwt::c::OnWorker([&] {
    lwt::c::Body body = {RunFunction, made.get()};
    body.after = [] { LiveThreads::Get().RemoveSelf(); };
    Descriptor& created = lwt::c::CreateBody(body, {attributes.stack_bytes, {}});
    LiveThreads::Get().Add(*made.release(), created);
    // The thread may read it at once.
    *thread = lwt::c::IdOf(created);
    if (attributes.detach_state == PTHREAD_CREATE_DETACHED) lwt::DetachThread(created);
    lwt::Worker::Current()->Push(lwt::ReadyThreads::Wrap(created));
  });
  return error == ENOMEM ? EAGAIN : error;
}

void lwt_pthread_exit(void* result) {
  if (lwt::Worker::Current() != nullptr) lwt::c::End(result);
  lwt::CheckContract(
      !lwt::c::StandsForAnother(),
      "pthread_exit was called in a handler of a signal, which runs beside the thread");
  lwt::c::CurrentKeyValues()->Destroy();
  if (!lwt::c::IsMainThread()) lwt::c::EndOsThread(result);
  LiveThreads::Get().WaitUntilNone();
  std::exit(0);
}

int lwt_pthread_join(pthread_t id, void** result) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  lwt::c::EndIfCancelled();
  if (id == lwt_pthread_self()) return EDEADLK;
  if (const int error = JoinError(id); error != 0) return error;
  return lwt::c::Join(*ThreadOf(id), result);
}
int lwt_pthread_tryjoin_np(pthread_t id, void** result) noexcept {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (const int error = JoinError(id); error != 0) return error;
  return ThreadOf(id)->completion.IsRunning() ? lwt::c::Tried(EBUSY)
                                              : lwt::c::Join(*ThreadOf(id), result);
}
int lwt_pthread_clockjoin_np(pthread_t id, void** result, clockid_t clock,
                             const timespec* abstime) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (abstime == nullptr) return lwt_pthread_join(id, result);
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  if (const int error = JoinError(id); error != 0) return error;
  return lwt::c::JoinUntil(*ThreadOf(id), result, lwt::c::DeadlineAt(*abstime, clock));
}
int lwt_pthread_timedjoin_np(pthread_t id, void** result, const timespec* abstime) {
  return lwt_pthread_clockjoin_np(id, result, CLOCK_REALTIME, abstime);
}
int lwt_pthread_detach(pthread_t id) noexcept {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (const int error = JoinError(id); error != 0) return error;
  return lwt::c::OnWorker([&] { lwt::DetachThread(*ThreadOf(id)); });
}

pthread_t lwt_pthread_self(void) noexcept {
  const myth_thread_t self = myth_self();
  return self != nullptr ? reinterpret_cast<pthread_t>(self) : lwt::c::IdOfOsThread();
}
int lwt_pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int lwt_pthread_getconcurrency(void) noexcept { return 0; }
int lwt_pthread_setconcurrency(int level) noexcept { return level < 0 ? EINVAL : 0; }
int lwt_sched_yield(void) noexcept { return myth_sched_yield(); }

int lwt_pthread_cancel(pthread_t id) {
  if (ThreadOf(id) == nullptr) return ENOTSUP;
  if (JoinError(id) == ESRCH) return ESRCH;
  lwt::c::Cancel(*ThreadOf(id));
  return 0;
}
int lwt_pthread_setcancelstate(int state, int* before) {
  return myth_setcancelstate(state, before);
}
// Nothing interrupts a thread of lwt's: the asynchronous type is kept, and a thread is cancelled at
// a cancellation point all the same.
int lwt_pthread_setcanceltype(int type, int* before) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  ProgramThread* const self = LiveThreads::Self();
  int& kept = self == nullptr ? CancelTypeOfOsThread() : self->cancel_type;
  if (before != nullptr) *before = kept;
  kept = type;
  if (type == PTHREAD_CANCEL_ASYNCHRONOUS) lwt::c::EndIfCancelled();
  return 0;
}
void lwt_pthread_testcancel(void) { lwt::c::EndIfCancelled(); }
static_assert(PTHREAD_CANCEL_ENABLE == int{MYTH_CANCEL_ENABLE} &&
              PTHREAD_CANCEL_DISABLE == int{MYTH_CANCEL_DISABLE} && PTHREAD_CANCEL_DEFERRED == 0);

}  // extern "C"
