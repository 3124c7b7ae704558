#include "llcl/aggregator_core.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/blocking.h"
#include "llcl/system/clock.h"
#include "llcl/system/option_range.h"

namespace llcl {
namespace {

// Records may be of any type: up to this alignment.
constexpr std::size_t kLine = 64;

// Does this thread run a handler of an aggregator?
thread_local bool handles = false;

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
  if (!core->aggregators_.Add(core->team_.id_, core)) {
    return absl::AlreadyExistsError("the members make their teams in different orders");
  }
  absl::Status made = CheckOptions(options, layout);
  if (made.ok()) made = core->Open();
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
    routes_.push_back({ways_[lane].get(), is_direct});
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

void AggregatorCore::Close() {
  is_closed_.store(true, std::memory_order_relaxed);
  aggregators_.Remove(team_.id_);
  {
    const topo::Lock lock(handling_);
    is_open_ = false;
  }
  (void)endpoint_.KeepTrying([&] {
    return writes_.load(std::memory_order_acquire) == 0 ? Posted::kPosted : Posted::kFull;
  });
}

Posted AggregatorCore::Put(Way& way, std::span<const std::byte> entries) {
  std::int64_t since_ms = 0;  // that no entry had room
  return endpoint_.KeepTrying([&] {
    if (is_closed()) return WhyClosed();
    const std::size_t left = entries.size();
    std::optional<Lane::Filled> filled;
    {
      const topo::Lock lock(way.lock);
      entries = entries.subspan(way.lane.Put(entries));
      filled = way.lane.TakeFull();
      if (!entries.empty() && !filled && handles) {
        way.lane.Spill(entries);
        way.most_spilled = std::max(way.most_spilled, way.lane.spilled_bytes());
        entries = {};
      }
    }
    if (filled) Send(way, *filled);
    if (entries.empty()) return Posted::kPosted;
    const std::int64_t now = NowMs();
    if (since_ms == 0 || entries.size() < left) since_ms = now;
    if (Timeout(now - since_ms) > options_.timeout) {
      Fail(Outcome::kLate,
           absl::StrCat("rank ", ToInt(team_.member(way.neighbor)),
                        " has handled none of this rank's records for ", now - since_ms, " ms"));
    }
    return Posted::kFull;
  });
}

void AggregatorCore::Flush() {
  for (const auto& way : ways_) {
    std::optional<Lane::Filled> filled;
    {
      const topo::Lock lock(way->lock);
      filled = way->lane.TakeAny();
    }
    if (filled) Send(*way, *filled);
  }
}

void AggregatorCore::Send(Way& way, const Lane::Filled& filled) {
  const std::size_t number = way.number * Lane::kBuffers + filled.buffer;
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  if (way.neighbor == team_.rank()) {
    {
      const topo::Lock lock(arrivals_mutex_);
      (void)arrivals_.Add(number, filled.entries, epoch);
    }
    aggregators_.SetReady();
    return;
  }
  Away& away = away_[number];
  away.notice.entries = filled.entries;
  away.notice.epoch = epoch;
  writes_.fetch_add(1, std::memory_order_relaxed);
  sent_.fetch_add(1, std::memory_order_relaxed);
  if (!TryWrite(away)) {
    endpoint_.Later([alive = shared_from_this(), &away] { return alive->TryWrite(away); });
  }
}

// False: there is no room for it now.
bool AggregatorCore::TryWrite(Away& away) {
  const std::uint64_t at = away.notice.buffer * options_.bytes;
  const Posted posted =
      endpoint_.TryWrite({.from = away.way->here + at,
                          .to = away.way->there + at,
                          .bytes = away.notice.entries * EntryBytes(away.way->hop),
                          .then = {&OnWritten, &away},
                          .notify = Notify::kUnlessDone});
  if (IsForNow(posted)) return false;
  if (posted != Posted::kPosted) OnWritten(&away, OutcomeOf(posted));
  return true;
}

void AggregatorCore::OnWritten(void* data, Outcome outcome) {
  const Away& away = *static_cast<const Away*>(data);
  AggregatorCore& core = *away.core;
  const Rank to = core.team_.member(away.way->neighbor);
  if (outcome == Outcome::kDone) {
    core.aggregators_.Send(to, away.notice);
  } else {
    core.Fail(outcome, absl::StrCat("records for rank ", ToInt(to),
                                    " are not written: ", std::string(ToString(outcome))));
  }
  // Last: from here on it may be gone.
  core.writes_.fetch_sub(1, std::memory_order_release);
}

bool AggregatorCore::OnNotice(Rank from, const BufferNotice& notice) {
  const auto found = places_.find(from);
  const bool is_step =
      notice.hop == Hop::kLast || (notice.hop == Hop::kFirst && router_.hops() == 2);
  if (found == places_.end() || !is_step || notice.buffer >= Lane::kBuffers) return false;
  const std::size_t lane = LaneOf(found->second, notice.hop);
  if (notice.kind == BufferNotice::Kind::kReturned) {
    OnReturned(*ways_[lane], notice.buffer);
    return true;
  }
  if (notice.kind != BufferNotice::Kind::kFilled) return false;
  if (notice.entries == 0 || notice.entries > options_.bytes / EntryBytes(notice.hop)) return false;
  {
    const topo::Lock lock(arrivals_mutex_);
    if (!arrivals_.Add(lane * Lane::kBuffers + notice.buffer, notice.entries, notice.epoch)) {
      return false;
    }
  }
  aggregators_.SetReady();
  return true;
}

void AggregatorCore::OnReturned(Way& way, std::size_t buffer) {
  std::optional<Lane::Filled> filled;
  {
    const topo::Lock lock(way.lock);
    if (!way.lane.Return(buffer)) return;
    filled = way.lane.Unspill();
  }
  if (filled) {
    Send(way, *filled);
    aggregators_.SetReady();  // An end may have waited for that.
  }
  if (router_.hops() == 1) return;
  const topo::Lock lock(arrivals_mutex_);
  arrivals_.Unblock();
  if (arrivals_.is_ready()) aggregators_.SetReady();
}

// True: all its records are handled.
bool AggregatorCore::Handle(Arrivals::Arrived& arrived) {
  const Way& way = *ways_[arrived.buffer / Lane::kBuffers];
  const std::size_t entry_bytes = EntryBytes(way.hop);
  const std::byte* const entries = buffers_.local().start + arrived.buffer * options_.bytes;
  const auto hop = static_cast<std::size_t>(way.hop);
  if (way.hop == Hop::kLast) {
    handle_({entries, arrived.entries * entry_bytes});
    handled_[hop].fetch_add(arrived.entries, std::memory_order_release);
    all_handled_.fetch_add(arrived.entries, std::memory_order_relaxed);
    return true;
  }
  const std::uint32_t from = arrived.done;
  while (arrived.done < arrived.entries &&
         PassOn({entries + arrived.done * entry_bytes, entry_bytes})) {
    ++arrived.done;
  }
  handled_[hop].fetch_add(arrived.done - from, std::memory_order_release);
  return arrived.done == arrived.entries;
}

// False: there is no room for it now.
bool AggregatorCore::PassOn(std::span<const std::byte> entry) {
  std::int32_t to = 0;
  std::memcpy(&to, entry.data(), sizeof to);
  // Nonsense.
  if (to < 0 || to >= team_.size() || !router_.AreNeighbors(team_.rank(), to)) return true;
  Way& way = *routes_[static_cast<std::size_t>(to)].way;
  std::optional<Lane::Filled> filled;
  {
    const topo::Lock lock(way.lock);
    if (way.lane.Put(entry.subspan(layout_.record_in_entry, layout_.record_bytes)) == 0) {
      return false;
    }
    filled = way.lane.TakeFull();
  }
  if (filled) Send(way, *filled);
  return true;
}

bool AggregatorCore::HandleAll() {
  if (!handling_.TryLock()) return false;
  bool did = false;
  handles = true;
  while (is_open_) {
    std::optional<Arrivals::Arrived> arrived;
    {
      const topo::Lock lock(arrivals_mutex_);
      arrived = arrivals_.Take();
    }
    if (!arrived) break;
    const bool is_done = Handle(*arrived);
    {
      const topo::Lock lock(arrivals_mutex_);
      if (is_done) {
        arrivals_.Remove(arrived->buffer);
      } else {
        arrivals_.Block(*arrived);
      }
    }
    did = true;
    if (!is_done) continue;
    Way& way = *ways_[arrived->buffer / Lane::kBuffers];
    const std::size_t buffer = arrived->buffer % Lane::kBuffers;
    if (way.neighbor == team_.rank()) {
      OnReturned(way, buffer);
    } else {
      BufferNotice notice = away_[arrived->buffer].notice;
      notice.kind = BufferNotice::Kind::kReturned;
      aggregators_.Send(team_.member(way.neighbor), notice);
    }
  }
  handles = false;
  handling_.Unlock();
  return did;
}

bool AggregatorCore::Advance() {
  bool did = false, is_ready = true;
  // Records that come while another thread stops handling are seen by one of the two.
  while (is_ready && HandleAll()) {
    did = true;
    const topo::Lock lock(arrivals_mutex_);
    is_ready = arrivals_.is_ready();
  }
  if (IsPending()) GoOn();
  return did;
}

AggregatorCounts AggregatorCore::counts() const {
  AggregatorCounts counts = {.handled = all_handled_.load(std::memory_order_relaxed),
                             .buffers_sent = sent_.load(std::memory_order_relaxed)};
  for (const auto& way : ways_) {
    const topo::Lock lock(way->lock);
    counts.most_spilled_bytes += way->most_spilled;
  }
  return counts;
}

}  // namespace llcl
