#include "apps/program/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <set>
#include <string>

namespace program {
namespace {

// More than this is a slip of the finger, and would start that many threads.
constexpr int kMostThreads = 1 << 16;

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void AddPolicyFlag(CLI::App& app, std::string& policy, const std::string& remark) {
  app.add_option("--policy", policy,
                 "none, scatter, compact, compact+, several with commas, or all" + remark);
}

void AddThreadsFlag(CLI::App& app, std::string& threads, const std::string& remark,
                    const std::string& flag) {
  app.add_option(
      flag, threads,
      "a count, several with commas, or all: 1, 2, 4, ... and every allowed PU" + remark);
}

void AddTopologyFlag(CLI::App& app, std::string& topology) {
  app.add_option("--topology", topology,
                 "a described machine, whose threads run unbound on this one");
}

void AddOutputFlags(CLI::App& app, std::string& json, std::string& svg,
                    const std::string& svg_help) {
  app.add_option("--json", json, "write the results to this file, - for standard output");
  app.add_option("--svg", svg, svg_help);
}

absl::StatusOr<std::vector<topo::Policy>> ParsePolicies(std::string_view text) {
  if (text == "all") {
    return std::vector{topo::Policy::kNone, topo::Policy::kScatter, topo::Policy::kCompact,
                       topo::Policy::kCompactPlus};
  }
  std::vector<topo::Policy> policies;
  for (const std::string_view word : SplitAtCommas(text)) {
    const absl::StatusOr<topo::Policy> policy = topo::ParsePolicy(word);
    if (!policy.ok()) return policy.status();
    if (std::find(policies.begin(), policies.end(), *policy) == policies.end()) {
      policies.push_back(*policy);
    }
  }
  return policies;
}

absl::StatusOr<std::vector<int>> ParseThreads(std::string_view text, const topo::Topology& topology,
                                              Oversubscribe oversubscribe, std::string_view what) {
  if (text.empty()) return std::vector{topology.default_threads()};
  std::set<int> counts;
  if (text == "all") {
    for (int count = 1; count < topology.allowed_pus(); count *= 2) counts.insert(count);
    counts.insert(topology.allowed_pus());
    return std::vector(counts.begin(), counts.end());
  }
  for (const std::string_view word : SplitAtCommas(text)) {
    int count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 1 ||
        count > kMostThreads) {
      return absl::InvalidArgumentError("--" + std::string(what) + ": \"" + std::string(word) +
                                        "\" is not a number from 1 to " +
                                        std::to_string(kMostThreads) + ", nor \"all\"");
    }
    if (count > topology.allowed_pus() && oversubscribe != Oversubscribe::kAllow) {
      return absl::InvalidArgumentError(
          "--" + std::string(what) + ": " + std::to_string(count) + " " + std::string(what) +
          " on " + std::to_string(topology.allowed_pus()) + " allowed PUs " +
          (oversubscribe == Oversubscribe::kNever ? "are too many" : "need --oversubscribe"));
    }
    counts.insert(count);
  }
  return std::vector(counts.begin(), counts.end());
}

absl::StatusOr<std::vector<topo::Mapping>> PlanMappings(std::string_view policies,
                                                        std::string_view threads,
                                                        const topo::Topology& topology) {
  const auto chosen = ParsePolicies(policies);
  if (!chosen.ok()) return chosen.status();
  const auto counts = ParseThreads(threads, topology, Oversubscribe::kNever);
  if (!counts.ok()) return counts.status();
  std::vector<topo::Mapping> mappings;
  for (const topo::Policy policy : *chosen) {
    for (const int count : *counts) {
      const absl::StatusOr<topo::Mapping> mapping = topo::Plan(topology, policy, count);
      if (!mapping.ok()) return mapping.status();
      mappings.push_back(topology.this_machine() ? *mapping : mapping->Unbound());
    }
  }
  return mappings;
}

}  // namespace program
