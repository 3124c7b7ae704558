#include "llcl/messenger/outgoing.h"

namespace llcl {

bool OutgoingMessages::MayAdd(Rank to, std::uint64_t bytes) const {
  const auto held = held_.find(to);
  return held == held_.end() || held->second + bytes <= most_bytes_ / 2;
}

std::optional<LargeId> OutgoingMessages::TryAdd(const Message& message) {
  for (std::uint32_t slot = 0; slot < kLargeSlots; ++slot) {
    Entry& entry = entries_[slot];
    if (entry.is_taken) continue;
    const std::uint32_t generation = entry.generation + 1;
    entry = {.is_taken = true, .generation = generation, .message = message};
    held_[message.to] += message.bytes;
    ++incomplete_;
    return LargeId{slot, generation};
  }
  return std::nullopt;
}

OutgoingMessages::Message OutgoingMessages::Cancel(LargeId id) {
  Entry& entry = entries_[id.slot];
  --incomplete_;
  Free(entry);
  return entry.message;
}

void OutgoingMessages::Free(Entry& entry) {
  entry.is_taken = false;
  const auto held = held_.find(entry.message.to);
  held->second -= entry.message.bytes;
  if (held->second == 0) held_.erase(held);
}

// What follows from all that is known of a message.
OutgoingMessages::Due OutgoingMessages::Settle(std::uint32_t slot) {
  Entry& entry = entries_[slot];
  Due due = {.id = {slot, entry.generation}, .message = entry.message};
  if (!entry.command) return due;
  if (!entry.is_complete) {
    if (entry.answer && entry.seen == Seen::kYes) {
      due.completes = entry.answer;
    } else if (*entry.command != Outcome::kDone) {
      due.completes = entry.command;
    } else if (is_aborted_) {
      due.completes = Outcome::kAborted;
    } else if (entry.given_up) {
      due.completes = entry.given_up;
    } else if (entry.answer) {
      due.completes = Outcome::kRefused;
    }
    entry.is_complete = due.completes.has_value();
    incomplete_ -= entry.is_complete ? 1 : 0;
  }
  if (entry.answer || entry.is_down) {
    due.frees = true;
    due.was_unseen = entry.answer && entry.seen == Seen::kNo;
    Free(entry);
  } else if (entry.is_complete && !entry.is_withdrawn) {
    due.withdraws = entry.is_withdrawn = true;
  }
  return due;
}

OutgoingMessages::Due OutgoingMessages::OnCommandEnd(std::uint32_t slot, Outcome outcome,
                                                     std::int64_t now_ms) {
  Entry& entry = entries_[slot];
  entry.command = outcome;
  entry.is_down = IsGone(outcome);
  entry.deadline_ms = now_ms + most_ms_;
  return Settle(slot);
}

std::optional<OutgoingMessages::Due> OutgoingMessages::OnAnswer(Rank from, LargeId id,
                                                                Outcome outcome, Seen seen) {
  if (id.slot >= kLargeSlots) return std::nullopt;
  Entry& entry = entries_[id.slot];
  if (!entry.is_taken || entry.generation != id.generation || entry.message.to != from ||
      entry.answer) {
    return std::nullopt;
  }
  entry.answer = outcome;
  entry.seen = seen;
  return Settle(id.slot);
}

void OutgoingMessages::GiveUp(std::int64_t now_ms, absl::FunctionRef<Presence(Rank)> presence,
                              absl::FunctionRef<void(const Due&)> f) {
  for (std::uint32_t slot = 0; slot < kLargeSlots && !held_.empty(); ++slot) {
    Entry& entry = entries_[slot];
    if (!entry.is_taken || !entry.command) continue;
    if (const Presence there = presence(entry.message.to); there != Presence::kHere) {
      entry.is_down = true;
      entry.given_up = OutcomeOf(there);
    } else if (most_ms_ > 0 && now_ms >= entry.deadline_ms) {
      entry.given_up = Outcome::kLate;
      // Again from time to time: what asks to withdraw it may get lost, too.
      entry.is_withdrawn = false;
      entry.deadline_ms = now_ms + most_ms_;
    } else {
      continue;
    }
    f(Settle(slot));
  }
}

void OutgoingMessages::Abort(absl::FunctionRef<void(const Due&)> f) {
  is_aborted_ = true;
  for (std::uint32_t slot = 0; slot < kLargeSlots; ++slot) {
    if (entries_[slot].is_taken) f(Settle(slot));
  }
}

}  // namespace llcl
