// llclrun: starts a job of several processes on this machine, or on those of a host file.
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "llcl/launch/hosts.h"
#include "llcl/launch/processes.h"
#include "llcl/launch/secret.h"

namespace {

// How a job gets to other machines.
struct Remote {
  std::string host_file;
  std::string shell = "ssh -o BatchMode=yes";
  int port = 0;
};

// Variables of ours that the ranks of a host file have, too.
std::vector<std::pair<std::string, std::string>> Forwarded() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const std::string name = text.substr(0, text.find('='));
    for (const char* const prefix : {"LLCL_", "SMS_", "OMP_"}) {
      if (name.rfind(prefix, 0) == 0) variables.emplace_back(name, text.substr(name.size() + 1));
    }
  }
  // Of another job.
  std::erase_if(variables, [](const auto& variable) {
    for (const char* const ours : {"LLCL_RENDEZVOUS", "LLCL_SECRET", "LLCL_RANK", "LLCL_SIZE"}) {
      if (variable.first == ours) return true;
    }
    return false;
  });
  return variables;
}

// The command of each rank is then a remote shell's. `ranks`: zero for all slots.
absl::Status UseHosts(const Remote& remote, int ranks, llcl::JobOptions& options) {
  std::ifstream stream(remote.host_file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    return absl::NotFoundError(remote.host_file + ": cannot be read");
  }
  const auto hosts = llcl::ParseHostFile(text.str(), remote.host_file);
  if (!hosts.ok()) return hosts.status();
  const auto host_of = llcl::AssignRanks(*hosts, ranks);
  if (!host_of.ok()) return host_of.status();
  const auto secret = llcl::RandomName(16);
  if (!secret.ok()) return secret.status();
  // Whoever listens there already cannot know the secret, so a port that is taken is told.
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

}  // namespace

int main(int argc, char** argv) {
  llcl::JobOptions options;
  Remote remote;
  std::string conduit, provider;
  int ranks = 0;
  CLI::App app(
      "Runs a program as several ranks, on this machine or on those of a host file; ends all when "
      "one fails.",
      "llclrun");
  app.add_option("-n,--ranks", ranks, "how many processes (1, or as many as a host file has slots)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--hostfile", remote.host_file, "machines, a line each: HOST [slots=N]");
  app.add_option("--launcher", remote.shell,
                 "the remote shell, which is given the host and a command (ssh -o BatchMode=yes)");
  app.add_option("--port", remote.port, "where the ranks meet, on the first machine (a random one)")
      ->check(CLI::Range(1, 65535));
  app.add_option("--conduit", conduit, "how they reach each other: smp or ofi")
      ->check(CLI::IsMember({"smp", "ofi"}));
  app.add_option("--provider", provider, "libfabric's provider for ofi");
  app.add_flag("--label", options.labels_output, "begins each line of output with its rank");
  app.add_flag("--keep-going", options.keeps_going, "the others go on when one fails");
  app.add_option("program", options.command, "the program and its arguments")->required();
  app.prefix_command();
  app.positionals_at_end();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::vector<std::string> rest = app.remaining();
  options.command.insert(options.command.end(), rest.begin(), rest.end());
  options.ranks = ranks == 0 ? 1 : ranks;
  if (!conduit.empty()) options.environment.emplace_back("LLCL_CONDUIT", conduit);
  if (!provider.empty()) options.environment.emplace_back("LLCL_PROVIDER", provider);
  const auto fail = [](const absl::Status& status) {
    std::fprintf(stderr, "llclrun: %s\n", std::string(status.message()).c_str());
    return 2;
  };
  if (!remote.host_file.empty()) {
    if (const absl::Status used = UseHosts(remote, ranks, options); !used.ok()) return fail(used);
  }
  const auto code = llcl::RunJob(options);
  return code.ok() ? *code : fail(code.status());
}
