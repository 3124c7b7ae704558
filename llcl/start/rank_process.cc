#include "llcl/start/rank_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_replace.h"

namespace llcl {
namespace {

absl::Status Refused(const char* what) {
  return absl::ResourceExhaustedError(std::string("cannot ") + what + ": " + std::strerror(errno));
}

// The standard input, output and errors of the process; -1: inherited.
struct Streams {
  OwnedFd input, output, errors;
};

absl::Status OpenLines(const RankStart& start, RankProcess& process, Streams& theirs) {
  const std::string label =
      start.job.lines == JobLines::kLabeled ? "[" + std::to_string(start.rank) + "] " : "";
  int output[2], errors[2];
  if (pipe2(output, O_CLOEXEC) != 0) return Refused("make a pipe for a rank");
  process.output.Begin(OwnedFd(output[0]), start.output, label);
  theirs.output = OwnedFd(output[1]);
  if (pipe2(errors, O_CLOEXEC) != 0) return Refused("make a pipe for a rank");
  process.errors.Begin(OwnedFd(errors[0]), start.errors, label);
  theirs.errors = OwnedFd(errors[1]);
  return absl::OkStatus();
}

absl::Status OpenFile(int rank, std::string name, Streams& theirs) {
  name = absl::StrReplaceAll(name, {{"%r", std::to_string(rank)}});
  theirs.output =
      OwnedFd(open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (theirs.output.get() < 0) {
    return absl::UnavailableError(name + " cannot be written: " + std::strerror(errno));
  }
  theirs.errors = OwnedFd(fcntl(theirs.output.get(), F_DUPFD_CLOEXEC, 0));
  return theirs.errors.get() < 0 ? Refused("open a file for a rank") : absl::OkStatus();
}

absl::Status OpenInput(const RankStart& start, RankProcess& process, Streams& theirs) {
  const JobInput kind = start.job.input;
  if (kind != JobInput::kIntoFrames && start.rank != 0) {
    // A single reader: two ranks would share the bytes between them.
    theirs.input = OwnedFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return theirs.input.get() < 0 ? Refused("open /dev/null for a rank") : absl::OkStatus();
  }
  if (kind == JobInput::kOwn) return absl::OkStatus();
  int input[2];
  if (pipe2(input, O_CLOEXEC) != 0) return Refused("make a pipe for a rank");
  theirs.input = OwnedFd(input[0]);
  process.input = OwnedFd(input[1]);
  return fcntl(input[1], F_SETFL, O_NONBLOCK) == 0 ? absl::OkStatus() : Refused("use a pipe");
}

void Set(const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); }

// Tells the rank how to join. `socket`: to this process.
void SetLaunch(const RankStart& start, int socket) {
  const int size = start.job.meeting ? start.job.meeting->ranks : start.job.ranks;
  // For scripts, whatever the way to join is.
  Set("LLCL_RANK", std::to_string(start.rank));
  Set("LLCL_SIZE", std::to_string(size));
  Set("LLCL_LOCAL_RANK", std::to_string(start.local_rank));
  Set("LLCL_LOCAL_SIZE", std::to_string(start.job.ranks));
  if (start.job.meeting) {
    Set("LLCL_RENDEZVOUS", start.job.meeting->address);
    Set("LLCL_SECRET", start.job.meeting->secret);
  } else {
    fcntl(socket, F_SETFD, 0);  // It stays open.
    Set("PMI_FD", std::to_string(socket));
    Set("PMI_RANK", std::to_string(start.rank));
    Set("PMI_SIZE", std::to_string(start.job.ranks));
  }
}

[[noreturn]] void Exec(const RankStart& start, int socket, const Streams& theirs) {
  if (start.ignores_interrupts) (void)std::signal(SIGINT, SIG_IGN);
  sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  setrlimit(RLIMIT_NOFILE, &start.descriptors);
  if (theirs.input.get() >= 0) dup2(theirs.input.get(), STDIN_FILENO);
  if (theirs.output.get() >= 0) dup2(theirs.output.get(), STDOUT_FILENO);
  if (theirs.errors.get() >= 0) dup2(theirs.errors.get(), STDERR_FILENO);
  for (const auto& [name, value] : start.job.environment) Set(name.c_str(), value);
  // Of another job; they would count for more than ours.
  for (const char* const variable : {"LLCL_RENDEZVOUS", "LLCL_LAUNCH"}) unsetenv(variable);
  SetLaunch(start, socket);
  if (start.pus != nullptr) {
    const absl::Status bound = topo::SetAffinityMask(0, *start.pus);
    if (!bound.ok()) {
      std::fprintf(stderr, "llclrun: rank %d cannot be bound: %s\n", start.rank,
                   std::string(bound.message()).c_str());
      _exit(127);
    }
  }
  std::vector<char*> arguments;
  for (const std::string& word : start.command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "llclrun: cannot run %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

bool IsProgram(const std::string& path) {
  struct stat file = {};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> RankProcess::TakeLines() {
  char text[4096];
  const ssize_t got = recv(socket.get(), text, sizeof text, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) socket = OwnedFd();
  if (got > 0) received.append(text, static_cast<std::size_t>(got));
  std::vector<std::string> lines;
  for (std::size_t end = received.find('\n'); end != std::string::npos; end = received.find('\n')) {
    lines.push_back(received.substr(0, end));
    received.erase(0, end + 1);
  }
  return lines;
}

void RankProcess::Flush() {
  while (!to_send.empty() && socket.get() >= 0) {
    const ssize_t sent =
        send(socket.get(), to_send.data(), to_send.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return;
    to_send.erase(0, static_cast<std::size_t>(sent));
  }
}

absl::Status StartRank(const RankStart& start, RankProcess& process) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return Refused("make a socket for a rank");
  }
  process.socket = OwnedFd(sockets[0]);
  const OwnedFd their_socket(sockets[1]);
  Streams theirs;
  absl::Status opened = OpenInput(start, process, theirs);
  if (opened.ok() && start.job.lines != JobLines::kMixed) {
    opened = OpenLines(start, process, theirs);
  }
  if (opened.ok() && !start.job.output.empty()) {
    opened = OpenFile(start.rank, start.job.output, theirs);
  }
  if (!opened.ok()) return opened;
  const pid_t parent = getpid();
  process.pid = fork();
  if (process.pid < 0) return Refused("start a rank");
  if (process.pid == 0) {
    // The signal comes at the end of the forking thread: the only thread of this program.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    Exec(start, their_socket.get(), theirs);
  }
  process.is_running = true;
  process.ended = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  return absl::OkStatus();
}

absl::Status CheckProgram(const std::string& program, const char* path) {
  if (program.find('/') != std::string::npos) {
    if (IsProgram(program)) return absl::OkStatus();
    struct stat file = {};
    const char* const why = stat(program.c_str(), &file) != 0 ? "there is no such file"
                            : S_ISDIR(file.st_mode)           ? "it is a folder"
                                                              : "it is not executable (chmod +x)";
    return absl::NotFoundError("cannot run " + program + ": " + why);
  }
  if (path == nullptr) path = std::getenv("PATH");
  // As execvp: an empty folder, also behind the last colon, is the current one.
  const std::string folders = path == nullptr ? "/bin:/usr/bin" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    if (IsProgram((folder.empty() ? "." : folder) + "/" + program)) return absl::OkStatus();
    begin = end + 1;
  }
  return absl::NotFoundError("cannot run " + program + ": it is in no folder of PATH" +
                             (IsProgram("./" + program) ? "; write ./" + program : ""));
}

absl::Status CheckPrograms(const JobOptions& job) {
  const char* path = nullptr;
  for (const auto& [name, value] : job.environment) {
    if (name == "PATH") path = value.c_str();
  }
  if (job.commands.empty()) return CheckProgram(job.command[0], path);
  const std::string* last = nullptr;  // Once, not by each rank.
  for (const std::vector<std::string>& command : job.commands) {
    if (last != nullptr && *last == command[0]) continue;
    last = &command[0];
    if (const absl::Status found = CheckProgram(*last, path); !found.ok()) return found;
  }
  return absl::OkStatus();
}

absl::Status RaiseDescriptorLimit(const JobOptions& job, rlimit& before) {
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit limit = before;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const int each = job.lines == JobLines::kMixed ? 3 : 5;
  const auto needed = static_cast<rlim_t>(job.ranks * each + 32);
  if (limit.rlim_cur >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(std::to_string(job.ranks) + " ranks need " +
                                      std::to_string(needed) + " open files, and the limit is " +
                                      std::to_string(limit.rlim_cur) + " (ulimit -n)");
}

}  // namespace llcl
