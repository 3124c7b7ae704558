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
constexpr int kMostRanks = 64;
constexpr std::uint64_t kMostCollectiveBytes = 8 << 20;
constexpr std::size_t kMostLines = 8;  // that a plot tells apart
constexpr program::Words<Figure> kFigures = {{Figure::kLatency, "latency"},
                                             {Figure::kOverhead, "overhead"},
                                             {Figure::kRate, "rate"},
                                             {Figure::kCollectives, "collectives"}};
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

// `unit`: of which each is a multiple.
absl::StatusOr<std::vector<std::uint64_t>> ParseBytes(std::string_view flag, std::string_view text,
                                                      std::uint64_t unit, std::uint64_t most) {
  std::vector<std::uint64_t> all;
  for (const std::string_view word : SplitAtCommas(text)) {
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
    if (error != std::errc() || end != word.data() + word.size() || bytes < 1 || bytes > most ||
        bytes % unit != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(flag), ": \"", std::string(word), "\" is not a ",
          unit == 1 ? "number" : absl::StrCat("multiple of ", unit), " from ", unit, " to ", most));
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
    const auto add = [&](Offload offload, Way way) {
      for (const std::uint64_t bytes : sizes) {
        for (const int count : threads) {
          const Point point = {network, offload, count, bytes, way};
          if (Exists(point)) points.push_back(point);
        }
      }
    };
    const bool is_mixed = network == Network::kMixed;
    if (network == Network::kSmp || is_mixed) {
      add(Offload::kInPlace, is_mixed ? Way::kInside : Way::kAny);
    }
    for (const Offload offload : offloads) {
      if (network != Network::kSmp) add(offload, is_mixed ? Way::kBeyond : Way::kAny);
    }
  }
  return points;
}

absl::StatusOr<std::vector<CollectivePoint>> CollectivesOf(const Flags& flags,
                                                           const std::vector<Network>& networks) {
  std::vector<CollectivePoint> points;
  const auto sizes =
      ParseBytes("--collective-bytes", flags.collective_bytes, 8, kMostCollectiveBytes);
  if (!sizes.ok()) return sizes.status();
  if (flags.collectives == "none") return points;
  const auto named =
      ParseNames<Collective>("--collectives", flags.collectives,
                             {Collective::kBarrier, Collective::kBroadcast, Collective::kAllgather,
                              Collective::kAllreduce, Collective::kAlltoall});
  if (!named.ok()) return named.status();
  for (const Network network : networks) {
    for (const Collective collective : *named) {
      if (collective == Collective::kBarrier) {
        points.push_back({network, collective, 0});
        continue;
      }
      for (const std::uint64_t bytes : *sizes) points.push_back({network, collective, bytes});
    }
  }
  return points;
}

// Of the plot that is asked for.
std::size_t LinesOf(const Resolved& resolved) {
  std::vector<std::string> series;
  const auto add = [&](const std::string& name) {
    if (series.empty() || series.back() != name) series.push_back(name);
  };
  if (resolved.figure == Figure::kCollectives) {
    for (const CollectivePoint& point : resolved.collectives) add(SeriesOf(point));
  } else {
    for (const Point& point : resolved.points) add(SeriesOf(point));
  }
  return series.size();
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--mode", flags.mode,
                 "real ranks, or two nodes of the paper's in virtual time (default real)")
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
                 "what to draw, by threads or by size: " + kFigures.List() + " (default latency)")
      ->check(CLI::IsMember(kFigures.Texts()));

  app.add_option("--conduit", flags.conduit,
                 "smp, tcp, ofi, mixed, several with commas, or all (default smp,tcp,ofi)")
      ->group(kReal);
  app.add_option("--ranks", flags.ranks,
                 "that the program starts (default 2; with mixed 4, on two hosts that it makes of "
                 "this machine)")
      ->check(CLI::Range(2, kMostRanks))
      ->group(kReal);
  app.add_option(
         "--collectives", flags.collectives,
         "of all ranks, by size: barrier, broadcast, allgather, allreduce, alltoall, several "
         "with commas, all, or none (default)")
      ->group(kReal);
  app.add_option("--collective-bytes", flags.collective_bytes,
                 "of a rank's block, multiples of 8 with commas (default 8,64,512,4096,32768,"
                 "262144,2097152,8388608)")
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
                                {Network::kSmp, Network::kTcp, Network::kOfi, Network::kMixed});
  if (!networks.ok()) return networks.status();
  std::vector<Offload> modes = {Offload::kDirect, Offload::kOffload, Offload::kHybrid};
  if (resolved.simulated) modes.pop_back();
  const auto offloads = ParseNames<Offload>("--offload", flags.offload, modes);
  if (!offloads.ok()) return offloads.status();
  const auto sizes = ParseBytes("--bytes", flags.bytes, 1, kMostBytes);
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
  resolved.ranks = flags.ranks;
  if (resolved.ranks == 0) {
    const bool has_mixed =
        std::find(networks->begin(), networks->end(), Network::kMixed) != networks->end();
    resolved.ranks = has_mixed ? kRanksOfMixed : 2;
  }
  if (!resolved.simulated) {
    const auto collectives = CollectivesOf(flags, *networks);
    if (!collectives.ok()) return collectives.status();
    resolved.collectives = *collectives;
  }
  const auto figure = kFigures.Parse("--figure", flags.figure);
  if (!figure.ok()) return figure.status();
  resolved.figure = *figure;
  if (resolved.figure == Figure::kCollectives && resolved.collectives.empty()) {
    return absl::InvalidArgumentError("--figure=collectives: there are none: name --collectives");
  }
  const std::size_t lines = LinesOf(resolved);
  if (!flags.svg.empty() && lines > kMostLines) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--svg: ", lines, " lines, but a plot tells ", kMostLines, " apart; name fewer ",
        resolved.figure == Figure::kCollectives ? "--collectives or --conduit"
                                                : "--bytes or --offload"));
  }
  resolved.repetitions = flags.repetitions;
  resolved.each = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(flags.seconds));
  return resolved;
}

}  // namespace rma
