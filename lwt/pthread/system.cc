#include "lwt/pthread/system.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace lwt::c {
namespace {

// For which lightweight thread the OS thread runs a handler; 0: for none.
thread_local pthread_t stands_for = 0;

}  // namespace

bool IsMainThread() { return gettid() == getpid(); }

void EndOsThread(void* result) { pthread_exit(result); }

int OsStack(void*& begin, std::size_t& bytes) {
  pthread_attr_t attributes;
  if (const int error = pthread_getattr_np(pthread_self(), &attributes); error != 0) return error;
  const int error = pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return error;
}

std::size_t SystemStackBytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return 0;
  if (pthread_attr_getstacksize(&attributes, &bytes) != 0) bytes = 0;
  pthread_attr_destroy(&attributes);
  return bytes;
}

// Not inlined: after a switch the OS thread is another.
[[gnu::noinline]] pthread_t IdOfOsThread() {
  thread_local pthread_t id = 0;
  if (stands_for != 0) return stands_for;
  if (id == 0) id = static_cast<pthread_t>(gettid()) << 1 | 1;
  return id;
}

bool StandsForAnother() { return stands_for != 0; }

pid_t NumberOf(pthread_t id_of_os_thread) {
  return id_of_os_thread == IdOfOsThread() ? 0 : static_cast<pid_t>(id_of_os_thread >> 1);
}

int SendToOsThread(pthread_t id, int signal) {
  const pid_t number = NumberOf(id);
  // The calling one may be main of a child of fork(2), whose number is another.
  if (number == 0) return pthread_kill(pthread_self(), signal);
  return tgkill(getpid(), number, signal) == 0 ? 0 : errno;
}

SignalSet BlockedHere() {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return SignalSet::From(now);
}

[[gnu::noinline]] MaskHere::MaskHere(SignalSet blocked) {
  const sigset_t set = blocked.ToSystem();
  pthread_sigmask(SIG_SETMASK, &set, &before_);
}
[[gnu::noinline]] MaskHere::~MaskHere() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

[[gnu::noinline]] void Raise(int signal) { tgkill(getpid(), gettid(), signal); }

void RunHandlerFor(pthread_t id, const siginfo_t& info, SignalSet blocked) {
  stands_for = id;
  {
    const MaskHere mask(blocked);
    siginfo_t sent = info;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &sent);
  }
  stands_for = 0;
}

void SendToProcess(const siginfo_t& info) {
  siginfo_t sent = info;
  syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &sent);
}

}  // namespace lwt::c
