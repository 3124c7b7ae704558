#include "llcl/start/guard.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace llcl {
namespace {

std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::ifstream list("/proc/thread-self/children");
  for (pid_t pid = 0; list >> pid;) children.push_back(pid);
  return children;
}

// Passes signals on to the launcher until it has ended; returns how.
int WaitFor(pid_t launcher, const sigset_t& signals) {
  for (int status = 0;;) {
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == launcher) return status;
    if (ended > 0) continue;  // An orphan of a rank's, when the launcher is about to end.
    siginfo_t signal;
    if (sigwaitinfo(&signals, &signal) < 0 || signal.si_signo == SIGCHLD) continue;
    // A terminal sends them to both: the second of two is of no consequence.
    kill(launcher, signal.si_signo);
  }
}

}  // namespace

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  for (const int signal : {SIGINT, SIGHUP}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

sigset_t TakenSignals() {
  sigset_t signals = EndingSignals();
  for (const int signal : {SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  return signals;
}

void EndOrphans() {
  constexpr std::chrono::seconds kTimeToEnd{2};
  const auto until = std::chrono::steady_clock::now() + kTimeToEnd;
  for (std::vector<pid_t> left = Children();
       !left.empty() && std::chrono::steady_clock::now() < until; left = Children()) {
    for (const pid_t pid : left) kill(pid, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    (void)poll(nullptr, 0, 1);
  }
}

int RunGuarded(const std::function<int(const sigset_t&)>& launch) {
  // Ignored, as some parents leave it, it would hide how a child has ended.
  (void)std::signal(SIGCHLD, SIG_DFL);
  sigset_t signals = TakenSignals(), before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t guard = getpid();
  const pid_t launcher = fork();
  if (launcher < 0) {
    std::fprintf(stderr, "llclrun: cannot start a process: %s\n", std::strerror(errno));
    return 2;
  }
  if (launcher == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The guard was killed before prctl.
    if (getppid() != guard) _exit(1);
    std::exit(launch(before));
  }
  // Blocked, or it would be lost between two looks.
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int status = WaitFor(launcher, signals);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // First: nobody may read the message.
  EndOrphans();
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::fprintf(stderr, "llclrun: its process %d was killed by signal %d (%s); ended the ranks\n",
               static_cast<int>(launcher), WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

}  // namespace llcl
