// A named semaphore: the system's, which other processes may have open, for lightweight threads.
//
// A lightweight thread that waits is woken by a post of this process, and looks for posts of others
// ever less often, every 2 ms at last: so its worker goes on meanwhile. An OS thread waits as the
// system does.
//
// Threads: any.
// Order: as the system's.
#pragma once

#include <semaphore.h>
#include <sys/types.h>

#include <optional>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "lwt/pthread/semaphore.h"
#include "lwt/timer.h"

namespace lwt::c {

// A resource, from its first sem_open in the process to its last sem_close.
class NamedSemaphore {
 public:
  // Null, with errno: as sem_open. A name that is open in this process gives the
  // semaphore that it gave before.
  static NamedSemaphore* Open(const char* name, int flags, mode_t mode, unsigned value);
  // 0, or an errno value: EINVAL where no open semaphore is `held_by`.
  static int Close(const sem_t* held_by);

  // For the program, which knows the semaphore by this address.
  sem_t& holder() { return holder_; }

  // 0, or an errno value: ETIMEDOUT at the deadline, EINTR where a signal ends an OS thread's wait.
  int Wait(std::optional<Deadline> deadline);
  int TryWait();
  int Post();
  int Value(int& value);

 private:
  explicit NamedSemaphore(sem_t* system);
  int WaitOnOsThread(std::optional<Deadline> deadline);

  sem_t* const system_;
  sem_t holder_ = {};
  Mutex mutex_;  // of the threads that wait
  ConditionVariable posted_;
  int opens_ = 0;  // with the mutex of the list of all
};

// A value: the content of a sem_t.
struct AnySemaphore {
  explicit AnySemaphore(unsigned value) : unnamed(value) {}
  explicit AnySemaphore(NamedSemaphore* is) : unnamed(0), named(is) {}
  Semaphore unnamed;
  NamedSemaphore* const named = nullptr;  // null: `unnamed`
};

}  // namespace lwt::c
