// Signals of pthread programs: masks of threads, signals to threads, and waits for signals.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "lwt/c/cancel.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/moments.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/live_threads.h"
#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace {

using lwt::c::LiveThreads;
using lwt::c::ProgramThread;
using lwt::c::SignalSet;

int Returned(int error) { return static_cast<int>(lwt::c::Returned({error == 0 ? 0 : -1, error})); }

// Two of the kernel's realtime signals are glibc's own.
bool IsSignal(int signal) {
  return signal > 0 && signal <= SignalSet::kMost && (signal < 32 || signal >= SIGRTMIN);
}

// The mask as `how` changes it; EINVAL: another `how`.
int Changed(SignalSet before, int how, const sigset_t& set, SignalSet& after) {
  const SignalSet given = SignalSet::From(set);
  switch (how) {
    case SIG_BLOCK:
      after = before | given;
      return 0;
    case SIG_UNBLOCK:
      after = before - given;
      return 0;
    case SIG_SETMASK:
      after = given;
      return 0;
    default:
      return EINVAL;
  }
}

// Signals to the process, too: the kernel delivers them as the mask is opened.
void DeliverHere(SignalSet blocked, SignalSet signals) {
  const lwt::c::MaskHere mask(blocked);
  for (; !signals.empty(); signals = signals - SignalSet::Of(signals.lowest())) {
    lwt::c::Raise(signals.lowest());
  }
}

int SetMask(ProgramThread& self, int how, const sigset_t* set, sigset_t* before) {
  const SignalSet old = self.blocked;
  if (set != nullptr) {
    SignalSet blocked;
    if (const int error = Changed(old, how, *set, blocked); error != 0) return error;
    const SignalSet deliverable = LiveThreads::Get().SetBlocked(self, blocked);
    if (!(old - blocked).empty()) DeliverHere(self.blocked, deliverable);
  }
  if (before != nullptr) *before = old.ToSystem();
  return 0;
}

int Send(pthread_t id, siginfo_t info) {
  const int signal = info.si_signo;
  info.si_pid = getpid();
  info.si_uid = getuid();
  lwt::Descriptor& thread = *lwt::c::ThreadOf(id);
  if (signal == SIGKILL || signal == SIGSTOP) {
    if (!LiveThreads::Get().With(thread, [](ProgramThread&) {})) return ESRCH;
    lwt::c::SendToProcess(info);
    return 0;
  }
  ProgramThread* const self = LiveThreads::Self();
  const bool is_own = self != nullptr && self->descriptor == &thread;
  if (is_own && info.si_code == SI_TKILL && !self->blocked.Has(signal)) {
    DeliverHere(self->blocked, SignalSet::Of(signal));
    return 0;
  }
  return LiveThreads::Get().Send(thread, info);
}

// Waits until a signal of `set` is accepted. EAGAIN: the deadline came; EINTR: a handler has run.
int Await(ProgramThread& self, const sigset_t& set, std::optional<lwt::Deadline> deadline,
          siginfo_t& accepted) {
  // A cancelled thread leaves by an exception.
  struct Awaiting {
    ProgramThread& self;
    siginfo_t& accepted;
    ~Awaiting() { accepted = LiveThreads::Get().EndAwait(self); }
  };
  lwt::c::EndIfCancelled();
  // Pending for the process already, or not.
  constexpr timespec kNow = {0, 0};
  if (sigtimedwait(&set, &accepted, &kNow) > 0) return 0;
  const std::uint32_t before = self.interruptions.load();
  bool has_slept = false;
  if (LiveThreads::Get().BeginAwait(self, SignalSet::From(set) - lwt::c::kNeverBlocked)) {
    accepted = self.accepted;
    return 0;
  }
  {
    const Awaiting awaiting{self, accepted};
    has_slept = lwt::c::SleepUnlessChanged(deadline, self.interruptions, before);
  }
  if (accepted.si_signo != 0) return 0;
  return has_slept ? EAGAIN : EINTR;
}

// As sigsuspend: until a handler has run.
int Suspend(ProgramThread& self, SignalSet blocked) {
  struct Restored {
    ProgramThread& self;
    const SignalSet before;
    ~Restored() {
      const SignalSet deliverable = LiveThreads::Get().SetBlocked(self, before);
      if (!deliverable.empty()) DeliverHere(before, deliverable);
    }
  };
  lwt::c::EndIfCancelled();
  const std::uint32_t before = self.interruptions.load();
  const Restored restored{self, self.blocked};
  const SignalSet deliverable = LiveThreads::Get().SetBlocked(self, blocked);
  if (!deliverable.empty()) {
    DeliverHere(self.blocked, deliverable);
  } else {
    (void)lwt::c::SleepUnlessChanged({}, self.interruptions, before);
  }
  return EINTR;
}

}  // namespace

extern "C" {

int lwt_pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  ProgramThread* const self = LiveThreads::Self();
  if (self != nullptr) return SetMask(*self, how, set, before);
  const int error = pthread_sigmask(how, set, before);
  if (set != nullptr && lwt::c::IsMainThread()) {
    LiveThreads::Get().NoteMain(lwt::c::BlockedHere());
  }
  return error;
}
int lwt_sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return Returned(lwt_pthread_sigmask(how, set, before));
}
int lwt_sigpending(sigset_t* set) noexcept {
  if (sigpending(set) != 0) return -1;
  ProgramThread* const self = LiveThreads::Self();
  if (self != nullptr) {
    const SignalSet pending = SignalSet::From(*set) | LiveThreads::Get().Pending(*self);
    *set = (pending & self->blocked).ToSystem();
  }
  return 0;
}

int lwt_pthread_kill(pthread_t id, int signal) noexcept {
  if (signal != 0 && !IsSignal(signal)) return EINVAL;
  if (lwt::c::ThreadOf(id) == nullptr) return lwt::c::SendToOsThread(id, signal);
  if (signal == 0) {
    return LiveThreads::Get().With(*lwt::c::ThreadOf(id), [](ProgramThread&) {}) ? 0 : ESRCH;
  }
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_TKILL;
  return Send(id, info);
}
int lwt_pthread_sigqueue(pthread_t id, int signal, const sigval value) noexcept {
  if (!IsSignal(signal)) return EINVAL;
  if (lwt::c::ThreadOf(id) == nullptr) return ENOTSUP;
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_value = value;
  return Send(id, info);
}
int lwt_raise(int signal) noexcept {
  return LiveThreads::Self() == nullptr ? raise(signal)
                                        : Returned(lwt_pthread_kill(lwt_pthread_self(), signal));
}

int lwt_sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  ProgramThread* const self = LiveThreads::Self();
  if (self == nullptr) return sigtimedwait(set, info, timeout);
  if (timeout != nullptr && (!lwt::c::IsTime(*timeout) || timeout->tv_sec < 0)) {
    return Returned(EINVAL);
  }
  std::optional<lwt::Deadline> deadline;
  if (timeout != nullptr) deadline = lwt::c::DeadlineAfter(timeout->tv_sec, timeout->tv_nsec);
  siginfo_t accepted = {};
  const int error = Await(*self, *set, deadline, accepted);
  if (error != 0) return Returned(error);
  if (info != nullptr) *info = accepted;
  return accepted.si_signo;
}
int lwt_sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return lwt_sigtimedwait(set, info, nullptr);
}
int lwt_sigwait(const sigset_t* set, int* signal) {
  ProgramThread* const self = LiveThreads::Self();
  if (self == nullptr) return sigwait(set, signal);
  siginfo_t accepted = {};
  while (Await(*self, *set, {}, accepted) != 0) {
  }
  *signal = accepted.si_signo;
  return 0;
}
int lwt_sigsuspend(const sigset_t* blocked) {
  ProgramThread* const self = LiveThreads::Self();
  return self == nullptr ? sigsuspend(blocked)
                         : Returned(Suspend(*self, SignalSet::From(*blocked)));
}
int lwt_pause(void) {
  ProgramThread* const self = LiveThreads::Self();
  return self == nullptr ? pause() : Returned(Suspend(*self, self->blocked));
}

}  // extern "C"
