#include "llcl/start/processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string_view>

#include "llcl/owned_fd.h"
#include "llcl/start/guard.h"
#include "llcl/start/input_relay.h"
#include "llcl/start/job_output.h"
#include "llcl/start/pmi_server.h"
#include "llcl/start/rank_process.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeForShells{1};  // to end when their proxies have
// The end of the rank that failed first may be heard of later than that of a rank that missed it:
// by a remote shell, on a machine with much to do, a second later.
constexpr std::chrono::seconds kTimeForTheCause{2};
constexpr int kMsBetweenLooks = 20;
constexpr int kMsBetweenLooksAtTheTerminal = 200;
constexpr std::chrono::seconds kTimeToNotice{1};             // that a signal was heard
constexpr std::chrono::milliseconds kTimeForTheReader{200};  // as kTimeForTheCause
// Without a byte from a pipe that a process left behind holds open, or to a reader that has
// stopped, in a job that is being ended.
constexpr std::chrono::milliseconds kPatienceWithPipe{200};
constexpr std::chrono::seconds kPatienceWithReader{3};
constexpr int kTookTooLong = 124;  // as timeout(1)

absl::Status Refused(const char* what) {
  return absl::ResourceExhaustedError(std::string("cannot ") + what + ": " + std::strerror(errno));
}

// The steps by which the ranks are ended.
enum class Ending { kNot, kAsked, kSignaled, kKilled };

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
    if (const absl::Status found = CheckPrograms(options_); !found.ok()) return found;
    const sigset_t signals = TakenSignals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // Of a rank that no longer reads its input, or of a reader of the output that is gone: write()
    // reports it.
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken_pipe_, nullptr);
    sigset_t background;
    sigemptyset(&background);
    sigaddset(&background, SIGTTIN);  // InputRelay
    sigprocmask(SIG_BLOCK, &background, nullptr);
    signals_ = OwnedFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals_.get() < 0) return Refused("receive signals");
    if (const absl::Status room = RaiseDescriptorLimit(options_, limit_before_); !room.ok())
      return room;
    // What a rank starts becomes ours when the rank has ended, and is ended with it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (const absl::Status started = Start(i); !started.ok()) {
        EndAll(1);
        while (running_ > 0) Step();
        return started;
      }
    }
    // Where rank 0 is on another machine, no bytes come.
    if (options_.input == JobInput::kOutOfFrames) {
      relays_.emplace_back(InputRelay::Kind::kOutOfFrames, STDIN_FILENO, processes_[0].input);
    }
    while (running_ > 0) Step();
    if (IsSuspecting()) Conclude();
    last_output_ = Clock::now();
    while (AwaitsOutput()) Step();
    return exit_code_;
  }

 private:
  absl::Status Start(std::size_t i) {
    RankProcess& process = processes_[i];
    const absl::Status started =
        StartRank({.rank = NumberOf(i),
                   .local_rank = static_cast<int>(i),
                   .command = options_.commands.empty() ? options_.command : options_.commands[i],
                   .output = output_.output(),
                   .errors = output_.errors(),
                   .ignores_interrupts =
                       !options_.ignores_interrupts.empty() && options_.ignores_interrupts[i],
                   .pus = options_.bindings.empty() ? nullptr : &options_.bindings[i],
                   .job = options_,
                   .signals = options_.signals ? *options_.signals : before_,
                   .descriptors = limit_before_},
                  process);
    if (!started.ok()) return started;
    // Some containers refuse pidfd_open: then its end is looked for now and then.
    lacks_pidfds_ = lacks_pidfds_ || process.ended.get() < 0;
    ++running_;
    if (options_.input == JobInput::kIntoFrames) {
      relays_.emplace_back(InputRelay::Kind::kIntoFrames, i == 0 ? STDIN_FILENO : -1, process.input,
                           options_.first_input);
    }
    return absl::OkStatus();
  }

  int NumberOf(std::size_t i) const {
    return options_.numbers.empty() ? static_cast<int>(i) : options_.numbers[i];
  }
  std::string NameOf(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return options_.names.empty() ? "rank " + std::to_string(NumberOf(i)) : options_.names[i];
  }

  // Waits for something to happen, and does what is to be done.
  void Step() {
    std::vector<pollfd> fds;
    std::vector<std::function<void()>> then;
    const auto on = [&](const pollfd& awaited, std::function<void()> f) {
      if (awaited.fd < 0) return;
      fds.push_back(awaited);
      then.push_back(std::move(f));
    };
    on({signals_.get(), POLLIN, 0}, [this] { OnSignal(); });
    for (InputRelay& relay : relays_) {
      on(relay.Reading(), [&relay] { relay.Read(); });
      on(relay.Writing(), [&relay] { relay.Write(); });
    }
    for (OutputSink* const sink : output_.sinks()) {
      on(sink->Writing(), [this, sink] {
        if (sink->Write()) last_output_ = Clock::now();
      });
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      RankProcess& process = processes_[i];
      const auto rank = static_cast<int>(i);
      for (Labeled* const from : {&process.output, &process.errors}) {
        on(from->Reading(), [this, from] {
          from->Copy();
          last_output_ = Clock::now();
        });
      }
      const short events = process.to_send.empty() ? POLLIN : POLLIN | POLLOUT;
      on({process.socket.get(), events, 0}, [this, rank] { Serve(rank); });
      on({process.ended.get(), POLLIN, 0}, [this, rank] { OnEnd(rank); });
    }
    const int timeout = MostMsToWait();
    if (poll(fds.data(), fds.size(), timeout) > 0) {
      for (std::size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].revents != 0) then[i]();
      }
    }
    for (int rank = 0; lacks_pidfds_ && rank < options_.ranks; ++rank) {
      if (processes_[static_cast<std::size_t>(rank)].is_running) OnEnd(rank);
    }
    for (InputRelay& relay : relays_) {
      while (const int signal = relay.TakeSignal()) PassOn(signal);
      // The launcher, which knows the reason, has said it.
      if (relay.is_lost()) EndAll(1);
    }
    OnOutputError(output_.error());
    const Clock::time_point now = Clock::now();
    if (IsSuspecting() && now >= suspecting_since_ + kTimeForTheCause) Conclude();
    if (options_.most_seconds && !is_ending() && now >= Deadline()) {
      output_.Say("the job has not ended within ", *options_.most_seconds, " s; ending the ranks");
      EndAll(kTookTooLong);
    }
    if (is_ending() && ending_ != Ending::kKilled && now >= ending_until_) EndHarder();
  }

  // For poll: -1 is for ever.
  int MostMsToWait() const {
    int most = -1;
    const auto until = [&](int ms) { most = most < 0 ? ms : std::min(most, ms); };
    if (is_ending() && ending_ != Ending::kKilled) until(MillisecondsTo(ending_until_));
    if (IsSuspecting()) until(MillisecondsTo(suspecting_since_ + kTimeForTheCause));
    if (options_.most_seconds && !is_ending()) until(MillisecondsTo(Deadline()));
    if (unread_since_ && !is_ending()) until(MillisecondsTo(*unread_since_ + kTimeForTheReader));
    if (lacks_pidfds_) until(kMsBetweenLooks);
    if (running_ == 0 && HasPatienceFor()) until(MillisecondsTo(last_output_ + *HasPatienceFor()));
    for (const InputRelay& relay : relays_) {
      if (relay.is_held_back()) until(kMsBetweenLooksAtTheTerminal);
    }
    return most;
  }
  Clock::time_point Deadline() const {
    return began_ + std::chrono::seconds(*options_.most_seconds);
  }

  static int MillisecondsTo(Clock::time_point moment) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(moment - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1 << 30));
  }

  void OnSignal() {
    signalfd_siginfo info;
    if (read(signals_.get(), &info, sizeof info) != sizeof info) return;
    const auto signal = static_cast<int>(info.ssi_signo);
    const Clock::time_point now = Clock::now();
    // A terminal's, and one for all of a batch job's processes, comes twice, the second time by the
    // guard.
    const bool is_copy = signal == last_signal_ && now < last_signal_at_ + kTimeToNotice;
    last_signal_ = signal, last_signal_at_ = now;
    if (is_copy) return;
    if (IsForRanks(signal)) return PassOn(signal);
    // The user does not want to wait. Proxies end their ranks in their own time.
    if (is_ending() && ending_ == Ending::kSignaled) return EndHarder();
    if (!is_ending() && options_.input != JobInput::kOutOfFrames) {
      output_.Say("got signal ", signal, " (", strsignal(signal), "); ending the ranks");
    }
    EndAll(128 + signal);
  }

  void PassOn(int signal) {
    if (options_.input != JobInput::kIntoFrames) return SignalAll(signal);
    for (InputRelay& relay : relays_) relay.Send(signal);
  }

  void Serve(int rank) {
    for (const std::string& line : processes_[static_cast<std::size_t>(rank)].TakeLines()) {
      for (PmiServer::Reply& reply : server_.Handle(rank, line)) {
        processes_[static_cast<std::size_t>(reply.rank)].to_send += reply.line;
        processes_[static_cast<std::size_t>(reply.rank)].Flush();
      }
      if (server_.is_aborted() && !is_ending()) {
        output_.Say(NameOf(rank), " aborts the job: ", server_.reason());
        EndAll(server_.exit_code());
      }
    }
    processes_[static_cast<std::size_t>(rank)].Flush();
    CheckBarrier();
  }

  void OnEnd(int rank) {
    RankProcess& process = processes_[static_cast<std::size_t>(rank)];
    int status = 0;
    if (waitpid(process.pid, &status, WNOHANG) != process.pid) return;
    process.is_running = false;
    process.ended = OwnedFd();
    process.input = OwnedFd();
    for (InputRelay& relay : relays_) relay.Write();  // which drops the bytes for it
    --running_;
    first_gone_ = first_gone_ < 0 ? rank : first_gone_;
    if (is_ending()) return;
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      OnFailure(rank, 128 + signal,
                "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
      return;
    }
    const int code = WEXITSTATUS(status);
    if (code == 0 && options_.code_when_well != 0) {
      OnFailure(rank, 1, "has run no llclrun: its shell returned 0, and not the code of llclrun");
    } else if (code != options_.code_when_well) {
      OnFailure(rank, code, "ended with exit code " + std::to_string(code));
    } else {
      CheckBarrier();
    }
  }

  void OnFailure(int rank, int exit_code, const std::string& what) {
    if (options_.keeps_going) {
      output_.Say(NameOf(rank), " ", what, "; the others go on");
      if (exit_code_ == 0) exit_code_ = exit_code;
      return CheckBarrier();
    }
    const bool was_killed = exit_code > 128;  // also by a remote shell's exit code
    if (!IsSuspecting()) suspecting_since_ = Clock::now();
    if (suspect_.exit_code == 0 || was_killed) suspect_ = {rank, exit_code, what};
    if (was_killed) Conclude();
  }

  // Has a rank failed that may only have missed another one, which was killed?
  bool IsSuspecting() const { return suspect_.exit_code != 0 && !is_ending(); }
  void Conclude() {
    output_.Say(NameOf(suspect_.rank), " ", suspect_.what, "; ending the others");
    EndAll(suspect_.exit_code);
  }

  // A rank that waits for all ranks waits for ever once one has ended.
  void CheckBarrier() {
    if (is_ending() || IsSuspecting() || first_gone_ < 0 || server_.waiting() == 0) return;
    const int waiting = server_.waiting();
    output_.Say(NameOf(first_gone_), " has ended, and ", waiting,
                waiting == 1 ? " rank waits" : " ranks wait", " for it; ending the others");
    EndAll(1);
  }

  // A reader that has enough, as head has, is no fault to report. The failure of a rank is, which
  // may be heard of a moment later than the reader's end.
  void OnOutputError(int error) {
    // Nothing but sentences of ours is lost.
    if (options_.lines == JobLines::kMixed || error == 0 || is_ending()) return;
    if (IsSuspecting()) return Conclude();
    if (error != EPIPE) {
      output_.Say("cannot write the output: ", std::strerror(error), "; ending the ranks");
      return EndAll(exit_code_ != 0 ? exit_code_ : 1);
    }
    if (!unread_since_) unread_since_ = Clock::now();
    if (running_ > 0 && Clock::now() < *unread_since_ + kTimeForTheReader) return;
    EndAll(exit_code_ != 0 ? exit_code_ : 128 + SIGPIPE);
  }

  bool is_ending() const { return ending_ != Ending::kNot; }
  // A proxy ends its ranks when its input ends, and its shell is there until their last output has
  // come.
  void EndAll(int exit_code) {
    if (is_ending()) return;
    exit_code_ = exit_code;
    if (options_.input != JobInput::kIntoFrames) return EndHarder();
    ending_ = Ending::kAsked;
    ending_until_ = Clock::now() + TimeToEnd() + kTimeForShells;
    for (RankProcess& process : processes_) process.input = OwnedFd();
  }
  // From SIGTERM to SIGKILL.
  std::chrono::seconds TimeToEnd() const { return std::chrono::seconds(options_.seconds_to_end); }
  void EndHarder() {
    const bool was_signaled = ending_ == Ending::kSignaled;
    ending_ = was_signaled ? Ending::kKilled : Ending::kSignaled;
    ending_until_ = Clock::now() + TimeToEnd();
    SignalAll(was_signaled ? SIGKILL : SIGTERM);
  }

  void SignalAll(int signal) {
    for (const RankProcess& process : processes_) {
      if (process.is_running) kill(process.pid, signal);
    }
  }

  // Once all ranks have ended: may more be read or written? Processes that the ranks started and
  // left behind, which this process adopts, hold the pipes open: in a job that goes well as long as
  // something comes.
  bool AwaitsOutput() {
    if (is_ending() && !has_ended_orphans_) {
      EndOrphans();  // which may take a while
      has_ended_orphans_ = true;
      last_output_ = Clock::now();
    }
    const auto patience = HasPatienceFor();
    return !patience || Clock::now() < last_output_ + *patience;
  }
  // None: for ever.
  std::optional<Clock::duration> HasPatienceFor() const {
    if (!output_.is_written() && !is_ending()) return std::nullopt;
    if (!output_.is_written()) return kPatienceWithReader;
    const bool is_read = std::all_of(processes_.begin(), processes_.end(), [](const auto& process) {
      return process.output.fd() < 0 && process.errors.fd() < 0;
    });
    return is_read ? Clock::duration::zero() : Clock::duration(kPatienceWithPipe);
  }

  const JobOptions& options_;
  const Clock::time_point began_ = Clock::now();
  PmiServer server_;
  std::vector<RankProcess> processes_;
  JobOutput output_;
  Clock::time_point last_output_;                  // read or written
  std::optional<Clock::time_point> unread_since_;  // the reader of the output is gone
  bool has_ended_orphans_ = false;
  std::deque<InputRelay> relays_;
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
  bool lacks_pidfds_ = false;
  Ending ending_ = Ending::kNot;
  Clock::time_point ending_until_;  // then EndHarder
  int last_signal_ = 0;
  Clock::time_point last_signal_at_;
};

}  // namespace

absl::StatusOr<int> RunJob(const JobOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return Job(options).Run();
}

}  // namespace llcl
