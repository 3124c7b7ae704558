#include "lwt/machine/os_thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace lwt {
namespace {

struct SystemCall {
  long number;
  const char* name;
};
// Calls in which programs wait.
constexpr SystemCall kSystemCalls[] = {
    {SYS_futex, "futex"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_ioctl, "ioctl"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_nanosleep, "nanosleep"},
#if defined(SYS_poll)
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
#endif
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_fsync, "fsync"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
};

// The beginning of a file of /proc; empty where it cannot be read.
std::string Read(pid_t thread, const char* file) {
  std::FILE* const opened =
      std::fopen(absl::StrCat("/proc/self/task/", thread, "/", file).c_str(), "re");
  if (opened == nullptr) return "";
  char text[512];
  const std::size_t bytes = std::fread(text, 1, sizeof text, opened);
  std::fclose(opened);
  return std::string(text, bytes);
}

std::string NameOfCall(std::string_view line) {
  long number = -1;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
  if (read.ec != std::errc() || number < 0) return "the kernel";
  for (const SystemCall& call : kSystemCalls) {
    if (call.number == number) return call.name;
  }
  return absl::StrCat("system call ", number);
}

}  // namespace

OsThread OsThread::Current() {
  OsThread self;
  self.id_ = gettid();
  if (pthread_getcpuclockid(pthread_self(), &self.cpu_clock_) != 0) self.id_ = 0;
  return self;
}

std::optional<std::int64_t> OsThread::CpuNanoseconds() const {
  timespec used;
  if (id_ == 0 || clock_gettime(cpu_clock_, &used) != 0) return std::nullopt;
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

std::string OsThread::Wait() const {
  // The state comes after the name, which is in parentheses and may have some.
  const std::string stat = Read(id_, "stat");
  if (const std::size_t name_end = stat.rfind(')'); name_end != std::string::npos) {
    const std::string_view state = std::string_view(stat).substr(name_end + 1, 2);
    if (state != " S" && state != " D") return "";
  }
  std::string wait = absl::StrCat("waits in ", NameOfCall(Read(id_, "syscall")));
  const std::string place = Read(id_, "wchan");
  if (!place.empty() && place != "0") absl::StrAppend(&wait, " (", place, ")");
  return wait;
}

}  // namespace lwt
