#include "apps/stencil/run/simulated_flags.h"

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

absl::StatusOr<std::vector<int>> ThreadsOfNode(const Flags& flags, const topo::Topology& topology) {
  // Where the paper's machine became no faster [Mid18, section 3.1].
  if (flags.threads.empty()) return std::vector{flags.problem.points == 7 ? 24 : 52};
  auto counts = program::ParseThreads(flags.threads, topology, program::Oversubscribe::kAllow);
  if (!counts.ok()) return counts.status();
  if (flags.threads != "all" && counts->back() <= kMostThreads) return counts;
  return absl::InvalidArgumentError(absl::StrCat("--threads: \"", flags.threads,
                                                 "\" is not numbers from 1 to ", kMostThreads,
                                                 ", as simulated nodes need them"));
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
  add("--cores", flags.cores.of_socket, "of a socket, of which a node has two (default 14)")
      ->check(CLI::Range(1, 1024));
  add("--cache-mib", flags.cache_mib, "the last cache of a socket (default 35)")->check(positive);
  add("--adds-per-ns", flags.cores.adds_per_ns, "of a core (default 2.4)")->check(positive);
  add("--socket-gb-per-s", flags.cores.socket_bytes_per_ns,
      "of a socket's memory (default 61.44, of 76.8)")
      ->check(positive);
  add("--memory-ns", flags.cores.memory_ns, "until a line of memory is there (default 85)")
      ->check(positive);
  add("--lines-in-flight", flags.cores.lines_in_flight, "that a core waits for (default 10)")
      ->check(positive);
  add("--spread-percent", flags.spread_percent,
      "a node takes 1 + this * |N(0, 1)| times as long, always (default 5)")
      ->check(not_negative);
  add("--jitter-percent", flags.jitter_percent, "the same of each step of a node (default 0)")
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
  add("--stop-us", flags.stop_us,
      "for each thread of the node that computes and each page that comes by a fault, as the "
      "paper's system stops all threads (default 0: no thread is stopped)")
      ->check(not_negative);
  add("--late-percent", flags.late_percent,
      "of the stops of all threads last --late-ms longer, where a thread that is to be stopped "
      "waits for a processor (default 0)")
      ->check(CLI::Range(0.0, 100.0));
  add("--late-ms", flags.late_ms,
      "(default 24: in which Linux lets threads of a processor take turns)")
      ->check(not_negative);
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

  auto threads = ThreadsOfNode(flags, topology);
  if (!threads.ok()) return threads.status();
  result.threads = *std::move(threads);
  result.model = {.machine = {.fault = simulated.fault_us * 1e-6,
                              .map_page = simulated.map_us * 1e-6,
                              .drop_page = simulated.drop_us * 1e-6,
                              .copy_bytes_per_second = simulated.copy_gb_per_s * 1e9,
                              .latency = simulated.latency_us * 1e-6,
                              .link_bytes_per_second = simulated.link_gb_per_s * 1e9,
                              .software = simulated.software_us * 1e-6,
                              .stop_thread = simulated.stop_us * 1e-6},
                  .cores = simulated.cores,
                  .spread = simulated.spread_percent / 100,
                  .jitter = simulated.jitter_percent / 100,
                  .late_share = simulated.late_percent / 100,
                  .late = simulated.late_ms * 1e-3,
                  .seed = simulated.seed};
  result.model.cores.cache_bytes = simulated.cache_mib * (1 << 20);
  return result;
}

absl::StatusOr<std::vector<SimulatedRow>> SimulateAll(
    const Simulated& simulated, const std::function<void(const std::string&)>& show) {
  std::vector<SimulatedRow> rows;
  const auto add = [&](absl::StatusOr<SimulatedRow> row) {
    if (row.ok()) rows.push_back(*std::move(row));
    return row.status();
  };
  NodeModel model = simulated.model;
  for (const int threads : simulated.threads) {
    model.machine.threads = threads;
    for (const int nodes : simulated.nodes) {
      for (const Algorithm& algorithm : simulated.algorithms) {
        show(absl::StrCat("stencil: ", algorithm.name, " on ", nodes, " nodes"));
        const absl::Status added =
            add(Simulate(simulated.problem, algorithm, nodes, simulated.page_bytes, model));
        if (!added.ok()) return added;
      }
      if (!simulated.passes_messages) continue;
      const absl::Status added = add(SimulateMessages(simulated.problem, nodes, model));
      if (!added.ok()) return added;
    }
  }
  return rows;
}

}  // namespace stencil
