#include "llcl/collective/collectives.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "llcl/system/clock.h"

namespace llcl {
namespace {

// A quick operation looks so many times for the others' frames: some microseconds. After some vain
// ones in a row only one of several looks so long.
constexpr int kLooks = 100, kMostVain = 4, kLooksAgain = 16;

// Does this thread call the completion of a quick operation?
thread_local bool ends_quickly = false;

Posted RefusalFor(Presence gone) {
  return gone == Presence::kLeft ? Posted::kLeft : Posted::kPeerDown;
}

}  // namespace

Collectives::Collectives(CollectiveCarrier& carrier, std::int64_t most_ms,
                         OperationCounters* counters)
    : carrier_(carrier), most_ms_(most_ms), counters_(counters) {}

Posted Collectives::TryBegin(CollectiveId id, Collective collective) {
  const Posted begun = TryBeginOnce(id, std::move(collective));
  if (counters_ != nullptr) counters_->Count(Counted::kCollective, 0, begun);
  return begun;
}

Posted Collectives::TryBeginOnce(CollectiveId id, Collective collective) {
  RoundsDone done;
  // Not in the completion of another one: a chain of completions would fill the stack.
  if (collective.is_quick && !ends_quickly) {
    done = TryRunQuickly(id, collective);
    if (done.is_all) {
      if (counters_ != nullptr) counters_->CountEnd(Outcome::kDone);
      ends_quickly = true;
      collective.then.Complete(Outcome::kDone);
      ends_quickly = false;
      return Posted::kPosted;
    }
  }
  const std::int64_t deadline = most_ms_ == 0 ? 0 : NowMs() + most_ms_;
  const auto operation =
      std::make_shared<CollectiveOperation>(id, std::move(collective), deadline, carrier_, *this);
  if (!operation->Prepare()) return Posted::kTooLong;
  std::list<EarlyFrame> early;
  bool disagrees = false;
  {
    const topo::Lock lock(mutex_);
    if (aborted_) return Posted::kClosing;
    const Presence missing = WhoIsMissing(id, operation->members());
    if (missing != Presence::kHere) return RefusalFor(missing);
    progress_.Begin(id);
    running_.emplace(id, operation);
    early = early_.Take(id);
    LookIfPlain();
    disagrees = disagreements_.contains(id.team);
  }
  // The members do not agree on an operation before it.
  if (disagrees) {
    GoOn(operation, operation->Fail(Outcome::kDisagreement));
    return Posted::kPosted;
  }
  GoOn(operation, operation->Begin(std::move(early), done));
  return Posted::kPosted;
}

// A frame of the next operation may be among those that have come early; the others are cases for
// the long way.
void Collectives::LookIfPlain() {
  const bool is_plain = !aborted_ && !has_failed_ && early_.empty() && disagreements_.empty();
  is_plain_.store(is_plain, std::memory_order_release);
}

// The rounds that could be done at once; all: the operation has ended.
RoundsDone Collectives::TryRunQuickly(const CollectiveId& id, const Collective& collective) {
  if (!is_plain_.load(std::memory_order_acquire)) return {};
  const int vain = vain_looks_.load(std::memory_order_relaxed);
  const int looks = vain < kMostVain || vain % kLooksAgain == 0 ? kLooks : 0;
  const RoundsDone done = RunQuickly(id, collective, *carrier_.channels(), looks);
  vain_looks_.store(done.is_all ? 0 : vain + 1, std::memory_order_relaxed);
  if (!done.is_all) return done;
  std::list<EarlyFrame> late;
  {
    const topo::Lock lock(mutex_);
    progress_.Begin(id);
    if (!early_.empty()) late = early_.Take(id);
    LookIfPlain();
  }
  for (const EarlyFrame& frame : late) {
    OnFrameOfEnded({.from = frame.from, .header = frame.header, .payload = frame.payload});
  }
  return done;
}

void Collectives::OnRead(const OperationPointer& operation) { GoOn(operation, operation->GoOn()); }

// Without a lock.
void Collectives::GoOn(const OperationPointer& operation, CollectiveOperation::Next next) {
  while (next.has_reads && !next.outcome) next = operation->PostReads();
  if (next.has_unsent) unsent_.store(true, std::memory_order_relaxed);
  if (!next.outcome) return;
  // Not under the lock: an operation's lock may be held by a thread that posts.
  const std::optional<Disagreement> disagreement = operation->disagreement();
  {
    const topo::Lock lock(mutex_);
    running_.erase(operation->id());
    if (*next.outcome != Outcome::kDone) {
      RememberFailed(operation->id(), *next.outcome, disagreement);
    }
  }
  if (counters_ != nullptr) counters_->CountEnd(*next.outcome);
  operation->Report(*next.outcome);
}

void Collectives::RememberFailed(const CollectiveId& id, Outcome outcome,
                                 const std::optional<Disagreement>& disagreement) {
  if (outcome == Outcome::kDisagreement && disagreement) {
    disagreements_.emplace(id.team, SentenceOf(id, *disagreement));
  }
  progress_.Fail(id);
  early_.DropFrom(id);
  has_failed_ = true;
  LookIfPlain();
}

std::string Collectives::DisagreementOf(std::uint64_t team) const {
  const topo::Lock lock(mutex_);
  const auto found = disagreements_.find(team);
  return found == disagreements_.end() ? "" : found->second;
}

Collectives::OperationPointer Collectives::Find(const CollectiveId& id) const {
  const topo::Lock lock(mutex_);
  const auto found = running_.find(id);
  return found == running_.end() ? nullptr : found->second;
}

Collectives::OperationPointer Collectives::FindOrKeep(const ComeFrame& frame) {
  const CollectiveId id = frame.header.id();
  {
    const topo::Lock lock(mutex_);
    const auto found = running_.find(id);
    if (found != running_.end()) return found->second;
    if (progress_.HasFailed(id)) return nullptr;
    if (!progress_.HasDone(id)) {
      early_.Keep(frame.Keep());
      LookIfPlain();
      return nullptr;
    }
  }
  OnFrameOfEnded(frame);
  return nullptr;
}

void Collectives::OnFrameOfEnded(const ComeFrame& frame) {
  const FrameHeader& header = frame.header;
  Disagreement one = {.from = ToInt(frame.from), .to = ToInt(carrier_.rank()), .sent = header.part};
  switch (header.kind) {
    case CollectiveFrame::kDisagreement:
      if (frame.payload.size() == sizeof(Disagreement)) {
        OnLateDisagreement(header.id(), ValueIn<Disagreement>(frame.payload));
      }
      return;
    case CollectiveFrame::kTaken:
    case CollectiveFrame::kTold:
      return;
    case CollectiveFrame::kAsk:
      return SayReady(carrier_, frame.from, header);
    case CollectiveFrame::kReady:
      // The part may be under way, but for a part that waits for kReady.
      if (header.part <= Outgoing::kMostAhead || !carrier_.StreamsTo(frame.from)) return;
      one = {.from = ToInt(carrier_.rank()),
             .to = ToInt(frame.from),
             .expected = header.part,
             .about = Disagreement::About::kPart};
      break;
    case CollectiveFrame::kData:
    case CollectiveFrame::kAhead:
    case CollectiveFrame::kMemory:
      break;
  }
  // It has ended here, so the other rank has begun another operation than this one.
  SendDisagreement(carrier_, std::span(&frame.from, 1), header, one);
}

bool Collectives::OnMessage(Rank from, std::span<const std::byte> message) {
  if (message.size() < sizeof(FrameHeader)) return false;
  const auto header = ValueIn<FrameHeader>(message);
  if (header.kind == CollectiveFrame::kTold) {
    windows_.Remove(from, header.part);
  } else if (const auto taken = TakeFrame(
                 {.from = from, .header = header, .payload = message.subspan(sizeof header)})) {
    GoOn(taken->operation, taken->next);
  }
  return true;
}

std::optional<Collectives::Taken> Collectives::TakeFrame(const ComeFrame& frame) {
  OperationPointer operation = FindOrKeep(frame);
  if (operation == nullptr) return std::nullopt;
  const CollectiveOperation::Next next = operation->Take(frame);
  return Taken{std::move(operation), next};
}

// Under the executor's lock: what an operation has to do next waits for AdvanceStreams.
void Collectives::Take(Rank from, std::span<const std::byte> header, std::uint64_t at,
                       std::span<const std::byte> piece) {
  auto frame = ValueIn<FrameHeader>(header);
  frame.at += at;
  using Put = CollectiveOperation::Put;
  OperationPointer operation = Find(frame.id());
  const Put put = operation == nullptr ? Put::kNot : operation->TryPut(from, frame, piece);
  // A piece without a place is kept.
  KeptBytes kept;
  if (frame.kind == CollectiveFrame::kAhead) kept = {windows_, from, piece.size()};
  if (put == Put::kPut) return;
  const topo::Lock lock(come_mutex_);
  if (put == Put::kLast) {
    can_go_on_.push_back(std::move(operation));
  } else {
    come_.push_back({from, frame, {piece.begin(), piece.end()}, std::move(kept)});
  }
  has_come_.store(true, std::memory_order_release);
}

bool Collectives::TryFill(Rank from, std::span<const std::byte> header, std::uint64_t at,
                          std::size_t most, Fill fill) {
  auto frame = ValueIn<FrameHeader>(header);
  frame.at += at;
  using Put = CollectiveOperation::Put;
  OperationPointer operation = Find(frame.id());
  std::size_t bytes = 0;
  const auto counted = [&](std::span<std::byte> place) { return bytes = fill(place); };
  const Put put = operation == nullptr ? Put::kNot : operation->TryFill(from, frame, most, counted);
  if (bytes > 0 && frame.kind == CollectiveFrame::kAhead) windows_.Free(from, bytes);
  if (put == Put::kLast) {
    const topo::Lock lock(come_mutex_);
    can_go_on_.push_back(std::move(operation));
    has_come_.store(true, std::memory_order_release);
  }
  return put != Put::kNot;
}

bool Collectives::AdvanceStreams() {
  if (!has_come_.load(std::memory_order_acquire)) return false;
  std::vector<EarlyFrame> come;
  std::vector<OperationPointer> can_go_on;
  {
    const topo::Lock lock(come_mutex_);
    has_come_.store(false, std::memory_order_relaxed);
    come.swap(come_);
    can_go_on.swap(can_go_on_);
  }
  // Completions are called when all is taken: a member may be found lost meanwhile.
  std::vector<Taken> taken;
  for (EarlyFrame& frame : come) {
    const FrameHeader header = frame.header;
    auto one =
        TakeFrame({.from = frame.from, .header = header, .payload = frame.payload, .kept = &frame});
    if (one) taken.push_back(*std::move(one));
  }
  for (OperationPointer& operation : can_go_on) {
    const CollectiveOperation::Next next = operation->GoOn();
    taken.push_back({std::move(operation), next});
  }
  for (const Taken& one : taken) GoOn(one.operation, one.next);
  return true;
}

// The operation has ended here: the team fails from the next one on.
void Collectives::OnLateDisagreement(const CollectiveId& id, const Disagreement& disagreement) {
  std::vector<OperationPointer> failed;
  {
    const topo::Lock lock(mutex_);
    disagreements_.emplace(id.team, SentenceOf(id, disagreement));
    LookIfPlain();
    for (auto at = running_.upper_bound(id); at != running_.end() && at->first.team == id.team;
         ++at) {
      failed.push_back(at->second);
    }
  }
  for (const OperationPointer& operation : failed) {
    GoOn(operation, operation->Fail(Outcome::kDisagreement));
  }
}

// May a long payload be copied, as its operation has not begun for some time?
bool Collectives::MayCopy(Waiting& waiting, std::size_t bytes) {
  {
    const topo::Lock lock(mutex_);
    if (!early_.has_room()) return false;
  }
  if (waiting.copied == 0) {
    const std::int64_t now = NowMs();
    if (waiting.since_ms == 0) waiting.since_ms = now;
    if (now - waiting.since_ms < kMostInChannelMs) return false;
  }
  waiting.copied += bytes;
  if (waiting.copied >= kCopiedAtOnce) waiting = {};
  return true;
}

// False: the frame stays in its channel.
bool Collectives::TryTakeFromChannel(const ComeFrame& frame, std::vector<Taken>& taken) {
  const auto at = static_cast<std::size_t>(ToInt(frame.from));
  if (waiting_.size() <= at) waiting_.resize(at + 1);
  OperationPointer operation = Find(frame.header.id());
  if (operation != nullptr) {
    CollectiveOperation::Next next = operation->TryTake(frame);
    if (next.did) {
      waiting_[at] = {};
      if (next.IsAnything()) taken.push_back({std::move(operation), std::move(next)});
      return true;
    }
  }
  const std::size_t bytes = frame.payload.size();
  if (bytes > kCopiedEarly && !MayCopy(waiting_[at], bytes)) return false;
  if (operation == nullptr) operation = FindOrKeep(frame);
  if (operation == nullptr) return true;
  CollectiveOperation::Next next = operation->Take(frame);
  if (next.IsAnything()) taken.push_back({std::move(operation), std::move(next)});
  return true;
}

void Collectives::TellFreed() {
  for (const auto& [rank, bytes] : windows_.TakeDue()) {
    carrier_.Send(rank, BytesOfValue(HeaderOf({}, 0, CollectiveFrame::kTold, bytes)));
  }
}

bool Collectives::Advance() {
  const bool has_come = AdvanceStreams();
  TellFreed();
  const bool has_read = AdvanceChannels();
  return SendMore() || has_come || has_read;
}

bool Collectives::AdvanceChannels() {
  Channels* const channels = carrier_.channels();
  if (channels == nullptr) return false;
  std::vector<Taken> taken;
  const bool did = channels->Read(
      [&](Rank from, std::span<const std::byte> bytes, std::span<const std::byte> payload) {
        const auto header = ValueIn<FrameHeader>(bytes);
        return TryTakeFromChannel({.from = from, .header = header, .payload = payload}, taken);
      });
  // Completions are called when others may read the channels.
  for (const Taken& one : taken) GoOn(one.operation, one.next);
  return did;
}

bool Collectives::SendMore() {
  if (!unsent_.load(std::memory_order_relaxed)) return false;
  unsent_.store(false, std::memory_order_relaxed);
  bool did = false;
  for (const OperationPointer& operation : All()) {
    const CollectiveOperation::Next next = operation->SendMore();
    did = did || next.did;
    GoOn(operation, next);
  }
  return did;
}

std::vector<Collectives::OperationPointer> Collectives::All() const {
  std::vector<OperationPointer> all;
  const topo::Lock lock(mutex_);
  for (const auto& [id, operation] : running_) all.push_back(operation);
  return all;
}

std::vector<std::vector<std::byte>> Collectives::Farewell() const {
  const topo::Lock lock(mutex_);
  return progress_.Farewell(carrier_.most_message_bytes() - kMostBeforeFarewell);
}

std::vector<std::vector<std::byte>> Collectives::FarewellOf(Rank rank) const {
  const topo::Lock lock(mutex_);
  const auto found = farewells_.find(rank);
  if (found == farewells_.end()) return {};
  return found->second.Messages(carrier_.most_message_bytes() - kMostBeforeFarewell);
}

Collectives::FarewellHeard Collectives::OnFarewell(Rank from, std::span<const std::byte> message) {
  using Added = llcl::Farewell::Added;
  const topo::Lock lock(mutex_);
  llcl::Farewell& farewell = farewells_[from];
  const Added added = farewell.Add(message);
  if (added == Added::kNonsense) return {Heard::kNonsense};
  return {farewell.is_complete() ? Heard::kAll : Heard::kPart, added == Added::kNew};
}

// How a member has gone that did not do its part; kHere: none has.
Presence Collectives::WhoIsMissing(const CollectiveId& id, std::span<const Rank> members) const {
  Presence missing = Presence::kHere;
  for (const Rank member : members) {
    const Presence there = carrier_.PresenceOf(member);
    if (there == Presence::kLost) return Presence::kLost;
    if (there == Presence::kLeft && !farewells_.at(member).HasDone(id)) missing = Presence::kLeft;
  }
  return missing;
}

void Collectives::GiveUp() {
  // A member that is gone may have done its part before.
  (void)AdvanceStreams();
  const std::vector<OperationPointer> all = All();
  if (all.empty()) return;
  const std::int64_t now = NowMs();
  for (const OperationPointer& operation : all) {
    const Presence missing = [&] {
      const topo::Lock lock(mutex_);
      return WhoIsMissing(operation->id(), operation->members());
    }();
    if (missing != Presence::kHere) {
      GoOn(operation, operation->Fail(OutcomeOf(missing)));
    } else if (operation->deadline_ms() != 0 && now >= operation->deadline_ms()) {
      GoOn(operation, operation->Fail(Outcome::kLate));
    } else {
      GoOn(operation, operation->AskSilent(now));
    }
  }
}

void Collectives::Abort() {
  {
    const topo::Lock lock(mutex_);
    aborted_ = true;
    LookIfPlain();
  }
  for (const OperationPointer& operation : All()) {
    GoOn(operation, operation->Fail(Outcome::kAborted));
  }
}

bool Collectives::empty() const {
  const topo::Lock lock(mutex_);
  return running_.empty();
}

absl::StatusOr<Region> Collectives::TakeScratch() {
  {
    const topo::Lock lock(scratch_mutex_);
    if (!scratch_.empty()) {
      Region region = std::move(scratch_.back());
      scratch_.pop_back();
      return region;
    }
  }
  return carrier_.Allocate(kScratchBytes);
}

void Collectives::GiveScratch(Region scratch) {
  const topo::Lock lock(scratch_mutex_);
  if (scratch_.size() < kMostScratch) scratch_.push_back(std::move(scratch));
}

}  // namespace llcl
