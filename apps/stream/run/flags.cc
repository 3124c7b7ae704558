#include "apps/stream/run/flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_join.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"
#include "apps/stream/arrays/size.h"
#include "apps/stream/kernels/validate.h"

namespace stream {
namespace {

// A flag whose values are words.
template <typename Enum>
void AddWords(CLI::App& app, const std::string& flag, Enum& value, const std::string& help,
              const program::Words<Enum>& words) {
  const std::string listed = absl::StrJoin(words.Texts(), "|");
  app.add_option_function<std::string>(
         flag, [&value, flag, words](const std::string& word) { value = *words.Parse(flag, word); },
         help + " (default " + std::string(words.Print(value)) + ")")
      ->type_name(listed)
      ->check([flag, words, listed](const std::string& word) {
        return words.Parse(flag, word).ok() ? std::string()
                                            : "\"" + word + "\" is none of " + listed;
      });
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  Options& options = flags.options;
  program::AddPolicyFlag(app, flags.policy, " (default scatter)");
  program::AddThreadsFlag(app, flags.threads);
  app.add_flag("--oversubscribe", flags.oversubscribe, "allow more threads than PUs");
  AddWords(app, "--placement", options.where, "where the arrays of the tuned rows lie",
           kPlacements);
  AddWords(app, "--pages", options.pages, "pages of the tuned rows", kPages);
  AddWords(app, "--kernel", options.choice, "code of the tuned rows", kChoices);
  AddWords(app, "--runtime", options.runtime, "who brings the threads", kRuntimes);
  app.add_option("--elements", flags.elements,
                 "doubles an array (default 2^27, as the paper; less where memory is short)");
  app.add_option("--repetitions", options.repetitions,
                 "runs of each kernel, the first of which is not counted (default 10)")
      ->check(CLI::Range(2, kMostRepetitions));
  app.add_flag("--verify-placement", flags.verify_placement,
               "report where threads and pages really are");
  app.add_option("--topology", flags.topology, "this program measures the machine it runs on only");
  program::AddOutputFlags(app, flags.json, flags.svg,
                          "draw Triad by threads and policy into this file");
}

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  if (!flags.topology.empty()) {
    return absl::InvalidArgumentError("--topology=" + flags.topology +
                                      ": a machine that is only described has no memory to "
                                      "measure; run this program on it");
  }
  absl::StatusOr<topo::Topology> topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto policies = program::ParsePolicies(flags.policy);
  if (!policies.ok()) return policies.status();
  const auto threads = program::ParseThreads(
      flags.threads, *topology,
      flags.oversubscribe ? program::Oversubscribe::kAllow : program::Oversubscribe::kRefuse);
  if (!threads.ok()) return threads.status();

  Resolved resolved{*topology, {}, flags.options, ""};
  if (flags.verify_placement) {
    resolved.options.verify_placement = Options::VerifyPlacement::kYes;
  }
  topo::PlanOptions plan;
  if (flags.oversubscribe) plan.oversubscribe = topo::PlanOptions::Oversubscribe::kAllow;
  for (const topo::Policy policy : *policies) {
    for (const int count : *threads) {
      auto mapping = topo::Plan(*topology, policy, count, plan);
      if (!mapping.ok()) return mapping.status();
      resolved.mappings.push_back(*std::move(mapping));
    }
  }
  const auto size = ChooseSize(
      flags.elements, Rooms(*topology, resolved.mappings, resolved.options.where), threads->back());
  if (!size.ok()) return size.status();
  resolved.options.elements = size->elements;
  resolved.note = size->note;
  return resolved;
}

}  // namespace stream
