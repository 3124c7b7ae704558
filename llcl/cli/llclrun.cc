// llclrun: starts a job of several processes on this machine, or on several.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/cli/arguments.h"
#include "llcl/launch/random_name.h"
#include "llcl/start/allocation.h"
#include "llcl/start/binding.h"
#include "llcl/start/guard.h"
#include "llcl/start/hosts.h"
#include "llcl/start/input_frames.h"
#include "llcl/start/input_relay.h"
#include "llcl/start/processes.h"
#include "llcl/start/rank_process.h"
#include "topo/discover.h"

namespace {

using llcl::Arguments;
using llcl::JobOptions;

// In a job of Slurm's: steps share the machines, and have whole machines.
constexpr const char* kSrun =
    "srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none --mpi=none --quiet";

// Our variables for the ranks on other machines.
std::vector<std::pair<std::string, std::string>> Forwarded() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const std::string name = text.substr(0, text.find('='));
    if (name == text) continue;  // A parent that is no shell may have made it.
    for (const char* const prefix : {"LLCL_", "SMS_", "OMP_", "LD_LIBRARY_PATH="}) {
      if (text.rfind(prefix, 0) == 0) variables.emplace_back(name, text.substr(name.size() + 1));
    }
  }
  std::erase_if(variables, [](const auto& variable) {
    // Of another job.
    for (const char* const ours :
         {"LLCL_RENDEZVOUS", "LLCL_SECRET", "LLCL_RANK", "LLCL_SIZE", "LLCL_LAUNCH"}) {
      if (variable.first == ours) return true;
    }
    // This machine's own; a network is for all machines.
    return variable.first == "LLCL_ADDRESS" && variable.second.find('/') == std::string::npos;
  });
  return variables;
}

absl::StatusOr<std::string> TextOf(const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  std::ifstream stream(path);
  if (!stream || is_folder) {
    return absl::NotFoundError(
        path + ": cannot be read: " + (is_folder ? "it is a folder" : std::strerror(errno)));
  }
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = "";
  (void)gethostname(name, HOST_NAME_MAX);
  return name;
}

// Also without the domain in the name.
bool IsThisMachine(const std::string& host) {
  const auto first = [](const std::string& name) { return name.substr(0, name.find('.')); };
  const std::string here = HostName();
  if (llcl::IsLoopbackHost(host) || host == here) return true;
  const bool has_one_a_domain =
      host.find('.') == std::string::npos || here.find('.') == std::string::npos;
  return has_one_a_domain && first(host) == first(here);
}

// The machines of the job; none: this machine alone.
absl::StatusOr<llcl::Allocation> FindHosts(const Arguments& arguments) {
  llcl::Allocation found;
  if (!arguments.hosts.empty()) {
    auto hosts = llcl::ParseHosts(arguments.hosts);
    if (!hosts.ok()) {
      return absl::InvalidArgumentError("--host: " + std::string(hosts.status().message()));
    }
    found = {.source = "--host", .hosts = *std::move(hosts)};
  } else if (!arguments.host_file.empty()) {
    const auto text = TextOf(arguments.host_file);
    if (!text.ok()) return text.status();
    auto hosts = llcl::ParseHostFile(*text, arguments.host_file);
    if (!hosts.ok()) return hosts.status();
    found = {.source = arguments.host_file, .hosts = *std::move(hosts)};
  } else {
    auto allocation = llcl::FindAllocation(
        [](const char* name) -> const char* { return std::getenv(name); }, TextOf);
    if (!allocation.ok()) return allocation.status();
    if (allocation->has_value()) found = **std::move(allocation);
  }
  return found;
}

// How many ranks the programs have; zero: as many as there are slots.
int RanksOf(const Arguments& arguments) {
  int ranks = 0;
  for (const llcl::Program& program : arguments.programs) ranks += program.ranks;
  return ranks;
}

void SetCommands(const std::vector<llcl::Program>& programs, JobOptions& options) {
  for (const llcl::Program& program : programs) {
    options.commands.insert(options.commands.end(), static_cast<std::size_t>(program.ranks),
                            program.command);
  }
  options.ranks = static_cast<int>(options.commands.size());
}

// The ranks on this machine: of the whole job, or of a proxy.
absl::StatusOr<JobOptions> RanksHere(const Arguments& arguments) {
  JobOptions options = {
      .output = arguments.output,
      .environment = arguments.environment,
      .lines = arguments.labels ? llcl::JobLines::kLabeled : llcl::JobLines::kMixed,
      .keeps_going = arguments.keeps_going,
      .most_seconds = arguments.most_seconds};
  options.seconds_to_end = arguments.seconds_to_end;
  SetCommands(arguments.programs, options);
  if (arguments.proxy) {
    // The launcher has had it ignored for the remote shell, which may have passed that on.
    if (arguments.proxy->is_interruptible) (void)std::signal(SIGINT, SIG_DFL);
    auto start = llcl::ReadProxyStart(STDIN_FILENO);
    if (!start.ok()) return start.status();
    options.environment = std::move(start->environment);
    options.numbers = arguments.proxy->ranks;
    options.meeting = {.address = arguments.proxy->rendezvous,
                       .secret = std::move(start->secret),
                       .ranks = arguments.proxy->ranks_of_all};
    options.input = llcl::JobInput::kOutOfFrames;
  }
  if (arguments.binding != llcl::Binding::kNone) {
    const auto machine = topo::ThisMachine();
    if (!machine.ok()) return machine.status();
    auto bindings = llcl::BindRanks(*machine, arguments.binding, options.ranks);
    if (!bindings.ok()) return bindings.status();
    options.bindings = *std::move(bindings);
  }
  return options;
}

// Where the ranks meet: at the first machine. Other machines know this machine by its name.
std::string MeetingHost(const std::vector<std::string>& host_of) {
  const auto is_loopback = [](const std::string& host) {
    return llcl::IsLoopbackHost(llcl::WithoutUser(host));
  };
  const bool is_all_here = std::all_of(host_of.begin(), host_of.end(), is_loopback);
  return is_loopback(host_of.front()) && !is_all_here ? HostName()
                                                      : llcl::WithoutUser(host_of.front());
}

// A shell for each machine, which runs llclrun there. `usual_shell` is for arguments without a
// shell, and then this machine needs no shell.
absl::StatusOr<JobOptions> RanksThere(Arguments arguments, const std::vector<std::string>& host_of,
                                      const char* usual_shell) {
  auto secret = llcl::RandomName(16);
  if (!secret.ok()) return secret.status();
  // Another program at the port cannot know the secret, so a taken port is noticed.
  constexpr int kFirstPort = 20'000, kLastPort = 32'000;
  std::random_device random;
  const int port = arguments.port != 0
                       ? arguments.port
                       : std::uniform_int_distribution<int>(kFirstPort, kLastPort)(random);
  const std::vector<llcl::HostRanks> hosts = llcl::GroupByHost(host_of);
  const std::string address = llcl::FormatAddress(MeetingHost(host_of), port);
  const bool is_usual = arguments.shell.empty();
  std::istringstream words(is_usual ? usual_shell : arguments.shell);
  std::vector<std::string> shell;
  for (std::string word; words >> word;) shell.push_back(word);
  if (shell.empty()) return absl::InvalidArgumentError("--launcher names no command");
  auto environment = Forwarded();
  environment.insert(environment.end(), arguments.environment.begin(), arguments.environment.end());
  if (arguments.remote_llclrun.empty()) {
    std::error_code error;
    arguments.remote_llclrun = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return absl::UnavailableError("cannot find llclrun's own file; --remote-llclrun");
  }
  JobOptions options = {.input = llcl::JobInput::kIntoFrames,
                        .first_input = llcl::FramesOf(
                            {.secret = *std::move(secret), .environment = std::move(environment)}),
                        .lines = arguments.labels ? llcl::JobLines::kWhole : llcl::JobLines::kMixed,
                        .keeps_going = arguments.keeps_going,
                        .most_seconds = arguments.most_seconds};
  const sigset_t ending_signals = llcl::EndingSignals();
  // srun runs the proxy or fails, and reports any other code than 0 as an error.
  options.code_when_well = llcl::IsSrun(shell) ? 0 : llcl::kRanksEndedWell;
  for (const auto& [host, ranks] : hosts) {
    std::vector<std::string> proxy =
        llcl::ProxyWords(arguments, {.ranks = ranks,
                                     .ranks_of_all = static_cast<int>(host_of.size()),
                                     .rendezvous = address,
                                     .is_interruptible = sigismember(&ending_signals, SIGINT) == 1,
                                     .code_when_well = options.code_when_well});
    proxy.insert(proxy.begin(), arguments.remote_llclrun);
    const std::string command = llcl::ShellCommand(std::filesystem::current_path(), proxy);
    const bool needs_shell = !is_usual || !IsThisMachine(host);
    options.commands.push_back(needs_shell ? llcl::RemoteShell(shell, host, command)
                                           : std::vector<std::string>{"/bin/sh", "-c", command});
    options.ignores_interrupts.push_back(needs_shell);
    options.names.push_back(host + (ranks.size() == 1 ? " (rank " : " (ranks ") +
                            llcl::FormatRanks(ranks) + ")");
  }
  options.seconds_to_end = arguments.seconds_to_end;
  options.ranks = static_cast<int>(hosts.size());
  return options;
}

absl::StatusOr<JobOptions> FindJob(Arguments arguments) {
  if (arguments.proxy) return RanksHere(arguments);
  const auto hosts = FindHosts(arguments);
  if (!hosts.ok()) return hosts.status();
  const int ranks = RanksOf(arguments);
  if (hosts->hosts.empty()) {
    if (ranks == 0) arguments.programs[0].ranks = 1;
    return RanksHere(arguments);
  }
  const auto host_of = llcl::AssignRanks(hosts->hosts, ranks);
  if (!host_of.ok()) {
    return absl::InvalidArgumentError(hosts->source + ": " +
                                      std::string(host_of.status().message()));
  }
  if (ranks == 0) arguments.programs[0].ranks = static_cast<int>(host_of->size());
  if (arguments.shell.empty() && std::all_of(host_of->begin(), host_of->end(), IsThisMachine)) {
    return RanksHere(arguments);
  }
  const bool has_srun = hosts->is_slurms && llcl::CheckProgram("srun").ok();
  return RanksThere(std::move(arguments), *host_of, has_srun ? kSrun : "ssh -o BatchMode=yes");
}

// A pipe or a file of ours at a number below 3 would be taken for the input or the output.
void OpenStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
  }
}

// One line, whatever the message is. 127, as shells: there is no such program.
int Fail(const absl::Status& status, int code = 2) {
  std::string line(status.message().data(), status.message().size());
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "llclrun: %s\n", line.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  auto arguments = llcl::ParseArguments(std::vector<std::string>(argv + 1, argv + argc));
  if (absl::IsOutOfRange(arguments.status())) {
    std::printf("%s", std::string(arguments.status().message()).c_str());
    return 0;
  }
  if (!arguments.ok()) return Fail(arguments.status());
  const int code_when_well = arguments->proxy ? arguments->proxy->code_when_well : 0;
  auto options = FindJob(*std::move(arguments));
  // The launcher, which knows the reason, has said it.
  if (absl::IsCancelled(options.status())) return 1;
  if (!options.ok()) return Fail(options.status());
  return llcl::RunGuarded([&](const sigset_t& before) {
    options->signals = before;
    const auto code = llcl::RunJob(*options);
    if (!code.ok()) return Fail(code.status(), absl::IsNotFound(code.status()) ? 127 : 2);
    if (code_when_well == 0) return *code;
    return *code == 0 ? code_when_well : *code == code_when_well ? 1 : *code;
  });
}
