#include "apps/rma/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"

namespace rma {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr int kMostThreads = 256;
constexpr std::size_t kMostLines = 8;  // that a plot tells apart
constexpr program::Words<Figure> kFigures = {
    {Figure::kLatency, "latency"}, {Figure::kOverhead, "overhead"}, {Figure::kRate, "rate"}};
constexpr const char* kReal = "Of real ranks";
constexpr const char* kSimulated = "Of simulated ones";

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Some of `all`, each once, by their names.
template <typename Enum>
absl::StatusOr<std::vector<Enum>> ParseNames(std::string_view flag, std::string_view text,
                                             const std::vector<Enum>& all) {
  if (text == "all") return all;
  std::vector<Enum> named;
  for (const std::string_view word : SplitAtCommas(text)) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](Enum one) { return ToString(one) == word; });
    if (found == all.end()) {
      std::string names;
      for (const Enum one : all) names += std::string(ToString(one)) + ", ";
      return absl::InvalidArgumentError(std::string(flag) + ": \"" + std::string(word) +
                                        "\" is none of " + names + "all");
    }
    if (std::find(named.begin(), named.end(), *found) == named.end()) named.push_back(*found);
  }
  return named;
}

absl::StatusOr<std::vector<std::uint64_t>> ParseBytes(std::string_view text) {
  std::vector<std::uint64_t> all;
  for (const std::string_view word : SplitAtCommas(text)) {
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
    if (error != std::errc() || end != word.data() + word.size() || bytes < 1 ||
        bytes > kMostBytes) {
      return absl::InvalidArgumentError(absl::StrCat("--bytes: \"", std::string(word),
                                                     "\" is not a number from 1 to ", kMostBytes));
    }
    if (std::find(all.begin(), all.end(), bytes) == all.end()) all.push_back(bytes);
  }
  return all;
}

// Shared memory is one series whatever the mode. Tofu's own functions may be called by one thread.
bool Exists(const Point& point) {
  return point.network != Network::kTofu || point.offload == Offload::kOffload ||
         point.threads == 1;
}

std::vector<Point> PointsOf(const std::vector<Network>& networks,
                            const std::vector<Offload>& offloads,
                            const std::vector<std::uint64_t>& sizes,
                            const std::vector<int>& threads) {
  std::vector<Point> points;
  for (const Network network : networks) {
    const std::vector<Offload> in_place = {Offload::kInPlace};
    for (const Offload offload : network == Network::kSmp ? in_place : offloads) {
      for (const std::uint64_t bytes : sizes) {
        for (const int count : threads) {
          const Point point = {network, offload, count, bytes};
          if (Exists(point)) points.push_back(point);
        }
      }
    }
  }
  return points;
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--mode", flags.mode,
                 "two real ranks, or two nodes of the paper's in virtual time (default real)")
      ->check(CLI::IsMember({"real", "simulated"}));
  app.add_option("--offload", flags.offload,
                 "direct, offload, hybrid, several with commas, or all (default); of simulated "
                 "ones direct and offload");
  program::AddThreadsFlag(app, flags.threads,
                          "; more than PUs take turns (default 1,2,4,8; simulated "
                          "1,2,4,6,8,12,15,20)");
  app.add_option("--bytes", flags.bytes, "of a read, several with commas (default 8,2048)");
  program::AddOutputFlags(app, flags.json, flags.svg);
  app.add_option("--figure", flags.figure,
                 "what to draw by threads: " + kFigures.List() + " (default latency)")
      ->check(CLI::IsMember(kFigures.Texts()));

  app.add_option("--conduit", flags.conduit, "smp, tcp, ofi, several with commas, or all (default)")
      ->group(kReal);
  app.add_option("--provider", flags.provider, "libfabric's, of ofi (default tcp;ofi_rxm)")
      ->group(kReal);
  app.add_option("--repetitions", flags.repetitions,
                 "of each measurement, in which all take turns; from 6 on the median has a 95 % "
                 "confidence interval (default 9; the paper's 32)")
      ->check(CLI::Range(1, 1000))
      ->group(kReal);
  app.add_option("--seconds", flags.seconds,
                 "of each listing in each repetition (default 0.05; the paper's 5)")
      ->check(CLI::Range(0.001, 60.0))
      ->group(kReal);
  app.add_option("--network", flags.network,
                 "tofu, infiniband, both with a comma, or all (default)")
      ->group(kSimulated);
}

absl::StatusOr<Resolved> Resolve(const CLI::App& app, const Flags& flags) {
  auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  Resolved resolved{
      .topology = *std::move(topology), .simulated = flags.mode == "simulated", .points = {}};
  for (const CLI::Option* const option : app.get_options()) {
    const std::string& group = option->get_group();
    if (option->count() > 0 && group == (resolved.simulated ? kReal : kSimulated)) {
      return absl::InvalidArgumentError("--" + option->get_lnames().front() +
                                        " means nothing to --mode=" + flags.mode);
    }
  }
  const auto networks =
      resolved.simulated
          ? ParseNames<Network>("--network", flags.network, {Network::kTofu, Network::kInfiniband})
          : ParseNames<Network>("--conduit", flags.conduit,
                                {Network::kSmp, Network::kTcp, Network::kOfi});
  if (!networks.ok()) return networks.status();
  std::vector<Offload> modes = {Offload::kDirect, Offload::kOffload, Offload::kHybrid};
  if (resolved.simulated) modes.pop_back();
  const auto offloads = ParseNames<Offload>("--offload", flags.offload, modes);
  if (!offloads.ok()) return offloads.status();
  const auto sizes = ParseBytes(flags.bytes);
  if (!sizes.ok()) return sizes.status();
  std::string counts = flags.threads;
  if (counts.empty()) counts = resolved.simulated ? "1,2,4,6,8,12,15,20" : "1,2,4,8";
  const auto threads =
      program::ParseThreads(counts, resolved.topology, program::Oversubscribe::kAllow);
  if (!threads.ok()) return threads.status();
  if (threads->back() > kMostThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads=", threads->back(), " is above ", kMostThreads));
  }
  resolved.points = PointsOf(*networks, *offloads, *sizes, *threads);
  if (resolved.points.empty()) {
    return absl::InvalidArgumentError(
        "--offload=direct: Tofu's functions may be called by one thread: --threads=1");
  }
  std::vector<std::string> series;
  for (const Point& point : resolved.points) {
    if (series.empty() || series.back() != SeriesOf(point)) series.push_back(SeriesOf(point));
  }
  if (!flags.svg.empty() && series.size() > kMostLines) {
    return absl::InvalidArgumentError(absl::StrCat("--svg: ", series.size(),
                                                   " lines, but a plot tells ", kMostLines,
                                                   " apart; name fewer --bytes or --offload"));
  }
  resolved.repetitions = flags.repetitions;
  resolved.each = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(flags.seconds));
  const auto figure = kFigures.Parse("--figure", flags.figure);
  if (!figure.ok()) return figure.status();
  resolved.figure = *figure;
  return resolved;
}

}  // namespace rma
