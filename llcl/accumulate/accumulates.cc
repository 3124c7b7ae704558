#include "llcl/accumulate/accumulates.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "llcl/system/clock.h"

namespace llcl {
namespace {

std::size_t Index(Rank rank) { return static_cast<std::size_t>(ToInt(rank)); }

template <typename T>
T HeadOf(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

Accumulates::Accumulates(int ranks, Messenger& messenger, Registration& registration,
                         const Bulk& bulk)
    : messenger_(messenger), registration_(registration), bulk_(bulk) {
  for (int rank = 0; rank < ranks; ++rank) {
    origins_.push_back(std::make_unique<Origin>());
    owners_.push_back(std::make_unique<Owner>());
    const topo::Lock lock(owners_.back()->mutex);
    owners_.back()->next = owners_.back()->operations.end();
  }
}

Posted Accumulates::TryAccumulate(const Accumulation& accumulation) {
  const std::size_t bytes = accumulation.from.size();
  const RemoteAddress& to = accumulation.to;
  if (!CanAccumulate(accumulation.type, accumulation.op) ||
      bytes % BytesOf(accumulation.type) != 0 || !Fits(to.offset, bytes, to.region.bytes)) {
    return Posted::kBadRange;
  }
  if (bytes == 0) {
    accumulation.then.Complete(Outcome::kDone);
    return Posted::kPosted;
  }
  const Rank rank = to.region.owner;
  Owner& owner = *owners_[Index(rank)];
  const topo::Lock lock(owner.mutex);
  if (is_aborted_.load(std::memory_order_relaxed)) return Posted::kClosing;
  if (owner.operations.size() >= kMostWaiting) return Posted::kFull;
  pending_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t deadline = accumulation.most_ms == 0 ? 0 : NowMs() + accumulation.most_ms;
  owner.operations.push_back({.asked = accumulation, .deadline_ms = deadline});
  if (owner.next == owner.operations.end()) owner.next = std::prev(owner.operations.end());
  SendSome(rank, owner);
  return Posted::kPosted;
}

void Accumulates::SendSome(Rank to, Owner& owner) {
  std::vector<std::byte> message;
  while (owner.under_way.size() < kWindow && owner.next != owner.operations.end()) {
    Operation& operation = *owner.next;
    const std::size_t left = operation.asked.from.size() - operation.sent;
    if (left == 0 || operation.outcome != Outcome::kDone) {
      ++owner.next;
      continue;
    }
    const std::size_t bytes = std::min(left, kMostBytes);
    const PieceHeader header = {.header = {Kind::kPiece, owner.number++},
                                .region = operation.asked.to.region,
                                .offset = operation.asked.to.offset + operation.sent,
                                .type = operation.asked.type,
                                .op = operation.asked.op};
    message.resize(sizeof header + bytes);
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, operation.asked.from.data() + operation.sent,
                bytes);
    operation.sent += bytes;
    owner.under_way.push_back({header.header.number, owner.next, bytes});
    messenger_.SendInternal(to, Internal::kAccumulate, message);
  }
}

bool Accumulates::OnMessage(Rank from, std::span<const std::byte> message) {
  if (message.size() < sizeof(Header) || Index(from) >= owners_.size()) return false;
  switch (HeadOf<Header>(message).kind) {
    case Kind::kPiece:
      return OnPiece(from, message);
    case Kind::kAnswer:
      return message.size() == sizeof(Answer) && OnAnswer(from, HeadOf<Answer>(message));
  }
  return false;
}

bool Accumulates::OnPiece(Rank from, std::span<const std::byte> message) {
  if (message.size() <= sizeof(PieceHeader)) return false;
  const std::uint32_t number = HeadOf<Header>(message).number;
  Origin& origin = *origins_[Index(from)];
  const topo::Lock lock(origin.mutex);
  // As numbers, which wrap, differ by less than the window.
  const std::uint32_t ahead = number - origin.next;
  if (ahead >= kWindow) return false;
  if (ahead > 0) {
    return origin.early.emplace(number, std::vector(message.begin(), message.end())).second;
  }
  Execute(from, message);
  ++origin.next;
  for (auto at = origin.early.find(origin.next); at != origin.early.end();
       at = origin.early.find(origin.next)) {
    Execute(from, at->second);
    origin.early.erase(at);
    ++origin.next;
  }
  return true;
}

void Accumulates::Execute(Rank from, std::span<const std::byte> message) {
  const auto header = HeadOf<PieceHeader>(message);
  const std::span<const std::byte> elements = message.subspan(sizeof header);
  Outcome outcome = Outcome::kRefused;
  if (CanAccumulate(header.type, header.op)) {
    (void)registration_.With(header.region, [&](std::span<std::byte> memory) {
      if (!Fits(header.offset, elements.size(), memory.size())) return;
      if (AccumulateElements(header.type, header.op, memory.data() + header.offset, elements)) {
        outcome = Outcome::kDone;
      }
    });
  }
  const Answer answer = {{Kind::kAnswer, header.header.number},
                         static_cast<std::uint64_t>(outcome)};
  messenger_.SendInternal(from, Internal::kAccumulate, std::as_bytes(std::span(&answer, 1)));
}

bool Accumulates::OnAnswer(Rank from, const Answer& answer) {
  Owner& owner = *owners_[Index(from)];
  const bool is_done = answer.outcome == static_cast<std::uint64_t>(Outcome::kDone);
  std::vector<Ended> ended;
  {
    const topo::Lock lock(owner.mutex);
    const auto found =
        std::find_if(owner.under_way.begin(), owner.under_way.end(),
                     [&](const Piece& piece) { return piece.number == answer.header.number; });
    if (found == owner.under_way.end()) return false;
    Operation& operation = *found->operation;
    operation.answered += found->bytes;
    if (!is_done && operation.outcome == Outcome::kDone) operation.outcome = Outcome::kRefused;
    owner.under_way.erase(found);
    SendSome(from, owner);
    TakeEnded(owner, ended);
  }
  Report(ended);
  return true;
}

void Accumulates::TakeEnded(Owner& owner, std::vector<Ended>& ended) {
  for (auto at = owner.operations.begin(); at != owner.operations.end();) {
    if (!at->is_over()) {
      ++at;
      continue;
    }
    if (!at->is_reported) ended.push_back({at->asked.then, at->outcome});
    if (owner.next == at) ++owner.next;
    at = owner.operations.erase(at);
  }
}

void Accumulates::EndAll(Owner& owner, Outcome outcome, std::vector<Ended>& ended) {
  for (const Operation& operation : owner.operations) {
    if (!operation.is_reported) ended.push_back({operation.asked.then, outcome});
  }
  owner.under_way.clear();
  owner.operations.clear();
  owner.next = owner.operations.end();
}

void Accumulates::GiveUp() {
  if (!IsPending()) return;
  std::vector<Ended> ended;
  const std::int64_t now = NowMs();
  for (std::size_t rank = 0; rank < owners_.size(); ++rank) {
    Owner& owner = *owners_[rank];
    const topo::Lock lock(owner.mutex);
    if (owner.operations.empty()) continue;
    const Presence there = bulk_.PresenceOf(Rank{static_cast<int>(rank)});
    if (there != Presence::kHere) {
      EndAll(owner, OutcomeOf(there), ended);
      continue;
    }
    for (Operation& operation : owner.operations) {
      const std::int64_t deadline = operation.deadline_ms;
      if (operation.is_reported || deadline == 0 || now < deadline) continue;
      // Its pieces that are under way are still answered.
      operation.outcome = Outcome::kLate;
      operation.is_reported = true;
      ended.push_back({operation.asked.then, Outcome::kLate});
    }
    TakeEnded(owner, ended);
  }
  Report(ended);
}

void Accumulates::Abort() {
  is_aborted_.store(true, std::memory_order_relaxed);
  std::vector<Ended> ended;
  for (const auto& owner : owners_) {
    const topo::Lock lock(owner->mutex);
    EndAll(*owner, Outcome::kAborted, ended);
  }
  Report(ended);
}

void Accumulates::Report(std::span<const Ended> ended) {
  for (const Ended& one : ended) {
    one.then.Complete(one.outcome);
    // Last: who waits for none knows that all are reported.
    pending_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace llcl
