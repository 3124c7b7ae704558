// The threads of a pthread program that have not ended: their masks, pending signals and names, and
// the choice of the thread to which a signal goes.
//
// A signal to one thread is sent by pthread_kill. A signal to the process is taken by main, which
// is an OS thread, unless main blocks it; then the courier (courier.h) accepts it for a lightweight
// thread that does not block it.
//
// Threads: any. An OS thread outside of workers blocks signals while it holds the mutex, so a
//   handler there may call pthread_kill; on workers no handler interrupts.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/c/body.h"
#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "lwt/pthread/courier.h"
#include "lwt/pthread/signal_set.h"

namespace lwt::c {

// A resource, from pthread_create to the end of the thread. Written by the thread itself, but for
// the fields that are with LiveThreads' mutex.
struct ProgramThread {
  ProgramThread(Body::Function f, void* argument_of_f) : function(f), argument(argument_of_f) {}

  const Body::Function function;
  void* const argument;
  Descriptor* descriptor = nullptr;
  int cancel_type = 0;  // PTHREAD_CANCEL_DEFERRED
  // How many handlers have run for it, and signals come that it awaited. Its sleep ends then.
  std::atomic<std::uint32_t> interruptions{0};

  // With LiveThreads' mutex, but that the thread itself reads `blocked`.
  char name[16] = "";
  SignalSet blocked;
  SignalSet pending;        // sent to it while it blocked them
  SignalSet awaited;        // by sigwait and others
  siginfo_t accepted = {};  // of `awaited`; si_signo is 0: none has come
  ProgramThread* next = nullptr;
  ProgramThread* previous = nullptr;
};

// A resource, one in the process.
class LiveThreads final : Recipients {
 public:
  static LiveThreads& Get();
  // In a child of fork(2), where another thread may have held the mutex: with the calling thread
  // alone.
  static void StartAnew();

  // The calling thread's. Null: an OS thread outside of workers, or a thread of another kind.
  static ProgramThread* Self();

  // `thread` belongs to the LiveThreads from here on.
  void Add(ProgramThread& thread, Descriptor& descriptor);
  // By a thread, as the last that it does with its ProgramThread.
  void RemoveSelf();
  void WaitUntilNone();

  // Calls `f(ProgramThread&)` with the mutex held. False: the thread has ended.
  template <typename F>
  bool With(Descriptor& descriptor, F f) {
    const Guard guard(*this);
    ProgramThread* const thread = Find(descriptor);
    if (thread != nullptr) f(*thread);
    return thread != nullptr;
  }

  // As pthread_kill of another thread; the signal is not 0. ESRCH: the thread has ended. EAGAIN:
  // the signal has a value (SI_QUEUE) and the thread blocks it, or there is no memory.
  int Send(Descriptor& descriptor, const siginfo_t& info);
  void Interrupt(Descriptor& descriptor) override;

  // For the calling thread, which then delivers the result to itself: the pending signals that are
  // not blocked any more.
  SignalSet SetBlocked(ProgramThread& self, SignalSet blocked);
  SignalSet Pending(ProgramThread& self);
  // From here to EndAwait a signal of `signals` is accepted for the thread. True: one was pending,
  // and has been.
  bool BeginAwait(ProgramThread& self, SignalSet signals);
  // The signal that was accepted; si_signo is 0: none.
  siginfo_t EndAwait(ProgramThread& self);

  // Main has this mask now.
  void NoteMain(SignalSet blocked);

 private:
  // A resource: holds the mutex, with signals blocked where they could interrupt.
  class ABSL_SCOPED_LOCKABLE Guard {
   public:
    explicit Guard(LiveThreads& threads) ABSL_EXCLUSIVE_LOCK_FUNCTION(threads.mutex_);
    ~Guard() ABSL_UNLOCK_FUNCTION();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    LiveThreads& threads_;
    const bool is_outside_;
    sigset_t before_;
  };
  // Threads with one mask.
  static constexpr std::size_t kUsualMasks = 64;  // No allocation up to there.
  struct Masked {
    SignalSet blocked;
    int threads = 0;
  };

  LiveThreads() { masked_.reserve(kUsualMasks); }
  // With the mutex held, so that a thread which takes a signal has not ended when it is accepted.
  bool Route(const std::function<bool(siginfo_t&)>& read) override;
  // Never destroyed: threads that are left when main returns end with the process, after all
  // destructors.
  static LiveThreads*& Instance();
  static ProgramThread* Find(Descriptor& descriptor);
  void Count(SignalSet blocked, int threads) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RouteToThread(const siginfo_t& info) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Accept(ProgramThread& thread, const siginfo_t& info) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Deliver(ProgramThread& thread, const siginfo_t& info) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Tells the courier which signals are for lightweight threads.
  void TellCourier() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> is_couriered_{false};   // Are there signals that the courier accepts?
  Courier& courier_ = *new Courier(*this);  // never destroyed, as this is not
  Mutex mutex_;
  ConditionVariable none_left_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
  ProgramThread* first_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::vector<Masked> masked_ ABSL_GUARDED_BY(mutex_);
  int awaiting_ ABSL_GUARDED_BY(mutex_) = 0;  // threads
  SignalSet blocked_by_main_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lwt::c
