// An OS thread as another one sees it: the processor time that it has used, and where in the kernel
// it waits.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace lwt {

// A value. Its functions are for the time that the OS thread lives.
class OsThread {
 public:
  // The calling one.
  static OsThread Current();

  // Processor time; nothing where the kernel does not tell.
  std::optional<std::int64_t> CpuNanoseconds() const;
  // A clause as "waits in futex (futex_wait_queue)", from /proc; empty: it does not wait in the
  // kernel. Where /proc does not tell, it is "waits in the kernel".
  std::string Wait() const;

 private:
  pid_t id_ = 0;
  clockid_t cpu_clock_ = 0;
};

}  // namespace lwt
