#include "lwt/pthread/live_threads.h"

#include <pthread.h>

#include <cerrno>
#include <utility>

#include "lwt/c/cancel.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/pthread/system.h"

namespace lwt::c {
namespace {

// How a signal is pending for one thread: without its value.
siginfo_t WithoutValue(int signal) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_TKILL;
  return info;
}

}  // namespace

LiveThreads::Guard::Guard(LiveThreads& threads)
    : threads_(threads), is_outside_(Worker::Current() == nullptr) {
  if (is_outside_) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  threads.mutex_.Lock();
}
LiveThreads::Guard::~Guard() {
  threads_.mutex_.Unlock();
  if (is_outside_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

LiveThreads*& LiveThreads::Instance() {
  static LiveThreads* threads = new LiveThreads;
  return threads;
}
LiveThreads& LiveThreads::Get() { return *Instance(); }

void LiveThreads::StartAnew() {
  Instance() = new LiveThreads;
  ProgramThread* const self = Self();
  if (self == nullptr) return;
  self->next = nullptr;
  self->previous = nullptr;
  Get().Add(*self, *self->descriptor);
}

ProgramThread* LiveThreads::Self() {
  const Scheduler* const scheduler = Scheduler::Current();
  if (scheduler == nullptr || scheduler->current() == nullptr) return nullptr;
  return Find(*scheduler->current());
}

ProgramThread* LiveThreads::Find(Descriptor& descriptor) {
  return static_cast<ProgramThread*>(descriptor.program_thread);
}

void LiveThreads::Add(ProgramThread& thread, Descriptor& descriptor) {
  thread.descriptor = &descriptor;
  const Guard guard(*this);
  descriptor.program_thread = &thread;
  thread.next = first_;
  if (first_ != nullptr) first_->previous = &thread;
  first_ = &thread;
  ++count_;
  Count(thread.blocked, +1);
}

void LiveThreads::RemoveSelf() {
  ProgramThread* const self = Self();
  // A signal to the process that was sent while this thread was there to take it.
  if (is_couriered_) const MaskHere mask(self->blocked);
  bool is_none_left = false;
  {
    const Guard guard(*this);
    self->descriptor->program_thread = nullptr;
    (self->previous == nullptr ? first_ : self->previous->next) = self->next;
    if (self->next != nullptr) self->next->previous = self->previous;
    is_none_left = --count_ == 0;
    Count(self->blocked, -1);
  }
  delete self;
  if (is_none_left) none_left_.NotifyAll();
}

void LiveThreads::WaitUntilNone() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  mutex_.Lock();
  none_left_.Wait(
      mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return count_ == 0; },
      "the end of all threads");
  mutex_.Unlock();
}

void LiveThreads::Count(SignalSet blocked, int threads) {
  for (Masked& masked : masked_) {
    if (masked.blocked != blocked) continue;
    const bool was_none = masked.threads == 0;
    masked.threads += threads;
    if (was_none || masked.threads == 0) TellCourier();
    return;
  }
  // One that no thread has any more has room for this one.
  for (Masked& masked : masked_) {
    if (masked.threads != 0) continue;
    masked = {blocked, threads};
    return TellCourier();
  }
  masked_.push_back({blocked, threads});
  TellCourier();
}

void LiveThreads::TellCourier() {
  SignalSet wanted;
  for (const Masked& masked : masked_) {
    if (masked.threads > 0) wanted = wanted | (SignalSet::All() - masked.blocked);
  }
  if (awaiting_ > 0) {
    for (const ProgramThread* thread = first_; thread != nullptr; thread = thread->next) {
      wanted = wanted | thread->awaited;
    }
  }
  const SignalSet accepted = wanted & blocked_by_main_ & kBlockedOnWorkers;
  is_couriered_ = !accepted.empty();
  courier_.AcceptForProcess(accepted);
}

void LiveThreads::Accept(ProgramThread& thread, const siginfo_t& info) {
  thread.accepted = info;
  thread.awaited = {};
  TellCourier();
  thread.interruptions.fetch_add(1);
  EndSleep(*thread.descriptor);
}

// The thread does not block it.
bool LiveThreads::Deliver(ProgramThread& thread, const siginfo_t& info) {
  return courier_.Deliver({thread.descriptor, info, thread.blocked});
}

int LiveThreads::Send(Descriptor& descriptor, const siginfo_t& info) {
  const Guard guard(*this);
  ProgramThread* const thread = Find(descriptor);
  if (thread == nullptr) return ESRCH;
  if (thread->awaited.Has(info.si_signo)) {
    Accept(*thread, info);
  } else if (thread->blocked.Has(info.si_signo)) {
    if (info.si_code == SI_QUEUE) return EAGAIN;
    thread->pending = thread->pending | SignalSet::Of(info.si_signo);
  } else if (!Deliver(*thread, info)) {
    return EAGAIN;
  }
  return 0;
}

void LiveThreads::RouteToThread(const siginfo_t& info) {
  ProgramThread* open = nullptr;
  for (ProgramThread* thread = first_; thread != nullptr; thread = thread->next) {
    if (thread->awaited.Has(info.si_signo)) {
      return Accept(*thread, info);
    }
    if (!thread->blocked.Has(info.si_signo)) open = thread;
  }
  // Where there is no memory it is pending as before.
  if (open == nullptr || !Deliver(*open, info)) SendToProcess(info);
}

bool LiveThreads::Route(const std::function<bool(siginfo_t&)>& read) {
  const Guard guard(*this);
  siginfo_t info = {};
  if (!read(info)) return false;
  RouteToThread(info);
  return true;
}

void LiveThreads::Interrupt(Descriptor& descriptor) {
  (void)With(descriptor, [](ProgramThread& thread) {
    thread.interruptions.fetch_add(1);
    EndSleep(*thread.descriptor);
  });
}

SignalSet LiveThreads::SetBlocked(ProgramThread& self, SignalSet blocked) {
  blocked = blocked - kNeverBlocked;
  const Guard guard(*this);
  if (blocked == self.blocked) return {};
  Count(self.blocked, -1);
  Count(blocked, +1);
  self.blocked = blocked;
  const SignalSet deliverable = self.pending - blocked;
  self.pending = self.pending & blocked;
  return deliverable;
}

SignalSet LiveThreads::Pending(ProgramThread& self) {
  const Guard guard(*this);
  return self.pending;
}

bool LiveThreads::BeginAwait(ProgramThread& self, SignalSet signals) {
  const Guard guard(*this);
  self.accepted.si_signo = 0;
  const SignalSet ready = self.pending & signals;
  if (!ready.empty()) {
    self.accepted = WithoutValue(ready.lowest());
    self.pending = self.pending - SignalSet::Of(ready.lowest());
    return true;
  }
  self.awaited = signals;
  ++awaiting_;
  TellCourier();
  return false;
}

siginfo_t LiveThreads::EndAwait(ProgramThread& self) {
  const Guard guard(*this);
  self.awaited = {};
  --awaiting_;
  TellCourier();
  return std::exchange(self.accepted, {});
}

void LiveThreads::NoteMain(SignalSet blocked) {
  const Guard guard(*this);
  if (blocked == blocked_by_main_) return;
  blocked_by_main_ = blocked;
  TellCourier();
}

}  // namespace lwt::c
