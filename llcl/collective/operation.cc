#include "llcl/collective/operation.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace llcl {

CollectiveOperation::CollectiveOperation(const CollectiveId& id, Collective collective,
                                         std::int64_t deadline_ms, CollectiveCarrier& carrier,
                                         CollectiveOwner& owner)
    : id_(id),
      deadline_ms_(deadline_ms),
      carrier_(carrier),
      owner_(owner),
      collective_(std::move(collective)) {
  if (collective_.own.empty()) return;
  collective_.memory[collective_.memory[0].empty() ? 0 : 1] = collective_.own;
}

CollectiveOperation::~CollectiveOperation() {
  const topo::Lock lock(mutex_);
  // The network may still write where a read has failed: that memory goes when it is done.
  if (scratch_ && outcome_ == Outcome::kDone) owner_.GiveScratch(*std::move(scratch_));
}

bool CollectiveOperation::IsNear(Rank rank) const {
  const Channels* const channels = carrier_.channels();
  return channels != nullptr && channels->Reach(rank);
}

bool CollectiveOperation::Prepare() {
  bool reads = false, combines = false;
  for (const Round& round : collective_.schedule->rounds) {
    for (const Part& part : round.sends) reads = reads || IsRead(part);
    for (const Part& part : round.receipts) {
      reads = reads || IsRead(part);
      combines = combines || (part.combines && IsRead(part));
    }
  }
  if (!reads) return true;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (collective_.memory[i].empty()) continue;
    absl::StatusOr<Region> region = carrier_.Register(collective_.memory[i]);
    if (!region.ok()) return false;
    regions_[i] = *std::move(region);
  }
  if (!combines) return true;
  absl::StatusOr<Region> scratch = owner_.TakeScratch();
  if (!scratch.ok()) return false;
  scratch_ = *std::move(scratch);
  return true;
}

std::span<std::byte> CollectiveOperation::At(std::size_t at, std::size_t bytes) {
  const std::size_t first = collective_.memory[0].size();
  return at < first ? collective_.memory[0].subspan(at, bytes)
                    : collective_.memory[1].subspan(at - first, bytes);
}

FrameHeader CollectiveOperation::HeaderOf(std::uint32_t round, CollectiveFrame kind,
                                          const Part& part) const {
  return {.team = id_.team, .number = id_.number, .round = round, .kind = kind, .part = part.bytes};
}

CollectiveOperation::Next CollectiveOperation::WhatIsNext() {
  Next next;
  next.has_unsent = !unsent_.empty();
  const auto is_idle = [](const Read& one) { return !one.alive; };
  next.has_reads =
      !outcome_ && !posts_reads_ && std::any_of(reads_.begin(), reads_.end(), is_idle) &&
      std::any_of(receipts_.begin(), receipts_.end(),
                  [](const Receipt& one) { return one.from && one.asked < one.part.bytes; });
  // A read under way still writes to the caller's memory.
  if (outcome_ && std::all_of(reads_.begin(), reads_.end(), is_idle) &&
      !std::exchange(is_reported_, true)) {
    next.outcome = outcome_;
  }
  return next;
}

CollectiveOperation::Next CollectiveOperation::Begin(std::list<EarlyFrame> early,
                                                     const RoundsDone& done) {
  const topo::Lock lock(mutex_);
  // Some may have come since.
  early_.splice(early_.begin(), early);
  has_begun_ = true;
  // First: a disagreement has one pair of sizes for all members.
  for (const EarlyFrame& frame : early_) {
    if (frame.header.kind == CollectiveFrame::kDisagreement) {
      (void)TakeLocked(frame.from, frame.header, frame.payload);
    }
  }
  round_ = done.round;
  if (!outcome_ && !collective_.schedule->rounds.empty()) StartRound(done);
  Step();
  return WhatIsNext();
}

// `done`: of the round.
void CollectiveOperation::StartRound(const RoundsDone& done) {
  const Round& round = collective_.schedule->rounds[round_];
  receipts_.clear();
  for (const Part& part : round.receipts) receipts_.push_back({.part = part});
  missing_ = receipts_.size();
  for (std::size_t i = 0; i < receipts_.size() && done.receipts != 0; ++i) {
    if ((done.receipts >> i & 1) == 0) continue;
    receipts_[i].done = std::max<std::size_t>(receipts_[i].part.bytes, 1);
    --missing_;
  }
  for (std::size_t i = done.sends; i < round.sends.size(); ++i) Send(round.sends[i]);
}

// Goes on as far as the frames that have come allow.
void CollectiveOperation::Step() {
  if (!has_begun_) return;
  const std::size_t rounds = collective_.schedule->rounds.size();
  while (!outcome_ && round_ < rounds) {
    while (missing_ > 0 && TakeEarly()) {
    }
    if (outcome_ || missing_ > 0) return;
    if (++round_ < rounds) StartRound();
  }
  if (outcome_ || !unsent_.empty() || !untaken_.empty()) return;
  if (early_.empty()) {
    outcome_ = Outcome::kDone;
  } else {
    Disagree(early_.front().from, early_.front().header, nullptr);
  }
}

void CollectiveOperation::Send(const Part& part) {
  const Rank to = RankOf(part.peer);
  if (IsNear(to)) {
    Unsent unsent = {to, static_cast<std::uint32_t>(round_), part, 0};
    if (!unsent_.empty() || !TrySendByChannel(unsent)) unsent_.push_back(unsent);
    return;
  }
  if (!IsRead(part)) return SendByMessages(to, part);
  const std::size_t first = collective_.memory[0].size();
  const bool is_first = part.at < first;
  const RemoteAddress address = {regions_[is_first ? 0 : 1].remote(),
                                 is_first ? part.at : part.at - first};
  const FrameHeader header =
      HeaderOf(static_cast<std::uint32_t>(round_), CollectiveFrame::kMemory, part);
  std::array<std::byte, sizeof header + sizeof address> message;
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &address, sizeof address);
  untaken_.emplace_back(to, static_cast<std::uint32_t>(round_));
  carrier_.Send(to, message);
}

void CollectiveOperation::SendByMessages(Rank to, const Part& part) {
  FrameHeader header = HeaderOf(static_cast<std::uint32_t>(round_), CollectiveFrame::kData, part);
  const std::size_t most = PieceOf(carrier_.most_message_bytes() - sizeof header);
  std::vector<std::byte> message;
  std::size_t at = 0;
  do {
    const std::size_t bytes = std::min(most, part.bytes - at);
    header.at = at;
    message.resize(sizeof header + bytes);
    std::memcpy(message.data(), &header, sizeof header);
    if (bytes > 0) {
      std::memcpy(message.data() + sizeof header, At(part.at + at, bytes).data(), bytes);
    }
    carrier_.Send(to, message);
    at += bytes;
  } while (at < part.bytes);
}

// False: not all of it is sent.
bool CollectiveOperation::TrySendByChannel(Unsent& unsent) {
  Channels& channels = *carrier_.channels();
  FrameHeader header = HeaderOf(unsent.round, CollectiveFrame::kData, unsent.part);
  const std::size_t most = PieceOf(Channels::kMostPayload);
  // A receiver that keeps up would let one call copy for long.
  int frames = 0;
  do {
    if (++frames > kMostFrames) return false;
    const std::size_t bytes = std::min(most, unsent.part.bytes - unsent.sent);
    header.at = unsent.sent;
    const std::span<const std::byte> payload =
        bytes > 0 ? At(unsent.part.at + unsent.sent, bytes) : std::span<std::byte>();
    if (!channels.TryWrite(unsent.to, BytesOfValue(header), payload)) return false;
    unsent.sent += bytes;
  } while (unsent.sent < unsent.part.bytes);
  return true;
}

CollectiveOperation::Next CollectiveOperation::SendMore() {
  const topo::Lock lock(mutex_);
  if (outcome_) unsent_.clear();
  const bool had_unsent = !unsent_.empty();
  bool did = false;
  // A channel without room keeps no other rank waiting, and no frame overtakes another of its rank.
  std::vector<Rank> full;
  std::erase_if(unsent_, [&](Unsent& one) {
    if (std::find(full.begin(), full.end(), one.to) != full.end()) return false;
    const std::size_t before = one.sent;
    const bool is_sent = TrySendByChannel(one);
    did = did || is_sent || one.sent != before;
    if (!is_sent) full.push_back(one.to);
    return is_sent;
  });
  if (had_unsent && unsent_.empty()) Step();
  Next next = WhatIsNext();
  next.did = did;
  return next;
}

CollectiveOperation::Next CollectiveOperation::TryTake(Rank from, const FrameHeader& header,
                                                       std::span<const std::byte> payload) {
  const topo::Lock lock(mutex_);
  if (TakeLocked(from, header, payload) == Took::kNotYet) return {.did = false};
  Step();
  return WhatIsNext();
}

CollectiveOperation::Next CollectiveOperation::Take(Rank from, const FrameHeader& header,
                                                    std::span<const std::byte> payload) {
  const topo::Lock lock(mutex_);
  if (TakeLocked(from, header, payload) == Took::kTaken) {
    Step();
  } else {
    early_.push_back({from, header, {payload.begin(), payload.end()}});
  }
  return WhatIsNext();
}

bool CollectiveOperation::TakeEarly() {
  for (auto early = early_.begin(); early != early_.end(); ++early) {
    if (TakeLocked(early->from, early->header, early->payload) == Took::kNotYet) continue;
    early_.erase(early);
    return true;
  }
  return false;
}

CollectiveOperation::Took CollectiveOperation::TakeLocked(Rank from, const FrameHeader& header,
                                                          std::span<const std::byte> payload) {
  if (outcome_) return Took::kTaken;
  if (header.kind == CollectiveFrame::kDisagreement) {
    const bool is_member = std::find(members().begin(), members().end(), from) != members().end();
    if (!is_member || payload.size() != sizeof(Disagreement)) return Took::kTaken;
    disagreement_ = ValueIn<Disagreement>(payload);
    outcome_ = Outcome::kDisagreement;
    return Took::kTaken;
  }
  if (header.kind == CollectiveFrame::kTaken) {
    const auto part = std::find(untaken_.begin(), untaken_.end(), std::pair(from, header.round));
    if (part != untaken_.end()) untaken_.erase(part);
    return Took::kTaken;
  }
  if (!has_begun_ || header.round > round_) return Took::kNotYet;
  if (collective_.schedule->overwrites && !unsent_.empty()) return Took::kNotYet;
  const auto receipt = std::find_if(receipts_.begin(), receipts_.end(), [&](const Receipt& one) {
    return RankOf(one.part.peer) == from && one.done < std::max<std::size_t>(one.part.bytes, 1);
  });
  const bool is_expected = receipt != receipts_.end() && header.round == round_;
  if (!is_expected || receipt->part.bytes != header.part) {
    Disagree(from, header, is_expected ? &receipt->part : nullptr);
    return Took::kTaken;
  }
  // Whatever follows is from no rank of ours where it does not fit: it is dropped.
  const Part& part = receipt->part;
  if (header.kind == CollectiveFrame::kMemory) {
    if (IsRead(part) && !receipt->from && receipt->done == 0 &&
        payload.size() == sizeof(RemoteAddress)) {
      receipt->from = ValueIn<RemoteAddress>(payload);
    }
    return Took::kTaken;
  }
  const bool is_whole = header.at % collective_.unit == 0 && payload.size() % collective_.unit == 0;
  const bool fits = Fits(header.at, payload.size(), part.bytes);
  if (receipt->from || !fits || (part.combines && !is_whole)) return Took::kTaken;
  if (payload.empty() && part.bytes > 0) return Took::kTaken;
  PutPayload(part, header.at, payload);
  OnPart(*receipt, payload.size());
  return Took::kTaken;
}

void CollectiveOperation::PutPayload(const Part& part, std::uint64_t at,
                                     std::span<const std::byte> payload) {
  if (!payload.empty()) {
    PutPart(collective_, part, At(part.at + at, payload.size()), payload);
  }
}

void PutPart(const Collective& collective, const Part& part, std::span<std::byte> to,
             std::span<const std::byte> payload) {
  if (payload.empty()) return;
  if (!part.combines) {
    std::memcpy(to.data(), payload.data(), payload.size());
  } else if (!part.comes_first) {
    collective.combine(to, payload);
  } else {
    std::vector<std::byte> received(payload.begin(), payload.end());
    collective.combine(received, to);
    std::memcpy(to.data(), received.data(), received.size());
  }
}

// So many bytes of the receipt are in their place.
void CollectiveOperation::OnPart(Receipt& receipt, std::uint64_t bytes) {
  // An empty part is one frame.
  receipt.done = std::min<std::uint64_t>(receipt.done + bytes, receipt.part.bytes) +
                 (receipt.part.bytes == 0 ? 1 : 0);
  if (receipt.done < receipt.part.bytes) return;
  --missing_;
  if (!receipt.from) return;
  const FrameHeader header =
      HeaderOf(static_cast<std::uint32_t>(round_), CollectiveFrame::kTaken, receipt.part);
  carrier_.Send(RankOf(receipt.part.peer), BytesOfValue(header));
}

// All members fail with the same numbers.
void CollectiveOperation::Disagree(Rank from, const FrameHeader& header, const Part* expected) {
  outcome_ = Outcome::kDisagreement;
  disagreement_ = {.from = ToInt(from),
                   .to = ToInt(carrier_.rank()),
                   .sent = header.part,
                   .expected = expected != nullptr ? expected->bytes : 0,
                   .expects = expected != nullptr ? 1u : 0u};
  SendDisagreement(carrier_, members(), header, *disagreement_);
}

void SendDisagreement(CollectiveCarrier& carrier, std::span<const Rank> members, FrameHeader header,
                      const Disagreement& disagreement) {
  header.kind = CollectiveFrame::kDisagreement;
  std::array<std::byte, sizeof header + sizeof disagreement> message;
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &disagreement, sizeof disagreement);
  for (const Rank member : members) carrier.Send(member, message);
}

bool CollectiveOperation::NextRead(RemoteAddress& from, LocalAddress& to, Read*& read) {
  if (outcome_) return false;
  const auto idle =
      std::find_if(reads_.begin(), reads_.end(), [](const Read& one) { return !one.alive; });
  const auto receipt = std::find_if(receipts_.begin(), receipts_.end(), [](const Receipt& one) {
    return one.from && one.asked < one.part.bytes;
  });
  if (idle == reads_.end() || receipt == receipts_.end()) return false;
  const std::size_t most = PieceOf(receipt->part.combines ? kScratchPiece : kPiece);
  const std::uint64_t bytes = std::min<std::uint64_t>(most, receipt->part.bytes - receipt->asked);
  const auto number = static_cast<std::size_t>(idle - reads_.begin());
  *idle = {.operation = this,
           .alive = shared_from_this(),
           .receipt = static_cast<std::size_t>(receipt - receipts_.begin()),
           .number = number,
           .at = receipt->asked,
           .bytes = bytes};
  from = *receipt->from + receipt->asked;
  const std::size_t at = receipt->part.at + receipt->asked;
  const std::size_t first = collective_.memory[0].size();
  if (receipt->part.combines) {
    to = {scratch_->local(), number * kScratchPiece};
  } else {
    to = at < first ? LocalAddress{regions_[0].local(), at}
                    : LocalAddress{regions_[1].local(), at - first};
  }
  receipt->asked += bytes;
  read = &*idle;
  return true;
}

// One thread at a time: a conduit that reads at once would otherwise call this again for each
// piece.
CollectiveOperation::Next CollectiveOperation::PostReads() {
  topo::UniqueLock lock(mutex_);
  if (posts_reads_) return WhatIsNext();
  posts_reads_ = true;
  RemoteAddress from;
  LocalAddress to;
  Read* read = nullptr;
  while (NextRead(from, to, read)) {
    const std::uint64_t bytes = read->bytes;
    lock.Unlock();
    carrier_.Read(from, to, bytes, {&CollectiveOperation::OnRead, read});
    lock.Lock();
  }
  posts_reads_ = false;
  return WhatIsNext();
}

void CollectiveOperation::OnRead(void* data, Outcome outcome) {
  auto* const read = static_cast<Read*>(data);
  const std::shared_ptr<CollectiveOperation> operation = read->operation->shared_from_this();
  {
    const topo::Lock lock(operation->mutex_);
    operation->EndRead(*read, outcome);
    // The thread that posts reads goes on.
    if (operation->posts_reads_) return;
  }
  operation->owner_.OnRead(operation);
}

CollectiveOperation::Next CollectiveOperation::GoOn() {
  const topo::Lock lock(mutex_);
  return WhatIsNext();
}

void CollectiveOperation::EndRead(Read& read, Outcome outcome) {
  const Read ended = std::exchange(read, Read());
  if (outcome_) return;
  // The other rank's operation has failed, and its memory is gone: this rank learns of the reason.
  if (outcome == Outcome::kRefused) return;
  if (outcome != Outcome::kDone) {
    outcome_ = outcome;
    return;
  }
  Receipt& receipt = receipts_[ended.receipt];
  if (receipt.part.combines) {
    const std::byte* const piece = scratch_->local().start + ended.number * kScratchPiece;
    PutPayload(receipt.part, ended.at, {piece, ended.bytes});
  }
  OnPart(receipt, ended.bytes);
  Step();
}

CollectiveOperation::Next CollectiveOperation::Fail(Outcome outcome) {
  const topo::Lock lock(mutex_);
  if (!outcome_) outcome_ = outcome;
  return WhatIsNext();
}

std::optional<Disagreement> CollectiveOperation::disagreement() const {
  const topo::Lock lock(mutex_);
  return disagreement_;
}

void CollectiveOperation::Report(Outcome outcome) {
  if (outcome == Outcome::kDone && collective_.finish) collective_.finish(collective_.own);
  regions_ = {};
  collective_.then.Complete(outcome);
}

}  // namespace llcl
