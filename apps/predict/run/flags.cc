#include "apps/predict/run/flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/status/status.h"
#include "apps/predict/machine/known_machines.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"
#include "apps/stream/arrays/where.h"
#include "apps/stream/kernels/kernel.h"

namespace predict {
namespace {

constexpr const char* kStream = "Of stream";
constexpr const char* kBfs = "Of bfs";
constexpr const char* kSimpath = "Of simpath";
constexpr const char* kElements = "Of elements";

const CLI::Range kAmount(0.0, 1e12);
const CLI::Range kCount(1.0, 1e12);

constexpr program::Words<Team> kTeams = {{Team::kEachLoop, "each-loop"}, {Team::kKept, "kept"}};

std::string GroupOf(Program program) { return "Of " + std::string(ToString(program)); }

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  Questions& questions = flags.questions;
  app.add_option("--program", flags.program,
                 "Triad, the search, the edge-based count, or the elements of the Schur "
                 "complement's matrix (default stream)")
      ->check(CLI::IsMember(kPrograms.Texts()));
  app.add_option("--machine", flags.machine,
                 "4x-e5-4640 or 4x-e7-4870, four packages each (default 4x-e5-4640)");
  program::AddPolicyFlag(app, flags.policy, " (default all)");
  program::AddThreadsFlag(app, flags.threads, " (default all)");
  app.add_option("--seed", questions.seed,
                 "of where the operating system puts threads that nothing binds (default 1)");
  program::AddOutputFlags(app, flags.json, flags.svg,
                          "draw the rate by policy and threads into this file");

  app.add_option("--placement", flags.placement,
                 "where the arrays lie: " + stream::kPlacements.List() + " (default local)")
      ->check(CLI::IsMember(stream::kPlacements.Texts()))
      ->group(kStream);
  app.add_option("--store", flags.store, stream::kStores.List() + " stores (default ordinary)")
      ->check(CLI::IsMember(stream::kStores.Texts()))
      ->group(kStream);
  app.add_option("--elements", questions.stream.elements, "doubles an array (default 2^27)")
      ->check(kCount)
      ->group(kStream);

  app.add_option("--scale", questions.scale, "a graph of 2^scale vertices (default 26)")
      ->check(CLI::Range(1, 40))
      ->group(kBfs);
  app.add_option("--counted-scale", questions.counted_scale,
                 "of the graph whose levels are counted and scaled up (default 18)")
      ->check(CLI::Range(1, 24))
      ->group(kBfs);
  app.add_option("--edge-ns", questions.search.edge_ns,
                 "assumed to follow an edge, all bits near (default 1.5)")
      ->check(kAmount)
      ->group(kBfs);
  app.add_option("--chains", questions.search.chains,
                 "of so many vertices a thread fetches the neighbors at once (default 3.5)")
      ->check(CLI::Range(1.0, 1e3))
      ->group(kBfs);

  app.add_option("--grid", questions.grid, "of n x n cells, whose states are counted (default 12)")
      ->check(CLI::Range(1, 16))
      ->group(kSimpath);
  app.add_option("--memory-lines", questions.states.memory_lines,
                 "assumed to be fetched for a state, one after the other (default 7.5)")
      ->check(kAmount)
      ->group(kSimpath);
  app.add_option("--queue-lines", questions.states.queue_lines,
                 "assumed to go from thread to thread with a state (default 6)")
      ->check(kAmount)
      ->group(kSimpath);
  app.add_option("--balanced", questions.balanced,
                 "so often the operating system has moved one of two threads that share a PU, "
                 "where nothing binds them (default 100)")
      ->check(CLI::Range(0, 1000))
      ->group(kSimpath);

  app.add_option("--blocks", questions.elements.blocks, "of the problem (default 4968)")
      ->check(kCount)
      ->group(kElements);
  app.add_option("--block-constraints", questions.elements.constraints,
                 "that have a matrix in a block (default 12)")
      ->check(kCount)
      ->group(kElements);
  app.add_option("--pair-ns", questions.elements.costs.pair_ns,
                 "assumed for an element of two such matrices, all data near (default 40)")
      ->check(kAmount)
      ->group(kElements);
  app.add_option("--team", flags.team,
                 "threads are created for each-loop, or kept (default each-loop)")
      ->check(CLI::IsMember(kTeams.Texts()))
      ->group(kElements);
}

absl::StatusOr<Resolved> Resolve(const CLI::App& app, const Flags& flags) {
  Questions questions = flags.questions;
  const auto program = kPrograms.Parse("--program", flags.program);
  if (!program.ok()) return program.status();
  questions.program = *program;
  for (const CLI::Option* const option : app.get_options()) {
    const std::string& group = option->get_group();
    if (option->count() > 0 && group.starts_with("Of ") && group != GroupOf(questions.program)) {
      return absl::InvalidArgumentError("--" + option->get_lnames().front() +
                                        " means nothing to --program=" + flags.program);
    }
  }
  if (questions.counted_scale > questions.scale) {
    return absl::InvalidArgumentError("--counted-scale=" + std::to_string(questions.counted_scale) +
                                      " is above --scale=" + std::to_string(questions.scale));
  }
  const auto where = stream::kPlacements.Parse("--placement", flags.placement);
  if (!where.ok()) return where.status();
  questions.stream.where = *where;
  const auto store = stream::kStores.Parse("--store", flags.store);
  if (!store.ok()) return store.status();
  questions.stream.store = *store;
  const auto team = kTeams.Parse("--team", flags.team);
  if (!team.ok()) return team.status();
  questions.elements.team = *team;
  auto machine = KnownMachine(flags.machine);
  if (!machine.ok()) {
    return absl::InvalidArgumentError("--machine: " + std::string(machine.status().message()));
  }
  const auto policies = program::ParsePolicies(flags.policy);
  if (!policies.ok()) return policies.status();
  const auto threads =
      program::ParseThreads(flags.threads, machine->topology(), program::Oversubscribe::kNever);
  if (!threads.ok()) return threads.status();
  Resolved resolved{*std::move(machine), {}, questions};
  for (const topo::Policy policy : *policies) {
    for (const int count : *threads) {
      auto mapping = topo::Plan(resolved.machine.topology(), policy, count);
      if (!mapping.ok()) return mapping.status();
      resolved.mappings.push_back(*std::move(mapping));
    }
  }
  return resolved;
}

}  // namespace predict
