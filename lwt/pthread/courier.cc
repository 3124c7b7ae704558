#include "lwt/pthread/courier.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace lwt::c {
namespace {

siginfo_t InfoOf(const signalfd_siginfo& read) {
  siginfo_t info = {};
  info.si_signo = static_cast<int>(read.ssi_signo);
  info.si_code = read.ssi_code;
  info.si_errno = read.ssi_errno;
  info.si_pid = static_cast<pid_t>(read.ssi_pid);
  info.si_uid = read.ssi_uid;
  if (read.ssi_code == SI_QUEUE || read.ssi_code == SI_MESGQ) {
    info.si_ptr = reinterpret_cast<void*>(read.ssi_ptr);
  } else if (read.ssi_code == SI_TIMER) {
    info.si_timerid = static_cast<int>(read.ssi_tid);
    info.si_overrun = static_cast<int>(read.ssi_overrun);
    info.si_ptr = reinterpret_cast<void*>(read.ssi_ptr);
  } else if (info.si_signo == SIGCHLD) {
    info.si_status = read.ssi_status;
  }
  return info;
}

}  // namespace

bool Courier::Start() {
  if (signals_ >= 0) return true;
  const sigset_t none = SignalSet().ToSystem();
  const int signals = signalfd(-1, &none, SFD_CLOEXEC | SFD_NONBLOCK);
  const int called = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool is_started = signals >= 0 && called >= 0;
  try {
    if (is_started) std::thread([this, signals, called] { Run(signals, called); }).detach();
  } catch (const std::system_error&) {
    is_started = false;
  } catch (const std::bad_alloc&) {
    is_started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_started) {
    signals_ = signals;
    called_ = called;
  } else {
    if (signals >= 0) close(signals);
    if (called >= 0) close(called);
  }
  return is_started;
}

bool Courier::Deliver(const Delivery& delivery) {
  const topo::Lock lock(mutex_);
  try {
    if (!Start()) return false;
    deliveries_.push_back(delivery);
  } catch (const std::bad_alloc&) {
    return false;
  }
  eventfd_write(called_, 1);
  return true;
}

void Courier::AcceptForProcess(SignalSet signals) {
  const topo::Lock lock(mutex_);
  if (signals == accepted_ || !Start()) return;
  accepted_ = signals;
  const sigset_t set = signals.ToSystem();
  signalfd(signals_, &set, 0);  // Wakes the poll where one of them is pending.
}

void Courier::Run(int signals, int called) {
  pollfd fds[] = {{signals, POLLIN, 0}, {called, POLLIN, 0}};
  while (true) {
    poll(fds, 2, -1);
    eventfd_t calls = 0;
    if (eventfd_read(called, &calls) == 0) DeliverAll();
    while (recipients_.Route([signals](siginfo_t& info) {
      signalfd_siginfo accepted;
      if (read(signals, &accepted, sizeof accepted) != sizeof accepted) return false;
      info = InfoOf(accepted);
      return true;
    })) {
      DeliverAll();
    }
  }
}

void Courier::DeliverAll() {
  std::vector<Delivery> deliveries;
  {
    const topo::Lock lock(mutex_);
    deliveries.swap(deliveries_);
  }
  for (const Delivery& delivery : deliveries) {
    RunHandlerFor(IdOf(*delivery.thread), delivery.info, delivery.blocked);
    recipients_.Interrupt(*delivery.thread);
  }
}

}  // namespace lwt::c
