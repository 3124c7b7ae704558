// An aggregator's beginning: its buffers, and the other ranks' buffers.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/aggregator_core.h"
#include "llcl/blocking.h"
#include "llcl/system/option_range.h"

namespace llcl {
namespace {

// Records may be of any type: up to this alignment.
constexpr std::size_t kLine = 64;

std::size_t RoundedUp(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

std::vector<Rank> MembersOf(const Team& team) {
  std::vector<Rank> members;
  for (int rank = 0; rank < team.size(); ++rank) members.push_back(team.member(rank));
  return members;
}

absl::Status CheckOptions(const AggregatorOptions& options, const RecordLayout& layout) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  absl::Status status = InRange("bytes", options.bytes, layout.entry_bytes, kMost);
  status.Update(InRange("timeout in milliseconds", options.timeout.count(), Timeout::rep{0},
                        Timeout::max().count()));
  status.Update(InRange("routes", static_cast<int>(options.routes), 0, 2));
  return status;
}

}  // namespace

AggregatorCore::AggregatorCore(Endpoint& endpoint, Team& team, const RecordLayout& layout,
                               HandleBytes handle, const AggregatorOptions& options)
    : endpoint_(endpoint),
      aggregators_(endpoint.aggregators_),
      team_(team, MembersOf(team)),
      layout_(layout),
      handle_(std::move(handle)),
      options_(options),
      router_(team_.size(), options.routes),
      neighbors_(router_.NeighborsOf(team_.rank())),
      arrivals_(neighbors_.size() * static_cast<std::size_t>(router_.hops()) * Lane::kBuffers) {
  for (std::size_t place = 0; place < neighbors_.size(); ++place) {
    places_.emplace(team_.member(neighbors_[place]), place);
  }
}

absl::StatusOr<std::shared_ptr<AggregatorCore>> AggregatorCore::Make(
    Endpoint& endpoint, Team& team, const RecordLayout& layout, HandleBytes handle,
    const AggregatorOptions& options) {
  if (team.rank() < 0) return absl::InvalidArgumentError("this rank is no member of the team");
  AggregatorOptions used = options;
  used.bytes = RoundedUp(options.bytes);
  if (used.timeout == Timeout{}) {
    const std::int64_t most_ms = endpoint.aggregators_.most_ms();
    used.timeout = most_ms == 0 ? Timeout::max() : Timeout(most_ms);
  }
  std::shared_ptr<AggregatorCore> core(
      new AggregatorCore(endpoint, team, layout, std::move(handle), used));
  absl::Status made = CheckOptions(options, layout);
  if (made.ok()) made = core->Open();
  // Before the others send anything, and when it can be asked.
  if (!core->aggregators_.Add(core->team_.id_, core)) {
    return absl::AlreadyExistsError("the members make their teams in different orders");
  }
  // The others hear of it.
  if (const absl::Status met = core->Meet(); made.ok()) made = met;
  if (!made.ok()) {
    core->Close();
    return made;
  }
  {
    // Not before: to handle records is to send others.
    const topo::Lock lock(core->handling_);
    core->is_open_ = true;
  }
  core->aggregators_.SetReady();
  return core;
}

std::uint64_t AggregatorCore::MemoryFor(int ranks, const AggregatorOptions& options) {
  const Router router(ranks, options.routes);
  // The first rank has as many neighbors as any.
  const std::uint64_t lanes =
      router.NeighborsOf(0).size() * static_cast<std::uint64_t>(router.hops());
  return 2 * lanes * Lane::kBuffers * RoundedUp(options.bytes);
}

// Allocates the buffers, and makes the lanes without their twins.
absl::Status AggregatorCore::Open() {
  const std::size_t lanes = neighbors_.size() * static_cast<std::size_t>(router_.hops());
  const std::size_t lane_bytes = Lane::kBuffers * options_.bytes;
  auto staging = endpoint_.Allocate(lanes * lane_bytes);
  auto buffers = endpoint_.Allocate(lanes * lane_bytes);
  if (!staging.ok()) return staging.status();
  if (!buffers.ok()) return buffers.status();
  staging_ = *std::move(staging);
  buffers_ = *std::move(buffers);
  for (std::size_t place = 0; place < neighbors_.size(); ++place) {
    for (const Hop hop : {Hop::kLast, Hop::kFirst}) {
      if (hop == Hop::kFirst && router_.hops() == 1) continue;
      auto way = std::make_unique<Way>();
      way->number = LaneOf(place, hop);
      way->neighbor = neighbors_[place];
      way->hop = hop;
      const bool is_own = way->neighbor == team_.rank();
      // Records for this rank are added where they are handled.
      way->here = {is_own ? buffers_.local() : staging_.local(), way->number * lane_bytes};
      const topo::Lock lock(way->lock);
      way->lane = Lane(way->here.data(), options_.bytes, EntryBytes(hop));
      ways_.push_back(std::move(way));
    }
  }
  away_.resize(ways_.size() * Lane::kBuffers);
  for (std::size_t i = 0; i < away_.size(); ++i) {
    const Way& way = *ways_[i / Lane::kBuffers];
    away_[i] = {this,
                ways_[i / Lane::kBuffers].get(),
                {.aggregator = team_.id_,
                 .hop = way.hop,
                 .buffer = static_cast<std::uint8_t>(i % Lane::kBuffers)}};
  }
  for (int rank = 0; rank < team_.size(); ++rank) {
    const int next = router_.Next(team_.rank(), rank);
    const bool is_direct = next == rank;
    const std::size_t place = places_.at(team_.member(next));
    const std::size_t lane = LaneOf(place, is_direct ? Hop::kLast : Hop::kFirst);
    routes_.push_back({ways_[lane].get(), static_cast<std::uint32_t>(lane), is_direct});
  }
  return absl::OkStatus();
}

// Tells the other ranks of this one's buffers. Also where it has none.
absl::Status AggregatorCore::Meet() {
  const Introduction mine = {.buffers = buffers_.remote(),
                             .bytes = options_.bytes,
                             .record_bytes = layout_.record_bytes,
                             .hops = static_cast<std::uint32_t>(router_.hops())};
  std::vector<Introduction> all(static_cast<std::size_t>(team_.size()));
  const Outcome met = PostAndWait(endpoint_, [&](Completion then) {
    return team_.TryAllgather(std::as_bytes(std::span(&mine, 1)),
                              std::as_writable_bytes(std::span(all)), then);
  });
  if (met == Outcome::kDisagreement) return absl::InvalidArgumentError(team_.disagreement());
  if (const std::string lost = WhoIsLost(); !lost.empty()) return absl::UnavailableError(lost);
  if (met != Outcome::kDone) {
    return absl::UnavailableError(
        absl::StrCat("the ranks have not met: ", std::string(ToString(met))));
  }
  if (const absl::Status good = Check(all); !good.ok()) return good;
  for (const auto& way : ways_) {
    const std::vector<int> theirs = router_.NeighborsOf(way->neighbor);
    const auto place = static_cast<std::size_t>(
        std::lower_bound(theirs.begin(), theirs.end(), team_.rank()) - theirs.begin());
    way->there = {all[static_cast<std::size_t>(way->neighbor)].buffers,
                  LaneOf(place, way->hop) * Lane::kBuffers * options_.bytes};
  }
  return absl::OkStatus();
}

absl::Status AggregatorCore::Check(std::span<const Introduction> all) const {
  for (int rank = 0; rank < team_.size(); ++rank) {
    const Introduction& one = all[static_cast<std::size_t>(rank)];
    const auto differ = [&](const char* have, std::uint64_t theirs, std::uint64_t first) {
      return absl::InvalidArgumentError(absl::StrCat("rank ", ToInt(team_.member(rank)), " has ",
                                                     have, theirs, ", rank ",
                                                     ToInt(team_.member(0)), " has ", first));
    };
    if (one.record_bytes != all[0].record_bytes) {
      return differ("records of so many bytes: ", one.record_bytes, all[0].record_bytes);
    }
    if (one.bytes != all[0].bytes) {
      return differ("buffers of so many bytes: ", one.bytes, all[0].bytes);
    }
    if (one.hops != all[0].hops) return differ("routes of so many hops: ", one.hops, all[0].hops);
    if (one.buffers.id.generation == 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("rank ", ToInt(team_.member(rank)), " has no memory for its buffers"));
    }
  }
  return absl::OkStatus();
}

}  // namespace llcl
