#include "lwt/myth/threads.h"

#include <sched.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <limits>
#include <span>
#include <utility>

#include "lwt/c/body.h"
#include "lwt/c/cancel.h"
#include "lwt/c/join.h"
#include "lwt/c/moments.h"
#include "lwt/c/tried.h"
#include "lwt/c/workers.h"
#include "lwt/contract.h"
#include "lwt/kernel/join.h"
#include "lwt/lwt.h"

namespace {

using lwt::Descriptor;
using lwt::Scheduler;
using lwt::Worker;
using lwt::c::OnWorker;

Descriptor& ThreadOf(myth_thread_t th) { return *reinterpret_cast<Descriptor*>(th); }
myth_thread_t HandleOf(Descriptor* thread) { return reinterpret_cast<myth_thread_t>(thread); }

lwt::c::BodyOptions OptionsOf(const myth_thread_attr_t* attr) {
  if (attr == nullptr) return {};
  if (attr->custom_data == nullptr) return {attr->stacksize, {}};
  return {attr->stacksize,
          {static_cast<const std::byte*>(attr->custom_data), attr->custom_data_size}};
}

int ErrorOf(const myth_thread_attr_t* attr) {
  if (attr == nullptr) return 0;
  if (attr->stackaddr != nullptr) return ENOTSUP;
  return attr->stacksize > lwt::kMostStackBytes ? EINVAL : 0;
}

void DetachIfAsked(Descriptor& thread, const myth_thread_attr_t* attr) {
  if (attr != nullptr && attr->detachstate != 0) lwt::DetachThread(thread);
}

// Of another worker's queue, to this one's head.
bool StealToHead() {
  Worker& worker = Worker::Here("myth_yield_ex");
  if (worker.workers() == 1) return false;
  const auto others = static_cast<std::uint32_t>(worker.workers() - 1);
  int victim = static_cast<int>(worker.Random(others));
  if (victim >= worker.index()) ++victim;
  lwt::ReadyThread stolen = worker.victim(victim).Take();
  if (!stolen) return false;
  worker.Push(std::move(stolen));
  return true;
}

// myth_create of any.
[[gnu::noinline]] myth_thread_t CreateWithDefaults(myth_func_t func, void* arg) {
  myth_thread_t made = nullptr;
  return myth_create_ex(&made, nullptr, func, arg) == 0 ? made : nullptr;
}

}  // namespace

extern "C" {

int myth_init(void) { return lwt::c::StartWorkers(lwt::c::Defaults()); }
int myth_init_ex(myth_globalattr_t* attr) {
  if (attr == nullptr) return myth_init();
  const lwt::c::WorkersOptions options = {attr->n_workers, attr->stacksize, attr->bind_workers != 0,
                                          attr->child_first != 0};
  lwt::c::WorkersOptions defaults = lwt::c::Defaults();
  defaults.children_first = options.children_first;
  lwt::c::SetDefaults(defaults);
  return lwt::c::StartWorkers(options);
}
void myth_fini(void) { lwt::c::StopWorkers(); }

int myth_create_ex(myth_thread_t* id, myth_thread_attr_t* attr, myth_func_t func, void* arg) {
  if (const int error = ErrorOf(attr); error != 0) return error;
  return OnWorker([&] {
    const bool child_first = attr == nullptr ? lwt::c::RunsChildrenFirst() : attr->child_first != 0;
    Descriptor& made = child_first ? lwt::c::SpawnBody({func, arg}, OptionsOf(attr))
                                   : lwt::c::CreateBody({func, arg}, OptionsOf(attr));
    DetachIfAsked(made, attr);
    if (!child_first) Worker::Current()->Push(lwt::ReadyThreads::Wrap(made));
    if (id != nullptr) *id = HandleOf(&made);
  });
}

myth_thread_t myth_create(myth_func_t func, void* arg) {
  return Worker::Current() != nullptr && lwt::c::RunsChildrenFirst()
             ? HandleOf(lwt::c::SpawnBody(func, arg))
             : CreateWithDefaults(func, arg);
}

myth_thread_t myth_create_nosched(myth_func_t func, void* arg, myth_thread_attr_t* attr) {
  if (ErrorOf(attr) != 0) return nullptr;
  myth_thread_t made = nullptr;
  (void)OnWorker([&] {
    Descriptor& thread = lwt::c::CreateBody({func, arg}, OptionsOf(attr));
    DetachIfAsked(thread, attr);
    made = HandleOf(&thread);  // The program's to schedule from here on.
  });
  return made;
}

void myth_exit(void* ret) {
  lwt::CheckContract(Worker::Current() != nullptr,
                     "myth_exit ends a lightweight thread, and main is not one");
  lwt::c::End(ret);
}

int myth_join(myth_thread_t th, void** result) {
  if (th == nullptr) return ESRCH;
  lwt::c::EndIfCancelled();
  return lwt::c::Join(ThreadOf(th), result);
}

int myth_tryjoin(myth_thread_t th, void** result) {
  if (th == nullptr) return ESRCH;
  return ThreadOf(th).completion.IsRunning() ? lwt::c::Tried(EBUSY)
                                             : lwt::c::Join(ThreadOf(th), result);
}

int myth_timedjoin(myth_thread_t th, void** result, const struct timespec* abstime) {
  if (th == nullptr) return ESRCH;
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  return lwt::c::JoinUntil(ThreadOf(th), result, lwt::c::DeadlineAt(*abstime));
}

int myth_detach(myth_thread_t th) {
  if (th == nullptr) return ESRCH;
  return OnWorker([&] { lwt::DetachThread(ThreadOf(th)); });
}

void myth_yield(void) {
  if (lwt::IsLightweightThread()) {
    lwt::Yield();
  } else if (Worker::Current() == nullptr) {
    sched_yield();
  }
}

void myth_yield_ex(int yield_opt) {
  if (!lwt::IsLightweightThread()) return myth_yield();
  if (yield_opt == myth_yield_option_half_half) {
    yield_opt = Worker::Here("myth_yield_ex").Random(2) == 0 ? myth_yield_option_local_first
                                                             : myth_yield_option_steal_first;
  }
  switch (yield_opt) {
    case myth_yield_option_local_first:
      if (!lwt::Yield() && StealToHead()) lwt::Yield();
      break;
    case myth_yield_option_steal_only:
      if (StealToHead()) lwt::Yield();
      break;
    case myth_yield_option_steal_first:
      (void)StealToHead();
      lwt::Yield();
      break;
    default:
      lwt::Yield();
  }
}

int myth_sched_yield(void) {
  myth_yield();
  return 0;
}

myth_thread_t myth_self(void) {
  const Scheduler* const scheduler = Scheduler::Current();
  if (scheduler == nullptr || scheduler->current() == nullptr) return nullptr;
  Descriptor& self = *scheduler->current();
  if (!self.is_known) {
    // Its handle is known from here on: the extra turn makes EndChild look at is_known.
    self.is_known = true;
    ++self.turns;
  }
  return HandleOf(&self);
}
int myth_equal(myth_thread_t t1, myth_thread_t t2) { return t1 == t2; }
int myth_is_myth_worker(void) { return Worker::Current() != nullptr; }
int myth_get_worker_num(void) { return lwt::WorkerIndex(); }
int myth_get_num_workers(void) { return lwt::c::ThePool().workers(); }
int myth_getconcurrency(void) { return myth_get_num_workers(); }

unsigned int myth_sleep(unsigned int seconds) {
  lwt::c::SleepOrEnd(lwt::DeadlineAfter(std::chrono::seconds(seconds)));
  return 0;
}
int myth_usleep(unsigned int microseconds) {
  lwt::c::SleepOrEnd(lwt::DeadlineAfter(std::chrono::microseconds(microseconds)));
  return 0;
}
int myth_nanosleep(const struct timespec* req, struct timespec* rem) {
  if (!lwt::c::IsTime(*req) || req->tv_sec < 0) return EINVAL;
  lwt::c::SleepOrEnd(lwt::c::DeadlineAfter(req->tv_sec, req->tv_nsec));
  if (rem != nullptr) *rem = {0, 0};
  return 0;
}

int myth_cancel(myth_thread_t th) {
  if (th == nullptr) return ESRCH;
  lwt::c::Cancel(ThreadOf(th));
  return 0;
}
int myth_setcancelstate(int state, int* oldstate) {
  if (state != MYTH_CANCEL_ENABLE && state != MYTH_CANCEL_DISABLE) return EINVAL;
  using lwt::c::CancelState;
  const CancelState before = lwt::c::SetCancelState(
      state == MYTH_CANCEL_ENABLE ? CancelState::kEnabled : CancelState::kDisabled);
  if (oldstate != nullptr) {
    *oldstate = before == CancelState::kEnabled ? MYTH_CANCEL_ENABLE : MYTH_CANCEL_DISABLE;
  }
  return 0;
}
int myth_setcanceltype(int type, int* oldtype) {
  if (type == MYTH_CANCEL_ASYNCHRONOUS) return ENOTSUP;
  if (type != MYTH_CANCEL_DEFERRED) return EINVAL;
  if (oldtype != nullptr) *oldtype = MYTH_CANCEL_DEFERRED;
  return 0;
}
void myth_testcancel(void) { lwt::c::EndIfCancelled(); }

}  // extern "C"
