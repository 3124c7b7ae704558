// Semaphores of pthread programs.
#include <fcntl.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdarg>

#include "lwt/c/cancel.h"
#include "lwt/c/descriptors.h"
#include "lwt/c/moments.h"
#include "lwt/c/placed.h"
#include "lwt/c/tried.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/named_semaphore.h"
#include "lwt/pthread/semaphore.h"

namespace {

using lwt::c::AnySemaphore;
using lwt::c::NamedSemaphore;
using lwt::c::Semaphore;

AnySemaphore& In(sem_t* semaphore) { return lwt::c::In<AnySemaphore>(semaphore); }

// As semaphores' functions return it.
int Returned(int error) { return static_cast<int>(lwt::c::Returned({error == 0 ? 0 : -1, error})); }

}  // namespace

extern "C" {

int lwt_private_sem_init(sem_t* semaphore, int, unsigned value) noexcept {
  if (value > Semaphore::kMost) return Returned(EINVAL);
  return lwt::c::Make<AnySemaphore>(semaphore, value);
}
int lwt_sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  return shared != 0 ? Returned(ENOSYS) : lwt_private_sem_init(semaphore, shared, value);
}
int lwt_sem_destroy(sem_t* semaphore) noexcept {
  if (In(semaphore).named != nullptr) return Returned(EINVAL);
  return lwt::c::Destroy<AnySemaphore>(semaphore);
}

// The program's sem_t holds the address of the semaphore, and is the same one at each sem_open.
sem_t* lwt_sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    std::va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    value = va_arg(rest, unsigned);
    va_end(rest);
  }
  NamedSemaphore* const opened = NamedSemaphore::Open(name, flags, mode, value);
  if (opened == nullptr) return SEM_FAILED;
  return &opened->holder();
}
int lwt_sem_close(sem_t* semaphore) noexcept { return Returned(NamedSemaphore::Close(semaphore)); }
int lwt_sem_unlink(const char* name) noexcept { return sem_unlink(name); }

int lwt_sem_wait(sem_t* semaphore) {
  lwt::c::EndIfCancelled();
  AnySemaphore& in = In(semaphore);
  if (in.named != nullptr) return Returned(in.named->Wait({}));
  return Returned(in.unnamed.Wait() ? 0 : EINTR);
}
int lwt_sem_trywait(sem_t* semaphore) noexcept {
  AnySemaphore& in = In(semaphore);
  const bool has_unit = in.named != nullptr ? in.named->TryWait() == 0 : in.unnamed.TryWait();
  return Returned(lwt::c::Tried(has_unit ? 0 : EBUSY) == 0 ? 0 : EAGAIN);
}
int lwt_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* abstime) {
  lwt::c::EndIfCancelled();
  AnySemaphore& in = In(semaphore);
  if (in.named != nullptr ? in.named->TryWait() == 0 : in.unnamed.TryWait()) return 0;
  if (!lwt::c::IsTime(*abstime)) return Returned(EINVAL);
  const lwt::Deadline deadline = lwt::c::DeadlineAt(*abstime, clock);
  if (in.named != nullptr) return Returned(in.named->Wait(deadline));
  return Returned(in.unnamed.Wait(deadline) ? 0 : ETIMEDOUT);
}
int lwt_sem_timedwait(sem_t* semaphore, const timespec* abstime) {
  return lwt_sem_clockwait(semaphore, CLOCK_REALTIME, abstime);
}
int lwt_sem_post(sem_t* semaphore) noexcept {
  AnySemaphore& in = In(semaphore);
  if (in.named != nullptr) return Returned(in.named->Post());
  return Returned(in.unnamed.Post() ? 0 : EOVERFLOW);
}
int lwt_sem_getvalue(sem_t* semaphore, int* value) noexcept {
  AnySemaphore& in = In(semaphore);
  if (in.named != nullptr) return Returned(in.named->Value(*value));
  *value = static_cast<int>(in.unnamed.value());
  return 0;
}

}  // extern "C"
