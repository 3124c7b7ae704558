#include "llcl/messenger/incoming.h"

#include <iterator>

namespace llcl {

bool IncomingMessages::TryAccept(const IncomingMessage& message) {
  Sender& sender = Of(message.from);
  const LargeId id = message.announcement.id;
  if (id.slot >= kLargeSlots || sender.open == most_open_) return false;
  if (sender.lowest.empty()) sender.lowest.resize(kLargeSlots);
  if (id.generation < sender.lowest[id.slot]) return false;
  sender.lowest[id.slot] = id.generation + 1;
  ++sender.open;
  waiting_.push_back(message);
  return true;
}

IncomingMessage& IncomingMessages::Start() {
  reading_.splice(reading_.end(), waiting_, waiting_.begin());
  return reading_.back();
}

void IncomingMessages::Remove(const IncomingMessage& message) {
  --Of(message.from).open;
  reading_.remove_if([&](const IncomingMessage& one) { return &one == &message; });
}

IncomingMessages::Withdrawn IncomingMessages::OnWithdraw(Rank from, LargeId id, MessageForm& form) {
  if (id.slot >= kLargeSlots) return Withdrawn::kNonsense;
  Sender& sender = Of(from);
  const auto is_it = [&](const IncomingMessage& one) {
    return one.from == from && one.announcement.id == id;
  };
  if (std::any_of(reading_.begin(), reading_.end(), is_it)) return Withdrawn::kReading;
  const auto waits = std::find_if(waiting_.begin(), waiting_.end(), is_it);
  if (waits != waiting_.end()) {
    form = waits->form;
    waiting_.erase(waits);
    --sender.open;
    return Withdrawn::kWaited;
  }
  if (sender.lowest.empty()) sender.lowest.resize(kLargeSlots);
  if (id.generation < sender.lowest[id.slot]) return Withdrawn::kAnswered;
  sender.lowest[id.slot] = id.generation + 1;
  return Withdrawn::kUnseen;
}

void IncomingMessages::DropWaiting() {
  for (const IncomingMessage& one : waiting_) --Of(one.from).open;
  waiting_.clear();
}

}  // namespace llcl
