#include "apps/stencil/simulated_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apps/program/flags.h"

namespace stencil {
namespace {

// More are a slip of the finger, and take minutes.
constexpr int kMostNodes = 4096, kMostThreads = 1024;

absl::StatusOr<int> ThreadsOfNode(const Flags& flags, const topo::Topology& topology) {
  // Where the paper's machine became no faster [Mid18, section 3.1].
  if (flags.threads.empty()) return flags.problem.points == 7 ? 24 : 52;
  const auto counts =
      program::ParseThreads(flags.threads, topology, program::Oversubscribe::kAllow);
  if (!counts.ok()) return counts.status();
  if (flags.threads != "all" && counts->size() == 1 && counts->front() <= kMostThreads) {
    return counts->front();
  }
  return absl::InvalidArgumentError(absl::StrCat("--threads: \"", flags.threads,
                                                 "\" is not one number from 1 to ", kMostThreads,
                                                 ", as simulated nodes need it"));
}

}  // namespace

void AddSimulatedFlags(CLI::App& app, CLI::Option& mode, SimulatedFlags& flags) {
  const auto add = [&](const char* name, auto& value, const std::string& help) {
    return app.add_option(name, value, help)->needs(&mode)->group("Simulated nodes");
  };
  const CLI::Range positive(1e-9, 1e18), not_negative(0.0, 1e9);
  add("--nodes", flags.nodes, "several with commas (default 2,4,8,16,32,64,128,180)");
  add("--nz-per-node", flags.nz_per_node, "planes of each node (default 1024)")
      ->check(CLI::Range(3, 1 << 20));
  add("--updates-per-s", flags.updates_per_s,
      "points that a node computes a second, a step at a time (default 5e9; 4e9 with 27 points)")
      ->check(positive);
  add("--blocked-gain", flags.blocked_gain,
      "as many times that where time is blocked (default 2.1; 1 with 27 points)")
      ->check(positive);
  add("--spread-percent", flags.spread_percent,
      "a step takes a node 1 + this * |N(0, 1)| times as long (default 5)")
      ->check(not_negative);
  add("--seed", flags.seed, "of that (default 1)");
  add("--latency-us", flags.latency_us, "of the network, one way (default 1)")->check(not_negative);
  add("--software-us", flags.software_us, "for each message, at each end (default 0.5)")
      ->check(not_negative);
  add("--link-gb-per-s", flags.link_gb_per_s, "of a node, each way (default 12.5)")
      ->check(positive);
  add("--copy-gb-per-s", flags.copy_gb_per_s,
      "by the thread that receives, into a page's memory (default 10)")
      ->check(positive);
  add("--fault-us", flags.fault_us, "until a fault's handler runs, and back (default 2.5)")
      ->check(not_negative);
  add("--map-us", flags.map_us, "a page (default 0.4)")->check(not_negative);
  add("--drop-us", flags.drop_us, "a page (default 0.1)")->check(not_negative);
}

absl::StatusOr<Simulated> Resolve(const CLI::App& app, const Flags& flags,
                                  const SimulatedFlags& simulated, const std::string& algorithms,
                                  std::uint64_t page_bytes, const topo::Topology& topology) {
  const auto given = [&](const char* name) { return app.count(name) > 0; };
  if (given("--nz")) {
    return absl::InvalidArgumentError(
        "--nz: simulated nodes have --nz-per-node planes each, however many they are");
  }
  if (given("--repetitions")) {
    return absl::InvalidArgumentError("--repetitions: virtual time is the same each time");
  }
  if (given("--engine")) return absl::InvalidArgumentError("--engine: simulated pages have none");
  Simulated result;
  result.problem = flags.problem;
  result.problem.nz = simulated.nz_per_node;
  if (!given("--ny")) result.problem.ny = 2048;
  if (!given("--nx")) result.problem.nx = 4096;
  result.page_bytes = given("--page-bytes") ? page_bytes : kSimulatedPageBytes;

  const bool is_all = !given("--algorithm") || algorithms == "all";
  std::vector<std::string> words =
      absl::StrSplit(is_all ? "A1,A1p,A2,A2p,A3,A3p,mpi" : algorithms, ',');
  result.passes_messages = std::erase(words, kMessagePassing) > 0;
  if (!words.empty()) {
    auto parsed = ParseAlgorithms(absl::StrJoin(words, ","));
    if (!parsed.ok()) return parsed.status();
    result.algorithms = *std::move(parsed);
  }
  for (const Algorithm& algorithm : result.algorithms) {
    const absl::Status good = CheckSimulated(result.problem, algorithm, result.page_bytes);
    if (!good.ok()) return good;
  }
  auto nodes =
      program::ParseThreads(simulated.nodes, topology, program::Oversubscribe::kAllow, "nodes");
  if (!nodes.ok()) return nodes.status();
  if (simulated.nodes == "all" || simulated.nodes.empty() || nodes->back() > kMostNodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--nodes: \"", simulated.nodes, "\" is not numbers from 1 to ", kMostNodes));
  }
  result.nodes = *std::move(nodes);

  const auto threads = ThreadsOfNode(flags, topology);
  if (!threads.ok()) return threads.status();
  const bool is_27 = flags.problem.points == 27;
  result.model = {.machine = {.threads = *threads,
                              .fault = simulated.fault_us * 1e-6,
                              .map_page = simulated.map_us * 1e-6,
                              .drop_page = simulated.drop_us * 1e-6,
                              .copy_bytes_per_second = simulated.copy_gb_per_s * 1e9,
                              .latency = simulated.latency_us * 1e-6,
                              .link_bytes_per_second = simulated.link_gb_per_s * 1e9,
                              .software = simulated.software_us * 1e-6},
                  .updates_per_s = simulated.updates_per_s.value_or(is_27 ? 4e9 : 5e9),
                  .blocked_gain = simulated.blocked_gain.value_or(is_27 ? 1 : 2.1),
                  .spread = simulated.spread_percent / 100,
                  .seed = simulated.seed};
  return result;
}

absl::StatusOr<std::vector<SimulatedRow>> SimulateAll(
    const Simulated& simulated, const std::function<void(const std::string&)>& show) {
  std::vector<SimulatedRow> rows;
  for (const int nodes : simulated.nodes) {
    for (const Algorithm& algorithm : simulated.algorithms) {
      show(absl::StrCat("stencil: ", algorithm.name, " on ", nodes, " nodes"));
      const auto row =
          Simulate(simulated.problem, algorithm, nodes, simulated.page_bytes, simulated.model);
      if (!row.ok()) return row.status();
      rows.push_back(*row);
    }
    if (!simulated.passes_messages) continue;
    rows.push_back(SimulateMessages(simulated.problem, nodes, simulated.model));
  }
  return rows;
}

}  // namespace stencil
