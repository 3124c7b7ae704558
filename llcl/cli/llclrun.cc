// llclrun: starts a job of several processes on this machine.
#include <cstdio>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "llcl/launch/processes.h"

int main(int argc, char** argv) {
  llcl::JobOptions options;
  std::string conduit, provider;
  CLI::App app("Runs a program as several ranks on this machine; ends all when one fails.",
               "llclrun");
  app.add_option("-n,--ranks", options.ranks, "how many processes")->check(CLI::Range(1, 4096));
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
  if (!conduit.empty()) options.environment.emplace_back("LLCL_CONDUIT", conduit);
  if (!provider.empty()) options.environment.emplace_back("LLCL_PROVIDER", provider);
  const auto code = llcl::RunJob(options);
  if (!code.ok()) {
    std::fprintf(stderr, "llclrun: %s\n", std::string(code.status().message()).c_str());
    return 2;
  }
  return *code;
}
