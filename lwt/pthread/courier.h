// The OS thread on which handlers of signals to lightweight threads run.
//
// A lightweight thread cannot be interrupted: it has no OS thread while it waits, and a handler on
// its worker would find lwt's locks held. So the handler runs here, beside the thread, with the
// thread's mask; pthread_self() in it is the thread. Default actions are the kernel's.
//
// Threads: any. Started by the first call that needs it: programs without masks and without
//   signals to threads have none.
#pragma once

#include <signal.h>

#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/pthread/signal_set.h"
#include "lwt/threads/descriptor.h"
#include "topo/mutex.h"

namespace lwt::c {

// The threads for which the courier runs handlers.
class Recipients {
 public:
  // `read(siginfo_t&)` accepts the next signal to the process, or returns false. Chooses the thread
  // that takes the signal. False: there was none.
  virtual bool Route(const std::function<bool(siginfo_t&)>& read) = 0;
  // A handler has run for the thread.
  virtual void Interrupt(Descriptor& thread) = 0;

 protected:
  ~Recipients() = default;
};

// A resource, one in the process. Never destroyed: its OS thread runs as the program ends. A child
// of fork(2), where that OS thread is not, makes another.
class Courier {
 public:
  explicit Courier(Recipients& recipients) : recipients_(recipients) {}
  ~Courier() = delete;

  // A value. A signal for a thread that does not block it.
  struct Delivery {
    Descriptor* thread;
    siginfo_t info;
    SignalSet blocked;  // by the thread
  };
  // False: the system has no memory for the OS thread or the delivery.
  bool Deliver(const Delivery& delivery);

  // Signals to the process that it accepts from here on, for Recipients::Route. Where the OS
  // thread cannot be started, they stay pending.
  void AcceptForProcess(SignalSet signals);

 private:
  bool Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[noreturn]] void Run(int signals, int called);
  void DeliverAll();

  Recipients& recipients_;
  topo::Mutex mutex_;
  std::vector<Delivery> deliveries_ ABSL_GUARDED_BY(mutex_);
  SignalSet accepted_ ABSL_GUARDED_BY(mutex_);
  int signals_ ABSL_GUARDED_BY(mutex_) = -1;  // of signalfd
  int called_ ABSL_GUARDED_BY(mutex_) = -1;   // of eventfd: there are deliveries
};

}  // namespace lwt::c
