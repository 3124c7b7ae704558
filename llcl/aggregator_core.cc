#include "llcl/aggregator_core.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/system/clock.h"

namespace llcl {
namespace {

// Does this thread run a handler of an aggregator?
thread_local bool handles = false;

}  // namespace

void AggregatorCore::Close() {
  if (IsEnding()) Fail(Outcome::kAborted, "the aggregator has ended");
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
      aggregators_.Send(team_.member(way.neighbor), {.aggregator = team_.id_,
                                                     .kind = BufferNotice::Kind::kReturned,
                                                     .hop = way.hop,
                                                     .buffer = static_cast<std::uint8_t>(buffer)});
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
  if (IsEnding()) GoOn();
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
