#include "llcl/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <system_error>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "llcl/version.h"

namespace llcl {
namespace {

constexpr const char* kFooter =
    "llclrun [OPTIONS] [--] PROGRAM [ARGUMENTS...] [: [-n N] PROGRAM [ARGUMENTS...]]...\n"
    "The words after PROGRAM are PROGRAM's, up to a word ':', after which another program has the "
    "next ranks.";

// The words of the options with one word.
struct Words {
  std::string conduit, provider, binding, proxy;
  std::vector<std::string> variables;
  int most_seconds = 0;
};

constexpr int kMostSeconds = 365 * 24 * 3600;

// A check of an option's word: a whole number. `noun`: of its unit.
CLI::Validator NumberFrom(int least, int most, const std::string& noun) {
  return {[=](const std::string& word) {
            int number = 0;
            const auto [end, error] =
                std::from_chars(word.data(), word.data() + word.size(), number);
            if (error == std::errc() && end == word.data() + word.size() && number >= least &&
                number <= most) {
              return std::string();
            }
            return "'" + word + "' is not a number from " + std::to_string(least) + " to " +
                   std::to_string(most) + " (" + noun + ")";
          },
          noun};
}

// How many of the words are ours: those before the program's name, or before "--". Among them
// mpiexec's -np becomes -n.
std::size_t OwnWords(const CLI::App& app, std::vector<std::string>& words) {
  std::size_t count = 0;
  while (count < words.size() && words[count].size() > 1 && words[count][0] == '-' &&
         words[count] != "--") {
    std::string& word = words[count++];
    if (word == "-np") word = "-n";
    const CLI::Option* const option = app.get_option_no_throw(word);
    const bool takes_next = option != nullptr && option->get_items_expected_min() > 0;
    if (takes_next && count < words.size()) ++count;
  }
  return count;
}

// The program of the words behind the options of `app`, which this parses.
absl::StatusOr<std::vector<std::string>> ParsePart(CLI::App& app, std::vector<std::string> words) {
  const std::size_t own = OwnWords(app, words);
  // CLI11 takes the words from the back.
  std::vector<std::string> options(words.rend() - static_cast<std::ptrdiff_t>(own), words.rend());
  try {
    app.parse(std::move(options));
  } catch (const CLI::CallForVersion&) {
    return absl::OutOfRangeError("llclrun " + std::string(kVersion) + "\n");
  } catch (const CLI::Success&) {
    return absl::OutOfRangeError(app.help());
  } catch (const CLI::ExtrasError& error) {
    return absl::InvalidArgumentError(
        std::string(error.what()) +
        "; see llclrun --help (behind a ':' there is no option but -n)");
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  const bool is_separated = own < words.size() && words[own] == "--";
  std::vector<std::string> command(
      words.begin() + static_cast<std::ptrdiff_t>(own + (is_separated ? 1 : 0)), words.end());
  if (command.empty()) {
    return absl::InvalidArgumentError("no program is named; see llclrun --help");
  }
  return command;
}

CLI::Option* AddRanks(CLI::App& app, int& ranks) {
  return app
      .add_option("-n,--ranks,--np", ranks,
                  "how many processes, also -np (1, or as many as there are slots)")
      ->check(NumberFrom(1, 4096, "processes"));
}

void AddOptions(CLI::App& app, Arguments& arguments, Words& words) {
  CLI::Option* const host_file = app.add_option("--hostfile", arguments.host_file,
                                                "machines, a line each: HOST [slots=N] or HOST:N");
  app.add_option("--host", arguments.hosts,
                 "machines: HOST[:N],...; else those that a batch system has given to the job")
      ->excludes(host_file);
  app.add_option("--launcher", arguments.shell,
                 "the remote shell, which is given the host and a command (ssh -o BatchMode=yes, "
                 "or srun in a job of Slurm's)");
  app.add_option("--remote-llclrun", arguments.remote_llclrun,
                 "llclrun's file on the other machines (the same as here)");
  app.add_option("--port", arguments.port, "where the ranks meet, on the first machine (random)")
      ->check(NumberFrom(1, 65535, "a port"));
  app.add_option("--conduit", words.conduit, "how they reach each other: smp, tcp, ofi or mixed")
      ->check(CLI::IsMember({"smp", "tcp", "ofi", "mixed"}));
  app.add_option("--provider", words.provider, "libfabric's provider for ofi");
  app.add_option("--bind", words.binding,
                 "the PUs of each rank: none (all), core (a core of its own) or numa (a NUMA node)")
      ->check(CLI::IsMember({"none", "core", "numa"}));
  app.add_option("-x", words.variables, "NAME[=VALUE]: a variable that the ranks have; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--timeout", words.most_seconds, "seconds after which the job is ended, with 124")
      ->check(NumberFrom(1, kMostSeconds, "seconds"));
  app.add_option("--kill-after", arguments.seconds_to_end,
                 "seconds that ranks have to end from SIGTERM to SIGKILL (2)")
      ->check(NumberFrom(1, kMostSeconds, "seconds"));
  app.add_option("--output", arguments.output,
                 "the file of each rank's output and errors, with its number in place of %r");
  app.add_flag("--label", arguments.labels, "begins each line of output with its rank");
  app.add_flag("--keep-going", arguments.keeps_going, "the others go on when one fails");
  // Of a proxy; written by ProxyWords.
  app.add_option("--proxy", words.proxy)->group("");
  app.add_option("--proxy-ranks", arguments.proxy.emplace().ranks_of_all)->group("");
  app.add_option("--proxy-rendezvous", arguments.proxy->rendezvous)->group("");
  app.add_option("--proxy-code", arguments.proxy->code_when_well)->group("");
  app.add_flag("--proxy-interruptible", arguments.proxy->is_interruptible)->group("");
  app.set_version_flag("--version", std::string(kVersion), "prints the version");
  app.footer(kFooter);
}

// Adds the variable of "NAME=VALUE", or of "NAME" with its value here.
absl::Status AddVariable(const std::string& word, Arguments& arguments) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  if (name.empty()) return absl::InvalidArgumentError("-x " + word + ": expected NAME[=VALUE]");
  const char* const here = std::getenv(name.c_str());
  if (equals == std::string::npos && here == nullptr) {
    return absl::InvalidArgumentError("-x " + name + ": it is not set here");
  }
  arguments.environment.emplace_back(name,
                                     equals == std::string::npos ? here : word.substr(equals + 1));
  return absl::OkStatus();
}

absl::Status TakeWords(const Words& words, Arguments& arguments) {
  if (!words.conduit.empty()) arguments.environment.emplace_back("LLCL_CONDUIT", words.conduit);
  if (!words.provider.empty()) arguments.environment.emplace_back("LLCL_PROVIDER", words.provider);
  for (const std::string& word : words.variables) {
    if (const absl::Status added = AddVariable(word, arguments); !added.ok()) return added;
  }
  if (words.most_seconds > 0) arguments.most_seconds = words.most_seconds;
  if (!words.binding.empty()) {
    const auto binding = ParseBinding(words.binding);
    if (!binding.ok()) return binding.status();
    arguments.binding = *binding;
  }
  if (words.proxy.empty()) {
    arguments.proxy.reset();
    return absl::OkStatus();
  }
  auto ranks = ParseRanks(words.proxy);
  if (!ranks.ok()) return ranks.status();
  arguments.proxy->ranks = *std::move(ranks);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (auto begin = words.begin(); true;) {
    const auto end = std::find(begin, words.end(), ":");
    const bool is_first = arguments.programs.empty();
    Words first;
    int ranks = 0;
    CLI::App app(
        "Runs a program as several ranks, on this machine or on several; ends all when one fails.",
        "llclrun");
    AddRanks(app, ranks);
    if (is_first) AddOptions(app, arguments, first);
    auto command = ParsePart(app, {begin, end});
    if (!command.ok()) return command.status();
    if (is_first) {
      if (const absl::Status taken = TakeWords(first, arguments); !taken.ok()) return taken;
    }
    arguments.programs.push_back({ranks, *std::move(command)});
    if (end == words.end()) break;
    begin = end + 1;
  }
  // Of several programs each has one rank where nothing is said.
  for (Program& program : arguments.programs) {
    if (arguments.programs.size() > 1 && program.ranks == 0) program.ranks = 1;
  }
  return arguments;
}

std::vector<std::string> ProxyWords(const Arguments& job, const ProxyPart& part) {
  std::vector<std::string> words = {"--proxy=" + FormatRanks(part.ranks),
                                    "--proxy-ranks=" + std::to_string(part.ranks_of_all),
                                    "--proxy-rendezvous=" + part.rendezvous};
  words.push_back("--proxy-code=" + std::to_string(part.code_when_well));
  if (part.is_interruptible) words.push_back("--proxy-interruptible");
  words.push_back("--kill-after=" + std::to_string(job.seconds_to_end));
  if (job.binding == Binding::kCore) words.push_back("--bind=core");
  if (job.binding == Binding::kNuma) words.push_back("--bind=numa");
  if (job.labels) words.push_back("--label");
  if (job.keeps_going) words.push_back("--keep-going");
  if (!job.output.empty()) words.push_back("--output=" + job.output);
  bool is_first = true;
  for (const Program& program : ProgramsOf(part.ranks, job.programs)) {
    if (!is_first) words.push_back(":");
    is_first = false;
    words.insert(words.end(), {"-n", std::to_string(program.ranks), "--"});
    words.insert(words.end(), program.command.begin(), program.command.end());
  }
  return words;
}

}  // namespace llcl
