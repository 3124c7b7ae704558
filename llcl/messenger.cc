#include "llcl/messenger.h"

#include <cstring>
#include <utility>

namespace llcl {

bool Message::Reply(HandlerId handler, std::span<const std::byte> payload) {
  if (payload.size() > Messenger::kMostPayload) [[unlikely]] {
    if (!may_reply_ || !messenger_.ReplyLarge(from_, handler, payload)) return false;
    may_reply_ = false;
    messenger_.CountAnswer(payload.size());
    return true;
  }
  if (!std::exchange(may_reply_, false)) return false;
  // First: whoever has heard the answer may look at the counts.
  messenger_.CountAnswer(payload.size());
  messenger_.SendSurely(from_, {.kind = Messenger::Kind::kReply, .handler = handler}, payload);
  return true;
}

Messenger::Messenger(int ranks, MessengerOptions options, Post post, Retries& retries)
    : options_(std::move(options)),
      post_(std::move(post)),
      retries_(retries),
      peers_(static_cast<std::size_t>(ranks)),
      free_(options_.buffers),
      buffers_(options_.buffers),
      bytes_(new std::byte[options_.buffers * kMostMessageBytes]) {
  for (Peer& peer : peers_) peer.credits.Store(options_.credits, std::memory_order_relaxed);
  for (Tag tag = 0; tag < options_.buffers; ++tag) {
    buffers_[tag].messenger = this;
    buffers_[tag].tag = tag;
  }
  if (options_.bulk == nullptr) return;
  // A sender's requests and its replies, which are answers to this rank's requests.
  const auto most_open = 2 * static_cast<std::uint32_t>(options_.credits);
  large_ = std::make_unique<LargeMessages>(ranks,
                                           LargeOptions{.handlers = options_.handlers.size(),
                                                        .bytes = options_.large_bytes,
                                                        .most_ms = options_.large_ms,
                                                        .most_open = most_open},
                                           *options_.bulk, static_cast<SmallMessages&>(*this));
}

Posted Messenger::TrySend(Rank to, HandlerId handler, std::span<const std::byte> payload,
                          Completion then) {
  Prepared prepared;
  const Posted ready = TryPrepare(to, handler, payload, then, prepared);
  if (ready != Posted::kPosted) return ready;
  const Posted posted = post_(prepared.command, prepared.then, prepared.released);
  if (posted != Posted::kPosted) Withdraw(prepared);
  return posted;
}

void Messenger::Withdraw(const Prepared& prepared) {
  Header header;
  std::memcpy(&header, prepared.command.local, sizeof header);
  if (header.kind == Kind::kLargeRequest) [[unlikely]] {
    Announcement announcement;
    std::memcpy(static_cast<void*>(&announcement), prepared.command.local + sizeof header,
                sizeof announcement);
    large_->Cancel(announcement.id);
    TakeBack(prepared.command.peer, MessageForm::kRequest);
  }
  OnReleased(prepared.buffer, Outcome::kAborted);
}

Posted Messenger::TryPrepare(Rank to, HandlerId handler, std::span<const std::byte> payload,
                             Completion then, Prepared& prepared) {
  if (static_cast<std::size_t>(handler) >= options_.handlers.size()) return Posted::kBadRange;
  if (payload.size() > kMostPayload) [[unlikely]] {
    return TryPrepareLarge(to, handler, payload, then, prepared);
  }
  Peer& peer = Of(to);
  if (peer.credits.FetchAdd(-1, std::memory_order_acquire) <= 0 ||
      !TryFill(to, {.kind = Kind::kRequest, .handler = handler}, payload, then, prepared)) {
    peer.credits.FetchAdd(1, std::memory_order_relaxed);
    return Full();
  }
  return Posted::kPosted;
}

[[gnu::cold]] Posted Messenger::Full() const {
  return is_aborted_.Load(std::memory_order_relaxed) != 0 ? Posted::kClosing : Posted::kFull;
}

[[gnu::cold]] Posted Messenger::TryPrepareLarge(Rank to, HandlerId handler,
                                                std::span<const std::byte> payload, Completion then,
                                                Prepared& prepared) {
  if (!large_) return Posted::kTooLong;
  if (Of(to).credits.FetchAdd(-1, std::memory_order_acquire) <= 0) {
    TakeBack(to, MessageForm::kRequest);
    return Full();
  }
  LargeMessages::Prepared large;
  const Posted copied = large_->TryPrepare(to, payload, then, large);
  if (copied != Posted::kPosted) {
    TakeBack(to, MessageForm::kRequest);
    return copied == Posted::kFull ? Full() : copied;
  }
  if (!TryFill(to, {.kind = Kind::kLargeRequest, .handler = handler},
               std::as_bytes(std::span(&large.announcement, 1)), large.then, prepared)) {
    large_->Cancel(large.announcement.id);
    TakeBack(to, MessageForm::kRequest);
    return Full();
  }
  return Posted::kPosted;
}

bool Messenger::ReplyLarge(Rank to, HandlerId handler, std::span<const std::byte> payload) {
  if (!large_ || payload.size() > large_->most_bytes()) return false;
  large_->Reply(to, static_cast<std::uint16_t>(handler), payload);
  return true;
}

bool Messenger::TryFill(Rank to, Header header, std::span<const std::byte> payload, Completion then,
                        Prepared& prepared) {
  const Tag tag = free_.TryTake();
  if (tag == kNullTag) return false;
  Buffer& buffer = buffers_[tag];
  buffer.to = to;
  header.credits = Of(to).returning.Exchange(0, std::memory_order_acquire);
  if (header.kind == Kind::kReply) ++header.credits;  // That of the message it answers.
  std::byte* const bytes = BytesOf(buffer);
  std::memcpy(bytes, &header, sizeof header);
  if (!payload.empty()) std::memcpy(bytes + sizeof header, payload.data(), payload.size());
  prepared.buffer = &buffer;
  prepared.then = then;
  prepared.released = Completion(&OnReleased, &buffer);
  prepared.command = {};
  prepared.command.kind = CommandKind::kMessage;
  prepared.command.may_be_dropped =
      header.kind == Kind::kCredits ||
      (header.kind == Kind::kInternal &&
       header.handler == static_cast<HandlerId>(Internal::kCollectiveNotice));
  prepared.command.peer = to;
  prepared.command.local = bytes;
  prepared.command.bytes = sizeof header + payload.size();
  return true;
}

// What a message that was not sent took along stays here.
void Messenger::OnReleased(void* data, Outcome outcome) {
  const Buffer& buffer = *static_cast<const Buffer*>(data);
  Messenger& self = *buffer.messenger;
  Header header;
  std::memcpy(&header, self.BytesOf(buffer), sizeof header);
  const Rank to = buffer.to;
  self.free_.Free(buffer.tag);
  if (outcome == Outcome::kDone) return;
  if (header.kind == Kind::kRequest) {
    self.Of(to).credits.FetchAdd(1, std::memory_order_relaxed);
  }
  self.ReturnCredits(to, header.credits);
}

void Messenger::SendInternal(Rank to, Internal kind, std::span<const std::byte> payload) {
  SendSurely(to, {.kind = Kind::kInternal, .handler = static_cast<HandlerId>(kind)}, payload);
}

void Messenger::SendSurely(Rank to, Header header, std::span<const std::byte> payload,
                           Completion then) {
  // Behind those that wait: there is no room for this one either.
  if (retries_.empty() && TrySendSurely(to, header, payload, then)) return;
  retries_.Add(
      [this, to, header, then, bytes = std::vector<std::byte>(payload.begin(), payload.end())] {
        return TrySendSurely(to, header, bytes, then);
      });
}

// False: no room now.
bool Messenger::TrySendSurely(Rank to, Header header, std::span<const std::byte> payload,
                              Completion then) {
  Prepared prepared;
  if (!TryFill(to, header, payload, then, prepared)) return false;
  const Posted posted = post_(prepared.command, prepared.then, prepared.released);
  if (posted == Posted::kPosted) return true;
  Header taken;
  std::memcpy(&taken, prepared.command.local, sizeof taken);
  free_.Free(static_cast<const Buffer*>(prepared.buffer)->tag);
  // Else the peer is down, or this endpoint is closing.
  if (!IsForNow(posted)) {
    then.Complete(OutcomeOf(posted));
    return true;
  }
  // The next attempt takes them along: it needs no message for them.
  const std::uint32_t its_own = header.kind == Kind::kReply ? 1 : 0;
  Of(to).returning.FetchAdd(taken.credits - its_own, std::memory_order_release);
  return false;
}

void Messenger::ReturnCredits(Rank to, std::uint32_t count) {
  const auto half = static_cast<std::uint32_t>((options_.credits + 1) / 2);
  const std::uint32_t before = Of(to).returning.FetchAdd(count, std::memory_order_release);
  // The thread that crosses the half, by however much, sends the credits.
  if (before < half && before + count >= half) SendSurely(to, {.kind = Kind::kCredits}, {});
}

void Messenger::OnMessage(Rank from, std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header) {
    nonsense_.FetchAdd(1, std::memory_order_relaxed);
    return;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::span<const std::byte> payload = bytes.subspan(sizeof header);
  if (header.credits > 0) {
    Of(from).credits.FetchAdd(static_cast<int>(header.credits), std::memory_order_release);
  }
  if (header.kind == Kind::kCredits) return;
  if (header.kind == Kind::kInternal) {
    if (!options_.internal(from, static_cast<Internal>(header.handler), payload)) CountNonsense();
    return;
  }
  const auto id = static_cast<std::size_t>(header.handler);
  const bool asks = header.kind == Kind::kRequest;
  if (id >= options_.handlers.size() || (!asks && header.kind != Kind::kReply)) {
    OnOther(from, header, payload);
    return;
  }
  Message message(*this, from, payload, asks ? MessageForm::kRequest : MessageForm::kReply);
  options_.handlers[id](message);
  // A reply has taken it along.
  if (asks && message.may_reply_) ReturnCredits(from, 1);
}

[[gnu::cold]] void Messenger::OnOther(Rank from, const Header& header,
                                      std::span<const std::byte> payload) {
  if (large_ && OnLarge(from, header, payload)) return;
  CountNonsense();
  if (header.kind == Kind::kRequest || header.kind == Kind::kLargeRequest) ReturnCredits(from, 1);
}

// False: nonsense.
bool Messenger::OnLarge(Rank from, const Header& header, std::span<const std::byte> payload) {
  const auto handler = static_cast<std::uint16_t>(header.handler);
  switch (header.kind) {
    case Kind::kLargeRequest:
    case Kind::kLargeReply:
      return large_->OnAnnouncement(
          from, handler,
          header.kind == Kind::kLargeRequest ? MessageForm::kRequest : MessageForm::kReply,
          payload);
    case Kind::kLargeAnswer:
      return large_->OnAnswer(from, payload);
    case Kind::kLargeWithdrawal:
      return large_->OnWithdrawal(from, payload);
    default:
      return false;
  }
}

void Messenger::SendReplyAnnouncement(Rank to, std::uint16_t handler,
                                      std::span<const std::byte> announcement, Completion then) {
  SendSurely(to, {.kind = Kind::kLargeReply, .handler = HandlerId{handler}}, announcement, then);
}

void Messenger::SendAnswer(Rank to, std::span<const std::byte> answer) {
  SendSurely(to, {.kind = Kind::kLargeAnswer}, answer);
}

void Messenger::SendWithdrawal(Rank to, std::span<const std::byte> withdrawal) {
  SendSurely(to, {.kind = Kind::kLargeWithdrawal}, withdrawal);
}

void Messenger::Deliver(Rank from, std::uint16_t handler, MessageForm form,
                        std::span<const std::byte> payload) {
  Message message(*this, from, payload, form);
  options_.handlers[handler](message);
  if (form == MessageForm::kReply || message.may_reply_) Drop(from, form);
}

// The credit of a request goes back to its sender. A large reply takes none along: it is given
// back here, once the reply is done with.
void Messenger::Drop(Rank from, MessageForm form) {
  form == MessageForm::kRequest ? ReturnCredits(from, 1) : RegainCredit(from);
}

void Messenger::TakeBack(Rank to, MessageForm form) {
  form == MessageForm::kRequest ? RegainCredit(to) : ReturnCredits(to, 1);
}

void Messenger::RegainCredit(Rank from) { Of(from).credits.FetchAdd(1, std::memory_order_release); }

}  // namespace llcl
