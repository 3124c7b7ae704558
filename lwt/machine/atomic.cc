#include "lwt/machine/atomic.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace lwt {
namespace {

// Keeps errno: a program that waits for a lock does not think of a system call that may fail.
void Futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  const int before = errno;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value,
          timeout, nullptr, 0);
  errno = before;
}

}  // namespace

template <>
void Atomic<std::uint32_t>::SleepWhile(std::uint32_t old, std::int64_t nanoseconds) {
  const timespec timeout = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                            static_cast<long>(nanoseconds % 1'000'000'000)};
  Futex(value_, FUTEX_WAIT, old, &timeout);
}

template <>
void Atomic<std::uint32_t>::WakeOneSleeper() {
  Futex(value_, FUTEX_WAKE, 1, nullptr);
}

template <>
void Atomic<std::uint32_t>::WakeAllSleepers() {
  Futex(value_, FUTEX_WAKE, INT_MAX, nullptr);
}

}  // namespace lwt
