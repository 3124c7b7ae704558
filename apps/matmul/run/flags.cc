#include "apps/matmul/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>

#include "absl/strings/str_join.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"

namespace matmul {
namespace {

constexpr int kMostCandidates = 1 << 16;
constexpr program::Words<Figure> kFigures = {{Figure::kSpeed, "speed"},
                                             {Figure::kSteals, "steals"}};

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

absl::StatusOr<std::vector<Variant>> ParseVariants(std::string_view text) {
  std::vector<Variant> variants;
  if (text == "all") {
    for (const auto& word : kVariants.all()) variants.push_back(word.value);
    return variants;
  }
  for (const std::string_view word : SplitAtCommas(text)) {
    const auto found = kVariants.Parse("--variant", word);
    if (!found.ok()) {
      return absl::InvalidArgumentError("--variant: \"" + std::string(word) + "\" is none of " +
                                        absl::StrJoin(kVariants.Texts(), ", ") + ", all");
    }
    if (std::find(variants.begin(), variants.end(), *found) == variants.end()) {
      variants.push_back(*found);
    }
  }
  return variants;
}

// The value that the word stands for, into `value`.
template <typename Enum>
absl::Status Take(const program::Words<Enum>& words, std::string_view flag, std::string_view text,
                  Enum& value) {
  const auto parsed = words.Parse(flag, text);
  if (parsed.ok()) value = *parsed;
  return parsed.status();
}

absl::StatusOr<std::vector<int>> ParseCandidates(std::string_view text) {
  std::vector<int> candidates;
  for (const std::string_view word : SplitAtCommas(text)) {
    int count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 1 ||
        count > kMostCandidates) {
      return absl::InvalidArgumentError("--candidates: \"" + std::string(word) +
                                        "\" is not a number from 1 to " +
                                        std::to_string(kMostCandidates));
    }
    if (std::find(candidates.begin(), candidates.end(), count) == candidates.end()) {
      candidates.push_back(count);
    }
  }
  return candidates;
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  Options& options = flags.options;
  app.add_option("--n", options.n, "rows and columns, a multiple of 32 (default 768)");
  app.add_option("--variant", flags.variants,
                 "original, cutoff, ideal, depth, limit, several with commas, or all (default)");
  app.add_option("--policy", flags.policy,
                 "whom idle workers rob in original and cutoff (default random)")
      ->check(CLI::IsMember({"random", "depth"}));
  app.add_option("--candidates", flags.candidates,
                 "how many victims depth looks at, several with commas (default 2,4,8,16,32)");
  app.add_option("--peeks", flags.peeks,
                 "the depth that a thief sees: fresh, or remembered until the victim's queue is "
                 "empty, as MassiveThreads has it (default fresh)")
      ->check(CLI::IsMember(kPeeks.Texts()));
  app.add_option("--matrices", flags.matrices,
                 "where simulated workers have them: one-node, that of the thread which filled "
                 "them, or first-touch (default one-node)")
      ->check(CLI::IsMember(kHomes.Texts()));
  program::AddThreadsFlag(
      app, flags.workers,
      " (default: what the machine does at once; simulated: up to the paper's 32)", "--workers");
  app.add_flag("--oversubscribe", flags.oversubscribe, "allow more real workers than PUs");
  app.add_option("--mode", flags.mode, "real or simulated workers (default real)")
      ->check(CLI::IsMember(kModes.Texts()));
  app.add_option("--seed", options.seed, "of the workers' random numbers and of the matrices");
  app.add_option("--repetitions", flags.repetitions,
                 "products of each variant (default 20 after one that is not counted; simulated 3)")
      ->check(CLI::Range(1, 100'000));
  program::AddOutputFlags(app, flags.json, flags.svg);
  app.add_option("--figure", flags.figure,
                 "what to draw: speed by workers, or steals by depth (default speed)")
      ->check(CLI::IsMember(kFigures.Texts()));
}

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  const int n = flags.options.n;
  if (n < sgemm::kLeaf || n > kLargestN || n % sgemm::kLeaf != 0) {
    return absl::InvalidArgumentError("--n=" + std::to_string(n) + " is not a multiple of " +
                                      std::to_string(sgemm::kLeaf) + " up to " +
                                      std::to_string(kLargestN));
  }
  auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  Resolved resolved{*topology, {}, Figure::kSpeed, flags.options};
  absl::Status status = Take(kFigures, "--figure", flags.figure, resolved.figure);
  status.Update(Take(kModes, "--mode", flags.mode, resolved.options.mode));
  status.Update(Take(kVictims, "--policy", flags.policy, resolved.options.victims));
  status.Update(Take(kPeeks, "--peeks", flags.peeks, resolved.options.peeks));
  status.Update(Take(kHomes, "--matrices", flags.matrices, resolved.options.home));
  if (!status.ok()) return status;
  if (flags.matrices != "one-node" && resolved.options.mode != Mode::kSimulated) {
    return absl::InvalidArgumentError("--matrices=" + flags.matrices +
                                      " is of simulated workers: --mode=simulated");
  }
  auto variants = ParseVariants(flags.variants);
  if (!variants.ok()) return variants.status();
  resolved.options.variants = *std::move(variants);
  auto candidates = ParseCandidates(flags.candidates);
  if (!candidates.ok()) return candidates.status();
  resolved.options.candidates = *std::move(candidates);
  // Simulated workers need no PUs.
  const bool simulated = resolved.options.mode == Mode::kSimulated;
  resolved.options.repetitions = flags.repetitions.value_or(simulated ? 3 : 20);
  const bool any_count = flags.oversubscribe || simulated;
  auto workers = program::ParseThreads(
      simulated && flags.workers.empty() ? "1,2,4,8,16,20,24,28,32" : flags.workers, *topology,
      any_count ? program::Oversubscribe::kAllow : program::Oversubscribe::kRefuse, "workers");
  if (!workers.ok()) return workers.status();
  resolved.workers = *std::move(workers);
  if (resolved.options.variants == std::vector{Variant::kLimit} &&
      (simulated || resolved.workers.front() != 1)) {
    return absl::InvalidArgumentError("--variant=limit: needs --workers=1 and real workers");
  }
  return resolved;
}

}  // namespace matmul
