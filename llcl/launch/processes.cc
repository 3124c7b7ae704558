#include "llcl/launch/processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "llcl/launch/guard.h"
#include "llcl/launch/input_relay.h"
#include "llcl/launch/pmi_server.h"
#include "llcl/launch/rank_process.h"
#include "llcl/owned_fd.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeToEnd{2};  // from SIGTERM to SIGKILL
// The end of the rank that failed first may be heard of later than that of a rank that missed it:
// by a remote shell, on a machine with much to do, a second later.
constexpr std::chrono::seconds kTimeForTheCause{2};
constexpr int kMsBetweenLooks = 20;
constexpr int kTookTooLong = 124;  // as timeout(1)

absl::Status Refused(const char* what) {
  return absl::ResourceExhaustedError(std::string("cannot ") + what + ": " + std::strerror(errno));
}

class Job {
 public:
  explicit Job(const JobOptions& options)
      : options_(options),
        server_(options.ranks),
        processes_(static_cast<std::size_t>(options.ranks)) {
    sigprocmask(SIG_BLOCK, nullptr, &before_);
  }
  ~Job() {
    const timespec at_once = {};
    while (sigtimedwait(&broken_pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  absl::StatusOr<int> Run() {
    if (const absl::Status found = CheckPrograms(); !found.ok()) return found;
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // Of a rank that no longer reads its input: write() reports it.
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken_pipe_, nullptr);
    signals_ = OwnedFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals_.get() < 0) return Refused("receive signals");
    if (const absl::Status room = RaiseDescriptorLimit(); !room.ok()) return room;
    // What a rank starts becomes ours when the rank has ended, and is ended with it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (const absl::Status started = Start(i); !started.ok()) {
        EndAll(1);
        while (running_ > 0) Step();
        return started;
      }
    }
    BeginRelay();
    while (running_ > 0) Step();
    if (IsSuspecting()) Conclude();
    // Processes that the ranks started and left behind: this process adopts them.
    if (is_ending_) EndOrphans();
    CopyLastOutput();
    return exit_code_;
  }

 private:
  // Once, not by each rank.
  absl::Status CheckPrograms() const {
    if (options_.commands.empty()) return CheckProgram(options_.command[0]);
    const std::string* last = nullptr;
    for (const std::vector<std::string>& command : options_.commands) {
      if (last != nullptr && *last == command[0]) continue;
      last = &command[0];
      if (const absl::Status found = CheckProgram(*last); !found.ok()) return found;
    }
    return absl::OkStatus();
  }

  // Each rank takes some descriptors; the usual soft limit is for programs that use
  // select().
  absl::Status RaiseDescriptorLimit() {
    getrlimit(RLIMIT_NOFILE, &limit_before_);
    rlimit limit = limit_before_;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    const int each = options_.lines == JobLines::kMixed ? 3 : 5;
    const auto needed = static_cast<rlim_t>(options_.ranks * each + 32);
    if (limit.rlim_cur >= needed) return absl::OkStatus();
    return absl::ResourceExhaustedError(std::to_string(options_.ranks) + " ranks need " +
                                        std::to_string(needed) + " open files, and the limit is " +
                                        std::to_string(limit.rlim_cur) + " (ulimit -n)");
  }

  absl::Status Start(std::size_t i) {
    RankProcess& process = processes_[i];
    const absl::Status started =
        StartRank({.rank = NumberOf(i),
                   .command = options_.commands.empty() ? options_.command : options_.commands[i],
                   .pus = options_.bindings.empty() ? nullptr : &options_.bindings[i],
                   .job = options_,
                   .signals = options_.signals ? *options_.signals : before_,
                   .descriptors = limit_before_},
                  process);
    if (!started.ok()) return started;
    // Some containers refuse pidfd_open: then its end is looked for now and then.
    lacks_pidfds_ = lacks_pidfds_ || process.ended.get() < 0;
    ++running_;
    return absl::OkStatus();
  }

  int NumberOf(std::size_t i) const {
    return options_.numbers.empty() ? static_cast<int>(i) : options_.numbers[i];
  }
  std::string NameOf(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return options_.names.empty() ? "rank " + std::to_string(NumberOf(i)) : options_.names[i];
  }

  void BeginRelay() {
    if (options_.input == JobInput::kIntoFrames) {
      relay_.emplace(InputRelay::Kind::kIntoFrames, STDIN_FILENO, processes_[0].input);
    } else if (options_.input == JobInput::kOutOfFrames) {
      // Where rank 0 is on another machine, no bytes come.
      relay_.emplace(InputRelay::Kind::kOutOfFrames, STDIN_FILENO, processes_[0].input);
    }
  }

  // Waits for something to happen, and does what is to be done.
  void Step() {
    std::vector<pollfd> fds;
    std::vector<std::function<void()>> then;
    const auto on = [&](int fd, short events, std::function<void()> f) {
      if (fd < 0) return;
      fds.push_back({fd, events, 0});
      then.push_back(std::move(f));
    };
    on(signals_.get(), POLLIN, [this] { OnSignal(); });
    if (relay_) {
      const pollfd reading = relay_->Reading(), writing = relay_->Writing();
      on(reading.fd, reading.events, [this] { relay_->Read(); });
      on(writing.fd, writing.events, [this] { relay_->Write(); });
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      RankProcess& process = processes_[i];
      const auto rank = static_cast<int>(i);
      on(process.output.fd(), POLLIN, [&process] { process.output.Copy(); });
      on(process.errors.fd(), POLLIN, [&process] { process.errors.Copy(); });
      const short events = process.to_send.empty() ? POLLIN : POLLIN | POLLOUT;
      on(process.socket.get(), events, [this, rank] { Serve(rank); });
      on(process.ended.get(), POLLIN, [this, rank] { OnEnd(rank); });
    }
    int timeout = -1;
    if (is_ending_ && !was_killed_) timeout = MillisecondsTo(ending_since_ + kTimeToEnd);
    if (IsSuspecting()) timeout = MillisecondsTo(suspecting_since_ + kTimeForTheCause);
    if (options_.most_seconds && !is_ending_)
      timeout = EarlierOf(timeout, began_ + std::chrono::seconds(*options_.most_seconds));
    if (lacks_pidfds_) timeout = kMsBetweenLooks;
    if (poll(fds.data(), fds.size(), timeout) > 0) {
      for (std::size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].revents != 0) then[i]();
      }
    }
    for (int rank = 0; lacks_pidfds_ && rank < options_.ranks; ++rank) {
      if (processes_[static_cast<std::size_t>(rank)].is_running) OnEnd(rank);
    }
    if (relay_ && relay_->is_lost() && !is_ending_) {
      std::fprintf(stderr, "llclrun: the connection to the launcher has ended; ending the ranks\n");
      EndAll(1);
    }
    if (IsSuspecting() && Clock::now() >= suspecting_since_ + kTimeForTheCause) Conclude();
    if (options_.most_seconds && !is_ending_ &&
        Clock::now() >= began_ + std::chrono::seconds(*options_.most_seconds)) {
      std::fprintf(stderr, "llclrun: the job has not ended within %d s; ending the ranks\n",
                   *options_.most_seconds);
      EndAll(kTookTooLong);
    }
    if (is_ending_ && !was_killed_ && Clock::now() >= ending_since_ + kTimeToEnd) {
      was_killed_ = true;
      SignalAll(SIGKILL);
    }
  }

  static int MillisecondsTo(Clock::time_point moment) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(moment - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1 << 30));
  }

  // `timeout` as poll's: -1 is never.
  static int EarlierOf(int timeout, Clock::time_point moment) {
    const int until = MillisecondsTo(moment);
    return timeout < 0 ? until : std::min(timeout, until);
  }

  void OnSignal() {
    signalfd_siginfo info;
    if (read(signals_.get(), &info, sizeof info) != sizeof info) return;
    EndAll(128 + static_cast<int>(info.ssi_signo));
  }

  void Serve(int rank) {
    RankProcess& process = processes_[static_cast<std::size_t>(rank)];
    char text[4096];
    const ssize_t got = recv(process.socket.get(), text, sizeof text, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      process.socket = OwnedFd();
      return;
    }
    if (got > 0) process.received.append(text, static_cast<std::size_t>(got));
    for (std::size_t end = process.received.find('\n'); end != std::string::npos;
         end = process.received.find('\n')) {
      const std::string line = process.received.substr(0, end);
      process.received.erase(0, end + 1);
      for (PmiServer::Reply& reply : server_.Handle(rank, line)) {
        processes_[static_cast<std::size_t>(reply.rank)].to_send += reply.line;
        Flush(reply.rank);
      }
      if (server_.is_aborted() && !is_ending_) {
        std::fprintf(stderr, "llclrun: %s aborts the job: %s\n", NameOf(rank).c_str(),
                     server_.reason().c_str());
        EndAll(server_.exit_code());
      }
    }
    Flush(rank);
    CheckBarrier();
  }

  void Flush(int rank) {
    RankProcess& process = processes_[static_cast<std::size_t>(rank)];
    while (!process.to_send.empty() && process.socket.get() >= 0) {
      const ssize_t sent = send(process.socket.get(), process.to_send.data(),
                                process.to_send.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent <= 0) return;
      process.to_send.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void OnEnd(int rank) {
    RankProcess& process = processes_[static_cast<std::size_t>(rank)];
    int status = 0;
    if (waitpid(process.pid, &status, WNOHANG) != process.pid) return;
    process.is_running = false;
    process.ended = OwnedFd();
    process.input = OwnedFd();
    --running_;
    first_gone_ = first_gone_ < 0 ? rank : first_gone_;
    if (is_ending_) return;
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      OnFailure(rank, 128 + signal,
                "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
    } else if (WEXITSTATUS(status) != 0) {
      OnFailure(rank, WEXITSTATUS(status),
                "ended with exit code " + std::to_string(WEXITSTATUS(status)));
    } else {
      CheckBarrier();
    }
  }

  void OnFailure(int rank, int exit_code, const std::string& what) {
    if (options_.keeps_going) {
      std::fprintf(stderr, "llclrun: %s %s; the others go on\n", NameOf(rank).c_str(),
                   what.c_str());
      if (exit_code_ == 0) exit_code_ = exit_code;
      return CheckBarrier();
    }
    const bool was_killed = exit_code > 128;  // also by a remote shell's exit code
    if (!IsSuspecting()) suspecting_since_ = Clock::now();
    if (suspect_.exit_code == 0 || was_killed) suspect_ = {rank, exit_code, what};
    if (was_killed) Conclude();
  }

  // Has a rank failed that may only have missed another one, which was killed?
  bool IsSuspecting() const { return suspect_.exit_code != 0 && !is_ending_; }
  void Conclude() {
    std::fprintf(stderr, "llclrun: %s %s; ending the others\n", NameOf(suspect_.rank).c_str(),
                 suspect_.what.c_str());
    EndAll(suspect_.exit_code);
  }

  // A rank that waits for all ranks waits for ever once one has ended.
  void CheckBarrier() {
    if (is_ending_ || IsSuspecting() || first_gone_ < 0 || server_.waiting() == 0) return;
    std::fprintf(stderr, "llclrun: %s has ended, and %d others wait for it; ending them\n",
                 NameOf(first_gone_).c_str(), server_.waiting());
    EndAll(1);
  }

  void EndAll(int exit_code) {
    if (is_ending_) return;
    is_ending_ = true;
    exit_code_ = exit_code;
    ending_since_ = Clock::now();
    SignalAll(SIGTERM);
  }

  void SignalAll(int signal) {
    for (const RankProcess& process : processes_) {
      if (process.is_running) kill(process.pid, signal);
    }
  }

  // Copies the rest of the pipes when all ranks have ended: to the end, or, where a process
  // that a rank has left behind holds them open, as long as something comes.
  void CopyLastOutput() {
    constexpr int kPatienceMs = 200;
    for (RankProcess& process : processes_) {
      for (Labeled* const from : {&process.output, &process.errors}) {
        while (from->fd() >= 0) {
          pollfd fd = {from->fd(), POLLIN, 0};
          if (poll(&fd, 1, kPatienceMs) <= 0) break;
          from->Copy();
        }
      }
    }
  }

  const JobOptions& options_;
  const Clock::time_point began_ = Clock::now();
  PmiServer server_;
  std::vector<RankProcess> processes_;
  std::optional<InputRelay> relay_;
  OwnedFd signals_;
  sigset_t before_ = {}, broken_pipe_ = {};
  rlimit limit_before_ = {};
  int running_ = 0;
  int first_gone_ = -1;
  struct {
    int rank = -1;
    int exit_code = 0;
    std::string what;
  } suspect_;
  Clock::time_point suspecting_since_;
  int exit_code_ = 0;
  bool is_ending_ = false;
  bool was_killed_ = false;
  bool lacks_pidfds_ = false;
  Clock::time_point ending_since_;
};

}  // namespace

absl::StatusOr<int> RunJob(const JobOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return Job(options).Run();
}

}  // namespace llcl
