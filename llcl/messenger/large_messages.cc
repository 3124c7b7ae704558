#include "llcl/messenger/large_messages.h"

#include <cstring>

#include "llcl/system/clock.h"

namespace llcl {
namespace {

template <typename T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <typename T>
bool Parse(std::span<const std::byte> bytes, T& value) {
  if (bytes.size() != sizeof value) return false;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return true;
}

}  // namespace

LargeMessages::LargeMessages(int ranks, const LargeOptions& options, Bulk& bulk,
                             SmallMessages& small)
    : options_(options),
      bulk_(bulk),
      small_(small),
      out_(bulk, options.bytes),
      in_(bulk, options.bytes),
      slots_(kLargeSlots),
      outgoing_(options.bytes, options.most_ms),
      incoming_(ranks, options.most_open) {
  for (std::uint32_t slot = 0; slot < kLargeSlots; ++slot) slots_[slot] = {this, slot};
}

// Sender.

Posted LargeMessages::TryPrepare(Rank to, std::span<const std::byte> payload, Completion then,
                                 Prepared& prepared) {
  return TryCopy(to, MessageForm::kRequest, payload, then, prepared);
}

Posted LargeMessages::TryCopy(Rank to, MessageForm form, std::span<const std::byte> payload,
                              Completion then, Prepared& prepared) {
  if (payload.size() > options_.bytes) return Posted::kTooLong;
  std::uint64_t at = 0;
  {
    const topo::Lock lock(mutex_);
    if (!outgoing_.MayAdd(to, payload.size())) return Posted::kFull;
    switch (out_.TryTake(payload.size(), at)) {
      case RegisteredArena::Room::kTaken:
        break;
      case RegisteredArena::Room::kFull:
        return Posted::kFull;
      case RegisteredArena::Room::kNoMemory:
        return Posted::kTooLong;
    }
    const std::optional<LargeId> id =
        outgoing_.TryAdd({.to = to, .form = form, .at = at, .bytes = payload.size(), .then = then});
    if (!id) {
      out_.Free(at);
      return Posted::kFull;
    }
    prepared.announcement.id = *id;
  }
  // Without the lock: the payload may be memory whose page faults are handled by messages.
  std::memcpy(out_.local().start + at, payload.data(), payload.size());
  prepared.announcement.region = out_.remote();
  prepared.announcement.at = at;
  prepared.announcement.bytes = payload.size();
  prepared.then = Completion(&OnAnnounced, &slots_[prepared.announcement.id.slot]);
  return Posted::kPosted;
}

void LargeMessages::Cancel(LargeId id) {
  OutgoingMessages::Message message;
  {
    const topo::Lock lock(mutex_);
    message = outgoing_.Cancel(id);
  }
  out_.Free(message.at);
  StartReplies();
}

bool LargeMessages::TryReply(Rank to, std::uint16_t handler, std::span<const std::byte> payload) {
  Prepared prepared;
  switch (TryCopy(to, MessageForm::kReply, payload, {}, prepared)) {
    case Posted::kPosted:
      small_.SendReplyAnnouncement(to, handler, BytesOf(prepared.announcement), prepared.then);
      return true;
    case Posted::kFull:
      return false;
    default:
      small_.TakeBack(to, MessageForm::kReply);
      return true;
  }
}

void LargeMessages::Reply(Rank to, std::uint16_t handler, std::span<const std::byte> payload) {
  if (TryReply(to, handler, payload)) return;
  {
    const topo::Lock lock(mutex_);
    if (is_aborted_) return;
    waiting_replies_.push_back({to, handler, {payload.begin(), payload.end()}, NowMs()});
  }
  // Room may have come meanwhile.
  StartReplies();
}

// As many as there is room for, the oldest first. Not by Retries: an answer to a large message,
// which makes room, must not wait behind them.
void LargeMessages::StartReplies() {
  while (true) {
    WaitingReply reply;
    {
      const topo::Lock lock(mutex_);
      if (waiting_replies_.empty()) return;
      reply = std::move(waiting_replies_.front());
      waiting_replies_.pop_front();
    }
    if (TryReply(reply.to, reply.handler, reply.payload)) continue;
    const topo::Lock lock(mutex_);
    waiting_replies_.push_front(std::move(reply));
    return;
  }
}

void LargeMessages::OnAnnounced(void* data, Outcome outcome) {
  const Slot& slot = *static_cast<const Slot*>(data);
  OutgoingMessages::Due due;
  {
    const topo::Lock lock(slot.self->mutex_);
    due = slot.self->outgoing_.OnCommandEnd(slot.slot, outcome, NowMs());
  }
  slot.self->Do(due);
}

void LargeMessages::Do(const OutgoingMessages::Due& due) {
  if (due.frees) out_.Free(due.message.at);
  if (due.was_unseen) small_.TakeBack(due.message.to, due.message.form);
  if (due.withdraws) small_.SendWithdrawal(due.message.to, BytesOf(due.id));
  if (due.completes) {
    small_.CountEnd(*due.completes);
    due.message.then.Complete(*due.completes);
  }
  if (due.frees) StartReplies();
}

bool LargeMessages::OnAnswer(Rank from, std::span<const std::byte> bytes) {
  Answer answer;
  if (!Parse(bytes, answer) || answer.outcome > static_cast<std::uint32_t>(Outcome::kNoRoom)) {
    return false;
  }
  std::optional<OutgoingMessages::Due> due;
  {
    const topo::Lock lock(mutex_);
    due = outgoing_.OnAnswer(from, answer.id, static_cast<Outcome>(answer.outcome),
                             answer.was_seen != 0 ? Seen::kYes : Seen::kNo);
  }
  if (due) Do(*due);
  return due.has_value();
}

// Receiver.

void LargeMessages::SendAnswer(Rank to, LargeId id, Outcome outcome, Seen seen) {
  const Answer answer = {id, static_cast<std::uint32_t>(outcome), seen == Seen::kYes ? 1u : 0u};
  small_.SendAnswer(to, BytesOf(answer));
}

bool LargeMessages::OnAnnouncement(Rank from, std::uint16_t handler, MessageForm form,
                                   std::span<const std::byte> bytes) {
  Announcement announcement;
  if (!Parse(bytes, announcement)) return false;
  // That it lies in a region of the sender's is found out when it is read.
  if (announcement.region.owner != from || announcement.bytes > options_.bytes ||
      handler >= options_.handlers) {
    SendAnswer(from, announcement.id, Outcome::kRefused, Seen::kYes);
    if (form == MessageForm::kReply) small_.Drop(from, form);
    return false;
  }
  {
    const topo::Lock lock(mutex_);
    if (is_aborted_) return true;
    IncomingMessage message(from, handler, form, announcement);
    message.owner = this;
    if (!incoming_.TryAccept(message)) return false;
  }
  StartWaiting();
  return true;
}

// Starts messages that wait, while there is room. One thread at a time, in a loop, as a read may be
// done at once, and its handler make room.
void LargeMessages::StartWaiting() {
  {
    const topo::Lock lock(mutex_);
    if (is_starting_) return;
    is_starting_ = true;
  }
  while (IncomingMessage* const message = TryStart()) ReadMore(*message);
}

// Null: there is none, or no room; then no thread is starting any more.
IncomingMessage* LargeMessages::TryStart() {
  const topo::Lock lock(mutex_);
  const IncomingMessage* const waiting = incoming_.waiting();
  std::uint64_t room = 0;
  RegisteredArena::Room taken = RegisteredArena::Room::kFull;
  if (waiting != nullptr) taken = in_.TryTake(waiting->announcement.bytes, room);
  if (taken == RegisteredArena::Room::kFull) {
    is_starting_ = false;
    return nullptr;
  }
  IncomingMessage& message = incoming_.Start();
  message.room = room;
  message.has_room = taken == RegisteredArena::Room::kTaken;
  if (!message.has_room) message.Refuse(Outcome::kNoRoom);
  return &message;
}

// Precondition: message.is_posting, by this thread. The message may be gone afterwards.
void LargeMessages::ReadMore(IncomingMessage& message) {
  while (true) {
    std::optional<IncomingMessage::Piece> piece;
    bool is_over = false;
    {
      const topo::Lock lock(mutex_);
      piece = message.Next();
      if (!piece) {
        message.is_posting = false;
        is_over = message.IsOver();
      }
    }
    if (is_over) return Finish(message);
    if (!piece) return;
    const Announcement& from = message.announcement;
    bulk_.Read({from.region, from.at + piece->at}, {in_.local(), message.room + piece->at},
               piece->bytes, Completion(&OnPiece, &message));
  }
}

void LargeMessages::OnPiece(void* data, Outcome outcome) {
  IncomingMessage& message = *static_cast<IncomingMessage*>(data);
  LargeMessages& self = *static_cast<LargeMessages*>(message.owner);
  {
    const topo::Lock lock(self.mutex_);
    message.End(outcome);
    if (message.is_posting) return;  // That thread goes on.
    message.is_posting = true;
  }
  self.ReadMore(message);
}

void LargeMessages::Finish(IncomingMessage& message) {
  const Outcome outcome = message.outcome();
  const std::uint64_t room = message.room;
  // First: the sender need not wait for the handler.
  SendAnswer(message.from, message.announcement.id, outcome, Seen::kYes);
  if (outcome == Outcome::kDone) {
    small_.Deliver(
        message.from, message.handler, message.form,
        std::span<const std::byte>(in_.local().start + room, message.announcement.bytes));
  } else {
    if (outcome == Outcome::kRefused) small_.CountNonsense();
    small_.Drop(message.from, message.form);
  }
  {
    const topo::Lock lock(mutex_);
    if (message.may_be_written()) {
      overdue_rooms_.push_back(room);
    } else if (message.has_room) {
      in_.Free(room);
    }
    incoming_.Remove(message);
  }
  StartWaiting();
}

bool LargeMessages::OnWithdrawal(Rank from, std::span<const std::byte> bytes) {
  LargeId id;
  if (!Parse(bytes, id)) return false;
  MessageForm form = MessageForm::kRequest;
  IncomingMessages::Withdrawn withdrawn;
  {
    const topo::Lock lock(mutex_);
    withdrawn = incoming_.OnWithdraw(from, id, form);
  }
  switch (withdrawn) {
    case IncomingMessages::Withdrawn::kNonsense:
      return false;
    case IncomingMessages::Withdrawn::kReading:
      return true;
    case IncomingMessages::Withdrawn::kWaited:
      small_.Drop(from, form);
      break;
    case IncomingMessages::Withdrawn::kUnseen:
    case IncomingMessages::Withdrawn::kAnswered:
      break;
  }
  SendAnswer(from, id, Outcome::kLate,
             withdrawn == IncomingMessages::Withdrawn::kUnseen ? Seen::kNo : Seen::kYes);
  return true;
}

// Both.

void LargeMessages::GiveUp() {
  std::vector<OutgoingMessages::Due> all;
  std::deque<WaitingReply> late;
  {
    const topo::Lock lock(mutex_);
    const std::int64_t now = NowMs();
    outgoing_.GiveUp(
        now, [&](Rank rank) { return bulk_.PresenceOf(rank); },
        [&](const OutgoingMessages::Due& due) { all.push_back(due); });
    while (options_.most_ms > 0 && !waiting_replies_.empty() &&
           now - waiting_replies_.front().began_ms >= options_.most_ms) {
      late.push_back(std::move(waiting_replies_.front()));
      waiting_replies_.pop_front();
    }
  }
  for (const OutgoingMessages::Due& due : all) Do(due);
  for (const WaitingReply& reply : late) small_.TakeBack(reply.to, MessageForm::kReply);
  FreeOverdue();
}

void LargeMessages::FreeOverdue() {
  {
    const topo::Lock lock(mutex_);
    if (overdue_rooms_.empty() || bulk_.overdue() > 0) return;
    for (const std::uint64_t room : std::exchange(overdue_rooms_, {})) in_.Free(room);
  }
  StartWaiting();
}

void LargeMessages::Abort() {
  std::vector<OutgoingMessages::Due> all;
  {
    const topo::Lock lock(mutex_);
    is_aborted_ = true;
    outgoing_.Abort([&](const OutgoingMessages::Due& due) { all.push_back(due); });
    incoming_.DropWaiting();
    waiting_replies_.clear();
  }
  for (const OutgoingMessages::Due& due : all) Do(due);
}

bool LargeMessages::IsPending() const {
  const topo::Lock lock(mutex_);
  return outgoing_.HasIncomplete() || !incoming_.empty() || !waiting_replies_.empty();
}

}  // namespace llcl
