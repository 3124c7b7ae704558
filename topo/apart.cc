#include "topo/apart.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace topo {
namespace {

using Clock = std::chrono::steady_clock;

// A pipe has room for so much at once.
constexpr std::size_t kMostMessage = 4000;

// The process apart: writes the status to `answer`, its code first, and ends.
[[noreturn]] void Call(const std::function<absl::Status()>& f, int answer) {
  // Faults end it as they end any process, without a core and without handlers of the program's.
  for (const int fault : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) signal(fault, SIG_DFL);
  const rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) (void)dup2(nowhere, STDERR_FILENO);
  const absl::Status status = f();
  std::string text(1, static_cast<char>(status.code()));
  text += std::string(status.message()).substr(0, kMostMessage);
  const bool is_written = write(answer, text.data(), text.size()) >= 0;
  _exit(is_written ? 0 : 1);
}

// All that comes until the other end is closed; false: not in time.
bool ReadAll(int from, Clock::time_point end, std::string& text) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd ready = {from, POLLIN, 0};
    const int found = poll(&ready, 1, std::max<int>(0, static_cast<int>(left.count())));
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return false;
    std::array<char, kMostMessage> some;
    const ssize_t count = read(from, some.data(), some.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(some.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

absl::Status CallApart(const std::function<absl::Status()>& f, std::chrono::milliseconds most) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return absl::OkStatus();
  const pid_t child = fork();
  if (child == 0) Call(f, ends[1]);
  close(ends[1]);
  std::string text;
  const bool is_in_time = child < 0 || ReadAll(ends[0], Clock::now() + most, text);
  close(ends[0]);
  if (child < 0) return absl::OkStatus();
  // It lives: nobody else may have waited for it.
  if (!is_in_time) (void)kill(child, SIGKILL);
  // A program that ignores SIGCHLD has no child to wait for.
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!is_in_time) return absl::DeadlineExceededError("");
  if (text.empty()) return absl::AbortedError("");
  return absl::Status(static_cast<absl::StatusCode>(text[0]), text.substr(1));
}

}  // namespace topo
