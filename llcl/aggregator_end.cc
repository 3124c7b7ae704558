// The end of an aggregator's epoch: TryFinish and TryQuiesce.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/aggregator_core.h"
#include "llcl/system/clock.h"

namespace llcl {
namespace {

// A rank that is not at rest takes part in a wave after so long: the others wait for it.
constexpr std::int64_t kMostWithoutWaveMs = 50;

Posted RefusalFor(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPeerDown:
      return Posted::kPeerDown;
    case Outcome::kLeft:
      return Posted::kLeft;
    default:
      return Posted::kClosing;
  }
}

}  // namespace

Posted AggregatorCore::TryFinish(Completion then) { return TryBegin(End::kFinish, then); }
Posted AggregatorCore::TryQuiesce(Completion then) { return TryBegin(End::kQuiesce, then); }

Posted AggregatorCore::TryBegin(End end, Completion then) {
  std::optional<Outcome> failed;
  {
    const topo::Lock lock(mutex_);
    failed = failed_;
    if (!failed && end_ != End::kNone) return Posted::kBadRange;
    if (!failed) {
      end_ = end;
      then_ = then;
      hop_ = router_.hops() == 2 ? Hop::kFirst : Hop::kLast;
      is_counted_ = false;
      waves_ = {};
      has_wave_ = false;
      wave_ms_ = 0;
      changed_ms_.store(NowMs(), std::memory_order_relaxed);
      is_ending_.store(true, std::memory_order_release);
      aggregators_.BeginEnd();
      if (end == End::kFinish) is_closed_.store(true, std::memory_order_relaxed);
    }
  }
  if (failed) {
    then.Complete(*failed);
    return Posted::kPosted;
  }
  if (end == End::kFinish) {
    CountHop(router_.hops() == 2 ? Hop::kFirst : Hop::kLast);
  } else {
    GoOn();
  }
  return Posted::kPosted;
}

Posted AggregatorCore::WhyClosed() {
  bool is_finish = false;
  {
    const topo::Lock lock(mutex_);
    if (failed_) return RefusalFor(*failed_);
    is_finish = end_ == End::kFinish;
  }
  // Nobody would count the record.
  if (is_finish) Fail(Outcome::kRefused, "a record is added while TryFinish is under way");
  return Posted::kClosing;
}

// Sends the records that are here, and learns how many of this hop are for this rank.
void AggregatorCore::CountHop(Hop hop) {
  Flush();
  counts_.assign(static_cast<std::size_t>(team_.size()), 0);
  for (const auto& way : ways_) {
    if (way->hop != hop) continue;
    const topo::Lock lock(way->lock);
    counts_[static_cast<std::size_t>(way->neighbor)] = way->lane.added();
  }
  const std::vector<std::size_t> ones(counts_.size(), 1);
  alive_ = shared_from_this();
  const Posted begun = team_.TryReduceScatter<std::uint64_t>(
      counts_, std::span(&expected_, 1), ones, AtomicOp::kAdd, {&OnCount, this});
  if (begun != Posted::kPosted) OnCount(this, OutcomeOf(begun));
}

void AggregatorCore::OnCount(void* self, Outcome outcome) {
  auto& core = *static_cast<AggregatorCore*>(self);
  const std::shared_ptr<AggregatorCore> alive = std::move(core.alive_);
  if (outcome != Outcome::kDone) {
    return core.Fail(outcome, absl::StrCat("the ranks' counts: ", std::string(ToString(outcome)),
                                           core.team_.disagreement().empty() ? "" : ": ",
                                           core.team_.disagreement()));
  }
  {
    const topo::Lock lock(core.mutex_);
    core.is_counted_ = true;
    core.changed_ms_.store(NowMs(), std::memory_order_relaxed);
  }
  core.GoOn();
}

bool AggregatorCore::HasSpilled() {
  return std::any_of(ways_.begin(), ways_.end(), [](const auto& way) {
    const topo::Lock lock(way->lock);
    return way->lane.spilled_bytes() > 0;
  });
}

// Have all records of this hop come, and does none of this rank's wait for room? One caller learns
// it.
bool AggregatorCore::FinishesHop() {
  if (HasSpilled()) return false;
  const topo::Lock lock(mutex_);
  if (end_ != End::kFinish || !is_counted_) return false;
  const auto hop = static_cast<std::size_t>(hop_);
  if (handled_[hop].load(std::memory_order_acquire) < expected_) return false;
  is_counted_ = false;
  return true;
}

// Takes the end's next step, if it is time.
void AggregatorCore::GoOn() {
  bool is_finish = false;
  {
    const topo::Lock lock(mutex_);
    if (end_ == End::kNone) return;
    is_finish = end_ == End::kFinish;
  }
  if (!is_finish) {
    Flush();
    return TryWave();
  }
  if (!FinishesHop()) return;
  bool is_last = false;
  {
    const topo::Lock lock(mutex_);
    is_last = hop_ == Hop::kLast;
    hop_ = Hop::kLast;
  }
  if (is_last) {
    EndWell();
  } else {
    CountHop(Hop::kLast);
  }
}

// Is nothing left to be done here for the records that have come?
bool AggregatorCore::IsAtRest() {
  {
    const topo::Lock lock(arrivals_mutex_);
    if (!arrivals_.is_empty()) return false;
  }
  return !HasSpilled();
}

AggregatorCore::Numbers AggregatorCore::NumbersNow() {
  Numbers mine;
  // Handled first: a record counts as sent before it counts as handled.
  for (const auto& handled : handled_) mine.handled += handled.load(std::memory_order_acquire);
  for (const auto& way : ways_) {
    const topo::Lock lock(way->lock);
    mine.sent += way->lane.added();
    mine.unsent += way->lane.spilled_bytes() / EntryBytes(way->hop);
  }
  const topo::Lock lock(arrivals_mutex_);
  mine.waiting = arrivals_.waiting();
  return mine;
}

void AggregatorCore::TryWave() {
  const bool rests = IsAtRest();
  {
    const topo::Lock lock(mutex_);
    const std::int64_t now = NowMs();
    if (end_ != End::kQuiesce || has_wave_) return;
    if (!rests && now - wave_ms_ < kMostWithoutWaveMs) return;
    has_wave_ = true;
    wave_ms_ = now;
    all_.resize(static_cast<std::size_t>(team_.size()));
    alive_ = shared_from_this();
  }
  // After the end of the wave before, as no other thread begins one now.
  mine_ = NumbersNow();
  const Posted begun = team_.TryAllgather(std::as_bytes(std::span(&mine_, 1)),
                                          std::as_writable_bytes(std::span(all_)), {&OnWave, this});
  if (begun != Posted::kPosted) OnWave(this, OutcomeOf(begun));
}

void AggregatorCore::OnWave(void* self, Outcome outcome) {
  auto& core = *static_cast<AggregatorCore*>(self);
  const std::shared_ptr<AggregatorCore> alive = std::move(core.alive_);
  if (outcome != Outcome::kDone) {
    return core.Fail(outcome, absl::StrCat("a wave of counts: ", std::string(ToString(outcome)),
                                           ". ", core.WhoWaits()));
  }
  Wave sums;
  for (const Numbers& one : core.all_) {
    sums.sent += one.sent;
    sums.handled += one.handled;
  }
  Waves::Found found{};
  {
    const topo::Lock lock(core.mutex_);
    found = core.waves_.Add(sums);
    core.last_wave_ = core.all_;
    core.has_wave_ = false;
  }
  if (found == Waves::Found::kEnd) return core.EndWell();
  if (found == Waves::Found::kMoves) core.changed_ms_.store(NowMs(), std::memory_order_relaxed);
  // The next one begins in a step, not within this completion.
  core.aggregators_.SetReady();
}

void AggregatorCore::EndWell() {
  for (auto& handled : handled_) handled.store(0, std::memory_order_relaxed);
  for (const auto& way : ways_) {
    const topo::Lock lock(way->lock);
    way->lane.Restart();
  }
  Completion then;
  {
    const topo::Lock lock(mutex_);
    if (end_ == End::kNone) return;  // It has failed meanwhile.
    end_ = End::kNone;
    then = then_;
    aggregators_.EndEnd();
    is_ending_.store(false, std::memory_order_release);
    is_closed_.store(false, std::memory_order_relaxed);
  }
  {
    const topo::Lock lock(arrivals_mutex_);
    arrivals_.StartNextEpoch();
    epoch_.store(arrivals_.epoch(), std::memory_order_release);
  }
  aggregators_.SetReady();
  then.Complete(Outcome::kDone);
}

void AggregatorCore::Fail(Outcome outcome, std::string why, Tells tells) {
  if (const std::string lost = WhoIsLost(); outcome == Outcome::kPeerDown && !lost.empty()) {
    why = lost;
  }
  Completion then;
  {
    const topo::Lock lock(mutex_);
    if (failed_) return;
    failed_ = outcome;
    why_ = std::move(why);
    is_closed_.store(true, std::memory_order_relaxed);
    is_ending_.store(false, std::memory_order_release);
    if (end_ != End::kNone) {
      then = then_;
      aggregators_.EndEnd();
    }
    end_ = End::kNone;
  }
  for (const auto& way : ways_) {
    const topo::Lock lock(way->lock);
    way->lane.Close();
  }
  // All ranks learn of a lost one by themselves.
  const bool tells_all = tells == Tells::kAll && outcome != Outcome::kPeerDown;
  for (int rank = 0; tells_all && rank < team_.size(); ++rank) {
    if (rank == team_.rank()) continue;
    aggregators_.Send(team_.member(rank), {.aggregator = team_.id_,
                                           .entries = static_cast<std::uint32_t>(outcome),
                                           .kind = BufferNotice::Kind::kFailed});
  }
  then.Complete(outcome);
}

bool AggregatorCore::OnFailed(Rank from, const BufferNotice& notice) {
  bool is_member = false;
  for (int rank = 0; rank < team_.size(); ++rank) {
    is_member = is_member || team_.member(rank) == from;
  }
  constexpr auto kMost = static_cast<std::uint32_t>(Outcome::kDisagreement);
  if (!is_member || notice.entries == 0 || notice.entries > kMost) return false;
  const auto outcome = static_cast<Outcome>(notice.entries);
  Fail(outcome,
       absl::StrCat("it has failed on rank ", ToInt(from), ": ", std::string(ToString(outcome))),
       Tells::kNobody);
  return true;
}

// As a sentence; empty: none is.
std::string AggregatorCore::WhoIsLost() const {
  for (int rank = 0; rank < team_.size(); ++rank) {
    const Rank member = team_.member(rank);
    if (endpoint_.PresenceOf(member) == Presence::kLost) {
      return absl::StrCat("rank ", ToInt(member), " is lost");
    }
  }
  return "";
}

void AggregatorCore::GiveUp() {
  if (!WhoIsLost().empty()) return Fail(Outcome::kPeerDown, "");
  if (!IsEnding()) return;
  GoOn();
  const auto rest =
      std::chrono::milliseconds(NowMs() - changed_ms_.load(std::memory_order_relaxed));
  if (rest <= options_.timeout) return;
  std::string why;
  {
    const topo::Lock lock(mutex_);
    if (end_ == End::kNone) return;
    if (end_ == End::kFinish && is_counted_) {
      why = absl::StrCat("rank ", ToInt(team_.member(team_.rank())), " has got ",
                         handled_[static_cast<std::size_t>(hop_)].load(std::memory_order_relaxed),
                         " of ", expected_, " records");
    }
  }
  Fail(Outcome::kLate, why.empty() ? WhoWaits() : why);
}

// By the last wave that has ended.
std::string AggregatorCore::WhoWaits() {
  const topo::Lock lock(mutex_);
  std::string who;
  std::uint64_t sent = 0, handled = 0;
  for (std::size_t rank = 0; rank < last_wave_.size(); ++rank) {
    const Numbers& one = last_wave_[rank];
    sent += one.sent;
    handled += one.handled;
    if (one.waiting + one.unsent == 0) continue;
    absl::StrAppend(&who, ", rank ", ToInt(team_.member(static_cast<int>(rank))), " has ",
                    one.waiting, " that wait for its handler and ", one.unsent, " to send");
  }
  return absl::StrCat(handled, " of ", sent, " records were handled", who);
}

std::string AggregatorCore::failure() const {
  const topo::Lock lock(mutex_);
  return why_;
}

}  // namespace llcl
