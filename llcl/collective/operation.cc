#include "llcl/collective/operation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

namespace llcl {

CollectiveOperation::CollectiveOperation(const CollectiveId& id, Collective collective,
                                         std::int64_t deadline_ms, CollectiveCarrier& carrier,
                                         CollectiveOwner& owner)
    : id_(id),
      deadline_ms_(deadline_ms),
      carrier_(carrier),
      owner_(owner),
      collective_(std::move(collective)),
      outgoing_(id_, collective_, carrier, owner.windows()),
      reads_(collective_, carrier, owner) {
  if (collective_.own.empty()) return;
  collective_.memory[collective_.memory[0].empty() ? 0 : 1] = collective_.own;
}

CollectiveOperation::~CollectiveOperation() {
  const topo::Lock lock(mutex_);
  if (outcome_ == Outcome::kDone) reads_.GiveScratch();
}

bool CollectiveOperation::Prepare() {
  const topo::Lock lock(mutex_);
  return reads_.Prepare();
}

CollectiveOperation::Next CollectiveOperation::WhatIsNext() {
  Next next;
  next.has_unsent = !outgoing_.empty();
  next.has_reads = !outcome_ && !posts_reads_ && reads_.HasNext(receipts_);
  // A read under way still writes to the caller's memory.
  if (outcome_ && reads_.empty() && !std::exchange(is_reported_, true)) {
    outgoing_.Drop();
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
  const Round& now = collective_.schedule->rounds[round_];
  receipts_.clear();
  for (const Part& part : now.receipts) receipts_.push_back({.part = part});
  missing_ = receipts_.size();
  for (std::size_t i = 0; i < receipts_.size() && done.receipts != 0; ++i) {
    if ((done.receipts >> i & 1) == 0) continue;
    receipts_[i].done = std::max<std::size_t>(receipts_[i].part.bytes, 1);
    --missing_;
  }
  for (const Part& part : now.receipts) {
    const Rank from = collective_.RankOf(part.peer);
    if (!outgoing_.IsAsked(from, part)) continue;
    carrier_.Send(from, BytesOfValue(HeaderOf(CollectiveFrame::kReady, part)));
  }
  for (std::size_t i = done.sends; i < now.sends.size(); ++i) {
    const Part& part = now.sends[i];
    if (reads_.IsRead(part)) {
      Announce(part);
    } else {
      outgoing_.Send(round(), part);
    }
  }
}

// Goes on as far as the frames that have come allow.
void CollectiveOperation::Step() {
  if (!has_begun_) return;
  const std::size_t rounds = collective_.schedule->rounds.size();
  while (!outcome_ && round_ < rounds) {
    // Also where no receipt is missing: the receiver of a part may be ready.
    while (!outcome_ && TakeEarly()) {
    }
    if (outcome_ || missing_ > 0) return;
    if (++round_ < rounds) StartRound();
  }
  if (outcome_ || !outgoing_.empty() || !untaken_.empty()) return;
  if (early_.empty()) {
    outcome_ = Outcome::kDone;
  } else if (const EarlyFrame& first = early_.front();
             first.header.kind == CollectiveFrame::kReady) {
    DisagreeOnReady(first.from, first.header, 0);
  } else {
    Disagree(first.from, first.header, nullptr);
  }
}

void CollectiveOperation::Announce(const Part& part) {
  const FrameHeader header = HeaderOf(CollectiveFrame::kMemory, part);
  const RemoteAddress address = reads_.AddressOf(part);
  std::array<std::byte, sizeof header + sizeof address> message;
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &address, sizeof address);
  const Rank to = collective_.RankOf(part.peer);
  untaken_.emplace_back(to, round());
  carrier_.Send(to, message);
}

CollectiveOperation::Next CollectiveOperation::SendMore() {
  const topo::Lock lock(mutex_);
  bool did = false;
  if (!outcome_ && !outgoing_.empty()) {
    did = outgoing_.SendMore();
    if (outgoing_.empty()) Step();
  }
  Next next = WhatIsNext();
  next.did = did;
  return next;
}

CollectiveOperation::Next CollectiveOperation::TryTake(const ComeFrame& frame) {
  const topo::Lock lock(mutex_);
  if (TakeLocked(frame.from, frame.header, frame.payload) == Took::kNotYet) return {.did = false};
  Step();
  return WhatIsNext();
}

CollectiveOperation::Next CollectiveOperation::Take(const ComeFrame& frame) {
  const topo::Lock lock(mutex_);
  if (TakeLocked(frame.from, frame.header, frame.payload) == Took::kTaken) {
    Step();
  } else {
    early_.push_back(frame.Keep());
  }
  return WhatIsNext();
}

CollectiveOperation::Next CollectiveOperation::AskSilent(std::int64_t now_ms) {
  constexpr std::int64_t kSilentMs = 50;
  const topo::Lock lock(mutex_);
  if (!outcome_ && has_begun_ && std::exchange(seen_round_, round_) != round_) seen_ms_ = now_ms;
  if (!outcome_ && seen_ms_ != 0 && now_ms - seen_ms_ >= kSilentMs) {
    seen_ms_ = 0;
    for (const Receipt& receipt : receipts_) {
      if (receipt.done > 0 || receipt.from) continue;
      carrier_.Send(collective_.RankOf(receipt.part.peer),
                    BytesOfValue(HeaderOf(CollectiveFrame::kReady, receipt.part)));
    }
  }
  return WhatIsNext();
}

Receipt* CollectiveOperation::ReceiptOf(Rank from) {
  const auto found = std::find_if(receipts_.begin(), receipts_.end(), [&](const Receipt& one) {
    return collective_.RankOf(one.part.peer) == from && !one.is_done();
  });
  return found == receipts_.end() ? nullptr : &*found;
}

bool CollectiveOperation::Fits(const Part& part, std::uint64_t at, std::size_t bytes) const {
  const bool is_whole = at % collective_.unit == 0 && bytes % collective_.unit == 0;
  return llcl::Fits(at, bytes, part.bytes) && (bytes > 0 || part.bytes == 0) &&
         (is_whole || !part.combines);
}

Receipt* CollectiveOperation::PlaceOf(Rank from, const FrameHeader& header, std::size_t bytes) {
  const bool is_now = !outcome_ && has_begun_ && header.round == round_ && HasData(header.kind) &&
                      !(collective_.schedule->overwrites && !outgoing_.empty());
  if (!is_now) return nullptr;
  Receipt* const receipt = ReceiptOf(from);
  const bool fits = receipt != nullptr && !receipt->from && receipt->part.bytes == header.part &&
                    (!receipt->part.combines ||
                     (header.unit == collective_.unit && collective_.is_own_combine)) &&
                    Fits(receipt->part, header.at, bytes);
  return fits ? receipt : nullptr;
}

CollectiveOperation::Put CollectiveOperation::TryPut(Rank from, const FrameHeader& header,
                                                     std::span<const std::byte> piece) {
  if (!mutex_.TryLock()) return Put::kNot;
  Put put = Put::kNot;
  if (Receipt* const receipt = PlaceOf(from, header, piece.size())) {
    collective_.Put(receipt->part, header.at, piece);
    OnPart(*receipt, piece.size());
    put = missing_ == 0 ? Put::kLast : Put::kPut;
  }
  mutex_.Unlock();
  return put;
}

CollectiveOperation::Put CollectiveOperation::TryFill(Rank from, const FrameHeader& header,
                                                      std::size_t most, StreamTaker::Fill fill) {
  if (!mutex_.TryLock()) return Put::kNot;
  Put put = Put::kNot;
  Receipt* const receipt = PlaceOf(from, header, most);
  if (receipt != nullptr && !receipt->part.combines) {
    OnPart(*receipt, fill(collective_.At(receipt->part.at + header.at, most)));
    put = missing_ == 0 ? Put::kLast : Put::kPut;
  }
  mutex_.Unlock();
  return put;
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
  switch (header.kind) {
    case CollectiveFrame::kDisagreement: {
      const bool is_member = std::find(members().begin(), members().end(), from) != members().end();
      if (!is_member || payload.size() != sizeof(Disagreement)) return Took::kTaken;
      disagreement_ = ValueIn<Disagreement>(payload);
      outcome_ = Outcome::kDisagreement;
      return Took::kTaken;
    }
    case CollectiveFrame::kTaken: {
      const auto part = std::find(untaken_.begin(), untaken_.end(), std::pair(from, header.round));
      if (part != untaken_.end()) untaken_.erase(part);
      return Took::kTaken;
    }
    case CollectiveFrame::kReady:
      return TakeReady(from, header);
    case CollectiveFrame::kAsk:
      return TakeAsk(from, header);
    case CollectiveFrame::kTold:
      return Took::kTaken;
    case CollectiveFrame::kData:
    case CollectiveFrame::kAhead:
    case CollectiveFrame::kMemory:
      break;
  }
  return TakeData(from, header, payload);
}

// Of the part to the rank in that round; 0: there is none.
std::size_t CollectiveOperation::BytesTo(Rank rank, std::uint32_t round) const {
  if (round >= collective_.schedule->rounds.size()) return 0;
  for (const Part& part : collective_.schedule->rounds[round].sends) {
    if (collective_.RankOf(part.peer) == rank) return part.bytes;
  }
  return 0;
}

CollectiveOperation::Took CollectiveOperation::TakeReady(Rank from, const FrameHeader& header) {
  if (!has_begun_ || header.round > round_) return Took::kNotYet;
  const std::size_t sent = BytesTo(from, header.round);
  if (sent == header.part) {
    outgoing_.OnReady(from, header.round);
    (void)outgoing_.SendMore();
  } else {
    DisagreeOnReady(from, header, sent);
  }
  return Took::kTaken;
}

CollectiveOperation::Took CollectiveOperation::TakeAsk(Rank from, const FrameHeader& header) {
  if (!has_begun_ || header.round > round_) return Took::kNotYet;
  const Receipt* const receipt = header.round == round_ ? ReceiptOf(from) : nullptr;
  if (receipt != nullptr && receipt->part.bytes != header.part) {
    Disagree(from, header, &receipt->part);
  } else {
    SayReady(carrier_, from, header);
  }
  return Took::kTaken;
}

CollectiveOperation::Took CollectiveOperation::TakeData(Rank from, const FrameHeader& header,
                                                        std::span<const std::byte> payload) {
  if (!has_begun_ || header.round > round_) return Took::kNotYet;
  if (collective_.schedule->overwrites && !outgoing_.empty()) return Took::kNotYet;
  Receipt* const receipt = header.round == round_ ? ReceiptOf(from) : nullptr;
  const bool has_other_unit = receipt != nullptr && receipt->part.combines && header.unit != 0 &&
                              header.unit != collective_.unit;
  if (receipt == nullptr || receipt->part.bytes != header.part || has_other_unit) {
    Disagree(from, header, receipt != nullptr ? &receipt->part : nullptr);
    return Took::kTaken;
  }
  // Whatever follows is from no rank of ours where it does not fit: it is dropped.
  const Part& part = receipt->part;
  if (header.kind == CollectiveFrame::kMemory) {
    if (reads_.IsRead(part) && !receipt->from && receipt->done == 0 &&
        payload.size() == sizeof(RemoteAddress)) {
      receipt->from = ValueIn<RemoteAddress>(payload);
    }
    return Took::kTaken;
  }
  if (receipt->from || !Fits(part, header.at, payload.size())) return Took::kTaken;
  collective_.Put(part, header.at, payload);
  OnPart(*receipt, payload.size());
  return Took::kTaken;
}

// So many bytes of the receipt are in their place.
void CollectiveOperation::OnPart(Receipt& receipt, std::uint64_t bytes) {
  // An empty part is one frame.
  receipt.done = std::min<std::uint64_t>(receipt.done + bytes, receipt.part.bytes) +
                 (receipt.part.bytes == 0 ? 1 : 0);
  if (!receipt.is_done()) return;
  --missing_;
  if (!receipt.from) return;
  carrier_.Send(collective_.RankOf(receipt.part.peer),
                BytesOfValue(HeaderOf(CollectiveFrame::kTaken, receipt.part)));
}

// All members fail with the same numbers.
void CollectiveOperation::Disagree(Rank from, const FrameHeader& header, const Part* expected) {
  Disagreement one = {.from = ToInt(from), .to = ToInt(carrier_.rank()), .sent = header.part};
  if (expected != nullptr && expected->bytes == header.part) {
    one.about = Disagreement::About::kElements;
    one.sent = header.unit;
    one.expected = collective_.unit;
  } else if (expected != nullptr) {
    one.about = Disagreement::About::kPart;
    one.expected = expected->bytes;
  }
  TellAll(header, one);
}

// The rank is ready for another part than this one sends, of `sent` bytes or of none.
void CollectiveOperation::DisagreeOnReady(Rank from, const FrameHeader& header, std::size_t sent) {
  TellAll(header, {.from = ToInt(carrier_.rank()),
                   .to = ToInt(from),
                   .sent = sent,
                   .expected = header.part,
                   .about = Disagreement::About::kPart});
}

void CollectiveOperation::TellAll(const FrameHeader& header, const Disagreement& disagreement) {
  outcome_ = Outcome::kDisagreement;
  disagreement_ = disagreement;
  SendDisagreement(carrier_, members(), header, disagreement);
}

void SayReady(CollectiveCarrier& carrier, Rank to, FrameHeader header) {
  header.kind = CollectiveFrame::kReady;
  carrier.Send(to, BytesOfValue(header));
}

void SendDisagreement(CollectiveCarrier& carrier, std::span<const Rank> members, FrameHeader header,
                      const Disagreement& disagreement) {
  header.kind = CollectiveFrame::kDisagreement;
  std::array<std::byte, sizeof header + sizeof disagreement> message;
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &disagreement, sizeof disagreement);
  for (const Rank member : members) carrier.SendNotice(member, message);
}

// One thread at a time: a conduit that reads at once would otherwise call this again for each
// piece.
CollectiveOperation::Next CollectiveOperation::PostReads() {
  topo::UniqueLock lock(mutex_);
  if (posts_reads_) return WhatIsNext();
  posts_reads_ = true;
  while (!outcome_) {
    const auto request = reads_.Next(receipts_, shared_from_this());
    if (!request) break;
    const std::uint64_t bytes = request->read->bytes;
    lock.Unlock();
    carrier_.Read(request->from, request->to, bytes, {&CollectiveOperation::OnRead, request->read});
    lock.Lock();
  }
  posts_reads_ = false;
  return WhatIsNext();
}

void CollectiveOperation::OnRead(void* data, Outcome outcome) {
  auto* const read = static_cast<PartReads::Read*>(data);
  const std::shared_ptr<CollectiveOperation> operation = read->alive;
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
  Step();
  return WhatIsNext();
}

void CollectiveOperation::EndRead(PartReads::Read& read, Outcome outcome) {
  const PartReads::Read ended = std::exchange(read, PartReads::Read());
  if (outcome_) return;
  // The other rank's operation has failed, and its memory is gone: this rank learns of the reason.
  if (outcome == Outcome::kRefused) return;
  if (outcome != Outcome::kDone) {
    outcome_ = outcome;
    return;
  }
  Receipt& receipt = receipts_[ended.receipt];
  if (receipt.part.combines) collective_.Put(receipt.part, ended.at, reads_.BytesOf(ended));
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
  {
    // What the program has given goes here, and not where the last reference ends: that may be
    // under the executor's lock.
    CombineFunction combine;
    std::function<void(std::span<const std::byte>)> finish;
    std::array<Region, 2> regions;
    const topo::Lock lock(mutex_);
    combine.swap(collective_.combine);
    finish.swap(collective_.finish);
    regions = reads_.TakeRegions();
  }
  collective_.then.Complete(outcome);
}

}  // namespace llcl
