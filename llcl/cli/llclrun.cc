// llclrun: starts a job of several processes on this machine, or on those of a host file.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "llcl/launch/guard.h"
#include "llcl/launch/hosts.h"
#include "llcl/launch/processes.h"
#include "llcl/launch/random_name.h"

namespace {

// How a job gets to other machines.
struct Remote {
  std::string host_file, hosts;  // one of the two, or none
  std::string shell = "ssh -o BatchMode=yes";
  int port = 0;
};

// Variables of ours that the ranks of a host file have, too.
std::vector<std::pair<std::string, std::string>> Forwarded() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const std::string name = text.substr(0, text.find('='));
    for (const char* const prefix : {"LLCL_", "SMS_", "OMP_", "LD_LIBRARY_PATH="}) {
      if (text.rfind(prefix, 0) == 0) variables.emplace_back(name, text.substr(name.size() + 1));
    }
  }
  // Of another job.
  std::erase_if(variables, [](const auto& variable) {
    for (const char* const ours :
         {"LLCL_RENDEZVOUS", "LLCL_SECRET", "LLCL_RANK", "LLCL_SIZE", "LLCL_LAUNCH"}) {
      if (variable.first == ours) return true;
    }
    return false;
  });
  return variables;
}

absl::StatusOr<std::vector<llcl::HostSlots>> FindHosts(const Remote& remote) {
  if (!remote.hosts.empty()) {
    const auto hosts = llcl::ParseHosts(remote.hosts);
    if (hosts.ok()) return hosts;
    return absl::InvalidArgumentError("--host: " + std::string(hosts.status().message()));
  }
  std::ifstream stream(remote.host_file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    return absl::NotFoundError(remote.host_file + ": cannot be read");
  }
  return llcl::ParseHostFile(text.str(), remote.host_file);
}

// Adds the variable of "NAME=VALUE", or of "NAME" with its value here.
absl::Status AddVariable(const std::string& word, llcl::JobOptions& options) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  if (name.empty()) return absl::InvalidArgumentError("-x " + word + ": expected NAME[=VALUE]");
  const char* const here = getenv(name.c_str());
  if (equals == std::string::npos && here == nullptr) {
    return absl::InvalidArgumentError("-x " + name + ": it is not set here");
  }
  options.environment.emplace_back(name,
                                   equals == std::string::npos ? here : word.substr(equals + 1));
  return absl::OkStatus();
}

// Makes the command of each rank that of a remote shell. `ranks`: zero for all slots.
absl::Status UseHosts(const Remote& remote, int ranks, llcl::JobOptions& options) {
  const auto hosts = FindHosts(remote);
  if (!hosts.ok()) return hosts.status();
  const auto host_of = llcl::AssignRanks(*hosts, ranks);
  if (!host_of.ok()) return host_of.status();
  const auto secret = llcl::RandomName(16);
  if (!secret.ok()) return secret.status();
  // A program that listens there already cannot know the secret, so a port that is taken is found.
  constexpr int kFirstPort = 20'000, kLastPort = 32'000;
  std::random_device random;
  const int port = remote.port != 0
                       ? remote.port
                       : std::uniform_int_distribution<int>(kFirstPort, kLastPort)(random);
  llcl::RemoteJob job = {.rendezvous = host_of->front() + ":" + std::to_string(port),
                         .ranks = static_cast<int>(host_of->size()),
                         .folder = std::filesystem::current_path(),
                         .command = options.command,
                         .environment = Forwarded()};
  job.environment.insert(job.environment.end(), options.environment.begin(),
                         options.environment.end());
  std::istringstream words(remote.shell);
  std::vector<std::string> shell;
  for (std::string word; words >> word;) shell.push_back(word);
  if (shell.empty()) return absl::InvalidArgumentError("--launcher names no command");
  for (int rank = 0; rank < job.ranks; ++rank) {
    std::vector<std::string> command = shell;
    command.push_back((*host_of)[static_cast<std::size_t>(rank)]);
    command.push_back(llcl::RemoteCommand(job, rank));
    options.commands.push_back(std::move(command));
  }
  options.ranks = job.ranks;
  options.input = *secret + "\n";
  return absl::OkStatus();
}

// How many of the words are ours: those before the program's name, or before "--". What follows is
// the program's, whatever it looks like.
std::size_t OwnWords(const CLI::App& app, const std::vector<std::string>& words) {
  std::size_t count = 0;
  while (count < words.size() && words[count].size() > 1 && words[count][0] == '-' &&
         words[count] != "--") {
    const std::string& word = words[count++];
    const CLI::Option* const option = app.get_option_no_throw(word);
    const bool takes_next = option != nullptr && option->get_items_expected_min() > 0;
    if (takes_next && count < words.size()) ++count;
  }
  return count;
}

// One line, whatever the message is. 127, as shells: there is no such program.
int Fail(std::string_view message, int code = 2) {
  std::string line(message.data(), message.size());
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "llclrun: %s\n", line.c_str());
  return code;
}
int Fail(const absl::Status& status) {
  return Fail({status.message().data(), status.message().size()},
              absl::IsNotFound(status) ? 127 : 2);
}

}  // namespace

int main(int argc, char** argv) {
  llcl::JobOptions options;
  Remote remote;
  std::string conduit, provider;
  std::vector<std::string> variables;
  int ranks = 0, most_seconds = 0;
  CLI::App app(
      "Runs a program as several ranks, on this machine or on those of a host file; ends all when "
      "one fails.",
      "llclrun");
  app.add_option("-n,--ranks", ranks, "how many processes (1, or as many as a host file has slots)")
      ->check(CLI::Range(1, 4096));
  CLI::Option* const host_file = app.add_option("--hostfile", remote.host_file,
                                                "machines, a line each: HOST [slots=N] or HOST:N");
  app.add_option("--host", remote.hosts, "machines: HOST[:N],...")->excludes(host_file);
  app.add_option("--launcher", remote.shell,
                 "the remote shell, which is given the host and a command (ssh -o BatchMode=yes)");
  app.add_option("--port", remote.port, "where the ranks meet, on the first machine (a random one)")
      ->check(CLI::Range(1, 65535));
  app.add_option("--conduit", conduit, "how they reach each other: smp, tcp or ofi")
      ->check(CLI::IsMember({"smp", "tcp", "ofi"}));
  app.add_option("--provider", provider, "libfabric's provider for ofi");
  app.add_option("-x", variables, "NAME[=VALUE]: a variable that the ranks have; again for more")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--timeout", most_seconds, "seconds after which the job is ended, with 124")
      ->check(CLI::Range(1, 365 * 24 * 3600));
  app.add_option("--output", options.output,
                 "the file of each rank's output and errors, with its number in place of %r");
  app.add_flag("--label", options.labels_output, "begins each line of output with its rank");
  app.add_flag("--keep-going", options.keeps_going, "the others go on when one fails");
  app.footer("llclrun [OPTIONS] [--] PROGRAM [ARGUMENTS...]: what follows PROGRAM is PROGRAM's.");
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::size_t own = OwnWords(app, words);
  // CLI11 takes them from the back.
  std::vector<std::string> own_words(words.rend() - static_cast<std::ptrdiff_t>(own), words.rend());
  try {
    app.parse(std::move(own_words));
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Fail(error.what());
  }
  const bool is_separated = own < words.size() && words[own] == "--";
  options.command.assign(words.begin() + static_cast<std::ptrdiff_t>(own + (is_separated ? 1 : 0)),
                         words.end());
  if (options.command.empty()) return Fail("no program is named; see llclrun --help");
  options.ranks = ranks == 0 ? 1 : ranks;
  if (!conduit.empty()) options.environment.emplace_back("LLCL_CONDUIT", conduit);
  if (!provider.empty()) options.environment.emplace_back("LLCL_PROVIDER", provider);
  for (const std::string& word : variables) {
    const absl::Status added = AddVariable(word, options);
    if (!added.ok()) return Fail(added);
  }
  if (most_seconds > 0) options.most = std::chrono::seconds(most_seconds);
  if (!remote.host_file.empty() || !remote.hosts.empty()) {
    const absl::Status used = UseHosts(remote, ranks, options);
    if (!used.ok()) return Fail({used.message().data(), used.message().size()});
  }
  return llcl::RunGuarded([&](const sigset_t& before) {
    options.signals = before;
    const auto code = llcl::RunJob(options);
    return code.ok() ? *code : Fail(code.status());
  });
}
