#include "llcl/messenger.h"

#include <cstring>
#include <utility>

namespace llcl {

bool Message::Reply(HandlerId handler, std::span<const std::byte> payload) {
  if (payload.size() > Messenger::kMostPayload || !std::exchange(may_reply_, false)) return false;
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
  OnReleased(prepared.buffer, Outcome::kAborted);
}

Posted Messenger::TryPrepare(Rank to, HandlerId handler, std::span<const std::byte> payload,
                             Completion then, Prepared& prepared) {
  if (static_cast<std::size_t>(handler) >= options_.handlers.size()) return Posted::kBadRange;
  if (payload.size() > kMostPayload) return Posted::kTooLong;
  Peer& peer = Of(to);
  if (peer.credits.FetchAdd(-1, std::memory_order_acquire) <= 0 ||
      !TryFill(to, {.kind = Kind::kRequest, .handler = handler}, payload, then, prepared)) {
    peer.credits.FetchAdd(1, std::memory_order_relaxed);
    return Posted::kFull;
  }
  return Posted::kPosted;
}

bool Messenger::TryFill(Rank to, Header header, std::span<const std::byte> payload, Completion then,
                        Prepared& prepared) {
  const Tag tag = free_.TryTake();
  if (tag == kNoTag) return false;
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

void Messenger::SendInternal(Rank to, std::span<const std::byte> payload) {
  SendSurely(to, {.kind = Kind::kInternal}, payload);
}

void Messenger::SendSurely(Rank to, Header header, std::span<const std::byte> payload) {
  // Behind those that wait: there is no room for this one either.
  if (retries_.empty() && TrySendSurely(to, header, payload)) return;
  retries_.Add([this, to, header, bytes = std::vector<std::byte>(payload.begin(), payload.end())] {
    return TrySendSurely(to, header, bytes);
  });
}

// False: no room now.
bool Messenger::TrySendSurely(Rank to, Header header, std::span<const std::byte> payload) {
  Prepared prepared;
  if (!TryFill(to, header, payload, {}, prepared)) return false;
  const Posted posted = post_(prepared.command, prepared.then, prepared.released);
  if (posted == Posted::kPosted) return true;
  Header taken;
  std::memcpy(&taken, prepared.command.local, sizeof taken);
  free_.Free(static_cast<const Buffer*>(prepared.buffer)->tag);
  // Else the peer is down, or this endpoint is closing.
  if (!IsForNow(posted)) return true;
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
    options_.internal(from, payload);
    return;
  }
  const auto id = static_cast<std::size_t>(header.handler);
  const bool asks = header.kind == Kind::kRequest;
  if (id >= options_.handlers.size() || (!asks && header.kind != Kind::kReply)) {
    nonsense_.FetchAdd(1, std::memory_order_relaxed);
    if (asks) ReturnCredits(from, 1);
    return;
  }
  Message message(*this, from, payload, asks);
  options_.handlers[id](message);
  // A reply has taken it along.
  if (asks && message.may_reply_) ReturnCredits(from, 1);
}

}  // namespace llcl
