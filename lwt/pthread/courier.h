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

#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/pthread/signal_set.h"
#include "lwt/threads/descriptor.h"
#include "topo/mutex.h"

namespace lwt::c {

// A resource, one in the process.
class Courier {
 public:
  static Courier& Get();
  // In a child of fork(2), where its OS thread is not.
  static void StartAnew();

  // A value. A signal for a thread that does not block it.
  struct Delivery {
    Descriptor* thread;
    siginfo_t info;
    SignalSet blocked;  // by the thread
  };
  // False: the system has no memory for the OS thread or the delivery.
  bool Deliver(const Delivery& delivery);

  // Signals to the process that it accepts from here on, for LiveThreads::Route. Where the OS
  // thread cannot be started, they stay pending.
  void AcceptForProcess(SignalSet signals);

 private:
  bool Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[noreturn]] void Run(int signals, int called);
  void DeliverAll();

  topo::Mutex mutex_;
  std::vector<Delivery> deliveries_ ABSL_GUARDED_BY(mutex_);
  SignalSet accepted_ ABSL_GUARDED_BY(mutex_);
  int signals_ ABSL_GUARDED_BY(mutex_) = -1;  // of signalfd
  int called_ ABSL_GUARDED_BY(mutex_) = -1;   // of eventfd: there are deliveries
};

}  // namespace lwt::c
