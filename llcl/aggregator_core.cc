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
  // Other threads may still be in a step of it: none takes a buffer from here on.
  for (const auto& way : ways_) {
    const topo::Lock lock(way->lock);
    way->lane.Close();
  }
  (void)endpoint_.KeepTrying([&] {
    return going_.load(std::memory_order_acquire) == 0 ? Posted::kPosted : Posted::kFull;
  });
}

// With the lane's lock: the buffer is of this epoch, and Close waits until it is written.
void AggregatorCore::Count(std::optional<Lane::Filled>& filled) {
  if (!filled) return;
  filled->epoch = epoch_.load(std::memory_order_relaxed);
  going_.fetch_add(1, std::memory_order_relaxed);
}

Posted AggregatorCore::Put(Way& way, std::span<const std::byte> entries) {
  std::int64_t since_ms = 0;  // that no entry had room
  const auto try_put = [&] {
    if (is_closed()) return WhyClosed();
    const std::size_t left = entries.size();
    std::optional<Lane::Filled> filled;
    {
      const topo::Lock lock(way.lock);
      entries = entries.subspan(way.lane.Put(entries));
      filled = way.lane.TakeFull();
      Count(filled);
      if (!entries.empty() && !filled && handles) {
        way.lane.Spill(entries);
        way.most_spilled = std::max(way.most_spilled, way.lane.spilled_bytes());
        entries = {};
      }
    }
    if (filled) Send(way, *filled);
    if (entries.empty()) return Posted::kPosted;
    if (entries.size() < left) since_ms = 0;
    if (!handles) LookWhy(way, since_ms);
    return Posted::kFull;
  };
  if (!handles) return endpoint_.KeepTrying(try_put);
  // A handler makes no step.
  Posted posted = Posted::kFull;
  while (IsForNow(posted)) posted = try_put();
  return posted;
}

// An entry has found no room since then; zero: from now on.
void AggregatorCore::LookWhy(const Way& way, std::int64_t& since_ms) {
  const Rank neighbor = team_.member(way.neighbor);
  if (endpoint_.PresenceOf(neighbor) == Presence::kLeft) {
    return Fail(Outcome::kLeft, absl::StrCat("rank ", ToInt(neighbor), " has left"));
  }
  const std::int64_t now = NowMs();
  if (since_ms == 0) since_ms = now;
  if (Timeout(now - since_ms) <= options_.timeout) return;
  Fail(Outcome::kLate,
       absl::StrCat("rank ", ToInt(neighbor), " has handled none of this rank's records for ",
                    now - since_ms, " ms"));
}

void AggregatorCore::Flush() {
  for (const auto& way : ways_) {
    std::optional<Lane::Filled> filled;
    {
      const topo::Lock lock(way->lock);
      filled = way->lane.TakeAny();
      Count(filled);
    }
    if (filled) Send(*way, *filled);
  }
}

// A buffer that was counted.
void AggregatorCore::Send(Way& way, const Lane::Filled& filled) {
  const std::size_t number = way.number * Lane::kBuffers + filled.buffer;
  if (way.neighbor == team_.rank()) {
    {
      const topo::Lock lock(arrivals_mutex_);
      (void)arrivals_.Add(number, filled.entries, filled.epoch);
    }
    aggregators_.SetReady();
    going_.fetch_sub(1, std::memory_order_release);
    return;
  }
  Away& away = away_[number];
  away.notice.entries = filled.entries;
  away.notice.epoch = filled.epoch;
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
  core.going_.fetch_sub(1, std::memory_order_release);
}

bool AggregatorCore::OnNotice(Rank from, const BufferNotice& notice) {
  if (notice.kind == BufferNotice::Kind::kFailed) return OnFailed(from, notice);
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
    Count(filled);
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
  if (way.hop == Hop::kLast) {
    handle_({entries, arrived.entries * entry_bytes});
    all_handled_.fetch_add(arrived.entries, std::memory_order_relaxed);
    Handled(way.hop, arrived.entries);
    return true;
  }
  const std::uint32_t from = arrived.done;
  while (arrived.done < arrived.entries &&
         PassOn({entries + arrived.done * entry_bytes, entry_bytes})) {
    ++arrived.done;
  }
  Handled(way.hop, arrived.done - from);
  return arrived.done == arrived.entries;
}

void AggregatorCore::Handled(Hop hop, std::uint64_t entries) {
  handled_[static_cast<std::size_t>(hop)].fetch_add(entries, std::memory_order_release);
  if (IsEnding()) changed_ms_.store(NowMs(), std::memory_order_relaxed);
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
    Count(filled);
  }
  if (filled) Send(way, *filled);
  return true;
}

// False: another thread does, or nothing is handled any more.
bool AggregatorCore::HandleAll(bool& did) {
  if (!handling_.TryLock()) return false;
  const bool is_open = is_open_;
  const bool handled_before = std::exchange(handles, true);
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
  handles = handled_before;
  handling_.Unlock();
  return is_open;
}

bool AggregatorCore::Advance() {
  bool did = false, is_ready = true;
  // A buffer that comes while this thread ends is seen here, as another thread may have gone away
  // from the lock.
  while (is_ready && HandleAll(did)) {
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
