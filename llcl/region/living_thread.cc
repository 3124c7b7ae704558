#include "llcl/region/living_thread.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace llcl {
namespace {

// A look for the numbers of ended threads takes a system call for each: not with each request.
constexpr unsigned kAttemptsPerLook = 1024;

// By number, a thread and how often the number has been given. The first is not used.
struct Owner {
  std::uint32_t times;
  pid_t thread;  // as the system numbers it; it may have ended; 0: none
};
std::array<std::atomic<std::uint64_t>, kMostLivingThreads + 1> owners;

// The system's calls as they are, as glibc's may not be those of a signal handler.
pid_t ThisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }
bool HasEnded(pid_t thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

int Find(pid_t self, bool looks_for_ended) {
  for (int number = 1; number <= kMostLivingThreads; ++number) {
    std::atomic<std::uint64_t>& place = owners[static_cast<std::size_t>(number)];
    std::uint64_t word = place.load(std::memory_order_relaxed);
    const auto [times, thread] = std::bit_cast<Owner>(word);
    if (thread != 0 && !(looks_for_ended && HasEnded(thread))) continue;
    // By `times` it fails where the number has gone to another thread meanwhile.
    const auto mine = std::bit_cast<std::uint64_t>(Owner{times + 1, self});
    if (place.compare_exchange_strong(word, mine, std::memory_order_acq_rel)) return number;
  }
  return 0;
}

}  // namespace

constinit thread_local int living_thread_number = 0;

int TakeLivingThreadNumber() {
  thread_local unsigned attempts = 0;
  const int errno_before = errno;
  const pid_t self = ThisThread();
  int number = 0;
  if (attempts++ % kAttemptsPerLook == 0) {
    number = Find(self, false);
    if (number == 0) number = Find(self, true);
  }
  living_thread_number = number;
  errno = errno_before;
  return number;
}

}  // namespace llcl
