// What comes by the connections.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "llcl/executor/in_place.h"
#include "llcl/tcp/device.h"

namespace llcl {
namespace {

constexpr std::uint64_t kReceivedInPlace = 16 << 10;  // payloads of which so much is left
constexpr std::uint64_t kMostInPlace = 512 << 10;     // at a time
constexpr std::uint64_t kWord = 8;  // at most: bytes that are read or written whole
constexpr int kMostReceives = 8;    // before others have their turn

template <typename T>
T ValueAt(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Is it received whole, with its header?
bool IsWhole(const TcpHeader& header) {
  return header.frame == TcpFrame::kMessage ||
         (header.frame == TcpFrame::kWrite && header.bytes <= kWord);
}

}  // namespace

void TcpDevice::ReceiveFrom(TcpPeer& peer) {
  for (int times = 0; times < kMostReceives; ++times) {
    if (peer.closed) return;
    // What is refused is received as small payloads are, and dropped.
    const bool is_in_place = peer.payload.bytes >= kReceivedInPlace && !peer.payload.is_refused &&
                             peer.input.bytes().empty();
    ssize_t got = 0;
    std::size_t room = 0;
    if (is_in_place) {
      room = std::min(peer.payload.bytes, kMostInPlace);
      got = ReceivePayload(peer, room);
    } else {
      if (peer.input.room().size() < TcpInput::kBytes / 2) peer.input.MakeRoom();
      const std::span<std::byte> place = peer.input.room();
      if (place.empty()) return;  // A message has to be taken first.
      room = place.size();
      got = recv(peer.connection.get(), place.data(), place.size(), MSG_DONTWAIT);
    }
    if (is_in_place && peer.payload.is_refused) continue;  // Only now: its region has gone.
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    ++activity_;
    if (got <= 0) return Close(peer);
    if (!is_in_place) {
      peer.input.Add(static_cast<std::size_t>(got));
      Parse(peer, nullptr);
    }
    if (static_cast<std::size_t>(got) < room) return;  // There was no more.
  }
}

ssize_t TcpDevice::ReceivePayload(TcpPeer& peer, std::size_t most) {
  TcpPeer::Payload& payload = peer.payload;
  const int fd = peer.connection.get();
  ssize_t got = -1;
  if (!payload.is_write) {
    Asked& asked = asked_[payload.tag];
    got = recv(fd, asked.command.local + asked.received, most, MSG_DONTWAIT);
    if (got > 0) asked.received += static_cast<std::uint64_t>(got);
  } else {
    const TcpTarget& target = payload.target;
    payload.is_refused =
        !regions_.Use(target.id, target.key, target.address, most,
                      [&](std::byte* at) { got = recv(fd, at, most, MSG_DONTWAIT); });
  }
  if (got <= 0) return got;
  payload.bytes -= static_cast<std::uint64_t>(got);
  payload.target.address += static_cast<std::uint64_t>(got);
  if (payload.bytes == 0) EndPayload(peer);
  return got;
}

void TcpDevice::Receive(Inbox& inbox) {
  while (!messages_to_self_.empty() && inbox.has_room()) {
    const std::vector<std::byte>& message = messages_to_self_.front();
    std::copy(message.begin(), message.end(), inbox.Add(rank_, message.size()).begin());
    messages_to_self_.pop_front();
  }
  for (std::size_t looked = 0; looked < others_.size() && inbox.has_room(); ++looked) {
    TcpPeer& peer = *others_[next_ % others_.size()];
    next_ = (next_ + 1) % others_.size();
    if (!peer.has_message) continue;
    peer.has_message = false;
    Parse(peer, &inbox);
  }
}

void TcpDevice::Parse(TcpPeer& peer, Inbox* inbox) {
  while (!peer.is_mute && !peer.input.bytes().empty()) {
    if (peer.payload.bytes > 0) {
      PutPayload(peer);
    } else if (!ParseFrame(peer, inbox)) {
      return;
    }
  }
}

// False: it is not whole yet, or has to wait.
bool TcpDevice::ParseFrame(TcpPeer& peer, Inbox* inbox) {
  const std::span<const std::byte> bytes = peer.input.bytes();
  if (bytes.size() < sizeof(TcpHeader)) return false;
  const auto header = ValueAt<TcpHeader>(bytes, 0);
  if (!IsSane(header)) {
    LoseOfNonsense(peer);
    return false;
  }
  const std::size_t header_bytes = TcpHeaderBytes(header.frame);
  const std::size_t whole = header_bytes + (IsWhole(header) ? header.bytes : 0);
  if (bytes.size() < whole) return false;
  if (header.frame == TcpFrame::kMessage) {
    if (inbox == nullptr || !inbox->has_room()) {
      peer.has_message = true;
      return false;
    }
    const std::span<std::byte> place = inbox->Add(peer.rank, header.bytes);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes), header.bytes,
                place.begin());
  } else if (IsTcpRequest(header.frame)) {
    if (peer.answers.count() + peer.reads.size() > kMostAnswers) {
      LoseOfNonsense(peer);
      return false;
    }
    ParseRequest(peer, header, bytes);
  } else if (!ParseAnswer(peer, header)) {
    LoseOfNonsense(peer);
    return false;
  }
  peer.input.Use(whole);
  if (peer.payload.bytes == 0 && header.frame == TcpFrame::kData) EndPayload(peer);
  return true;
}

// False: it is none to anything that this rank has asked for.
bool TcpDevice::ParseAnswer(TcpPeer& peer, const TcpHeader& header) {
  if (header.tag >= asked_.size()) return false;
  const Asked& asked = asked_[header.tag];
  const Command& command = asked.command;
  if (!asked.is_under_way || command.peer != peer.rank) return false;
  if (peer.output.sent() < asked.end) return false;  // It cannot know the request.
  const bool fetches = command.kind == CommandKind::kRead ||
                       (command.kind == CommandKind::kAtomic && command.fetches);
  if (header.frame == TcpFrame::kData) {
    if (!fetches || header.bytes > command.bytes - asked.received) return false;
    peer.payload = {.bytes = header.bytes, .tag = header.tag};
    return true;
  }
  const auto outcome = static_cast<Outcome>(header.detail);
  if (fetches && outcome == Outcome::kDone) return false;
  End(header.tag, outcome);
  return true;
}

void TcpDevice::ParseRequest(TcpPeer& peer, const TcpHeader& header,
                             std::span<const std::byte> bytes) {
  const auto target = ValueAt<TcpTarget>(bytes, sizeof header);
  const std::size_t header_bytes = TcpHeaderBytes(header.frame);
  switch (header.frame) {
    case TcpFrame::kRead:
      return AnswerRead(peer, header, target);
    case TcpFrame::kAtomic:
      return AnswerAtomic(peer, header, target,
                          ValueAt<TcpOperands>(bytes, sizeof header + sizeof target));
    default:
      break;
  }
  if (IsWhole(header)) {
    Command command = {.kind = CommandKind::kWrite, .bytes = header.bytes};
    // Only read.
    command.local = const_cast<std::byte*>(bytes.data() + header_bytes);
    command.id = target.id;
    command.key = target.key;
    command.address = target.address;
    return Answer(peer, header.tag, DoHere(command));
  }
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, header.bytes, [](std::byte*) {});
  peer.payload = {.bytes = header.bytes,
                  .is_write = true,
                  .is_refused = !is_there,
                  .tag = header.tag,
                  .target = target};
}

void TcpDevice::PutPayload(TcpPeer& peer) {
  TcpPeer::Payload& payload = peer.payload;
  const std::span<const std::byte> bytes = peer.input.bytes();
  const auto some = std::min<std::uint64_t>(payload.bytes, bytes.size());
  if (!payload.is_write) {
    Asked& asked = asked_[payload.tag];
    std::memcpy(asked.command.local + asked.received, bytes.data(), some);
    asked.received += some;
  } else if (!payload.is_refused) {
    const TcpTarget& target = payload.target;
    payload.is_refused = !regions_.Use(target.id, target.key, target.address, some,
                                       [&](std::byte* at) { std::memcpy(at, bytes.data(), some); });
  }
  payload.bytes -= some;
  payload.target.address += some;
  peer.input.Use(some);
  if (payload.bytes == 0) EndPayload(peer);
}

void TcpDevice::EndPayload(TcpPeer& peer) {
  const TcpPeer::Payload payload = peer.payload;
  peer.payload = {};
  if (payload.is_write) {
    return Answer(peer, payload.tag, payload.is_refused ? Outcome::kRefused : Outcome::kDone);
  }
  const Asked& asked = asked_[payload.tag];
  if (asked.received == asked.command.bytes) End(payload.tag, Outcome::kDone);
}

void TcpDevice::Answer(TcpPeer& peer, Tag tag, Outcome outcome) {
  const TcpHeader header = {
      .frame = TcpFrame::kEnded, .detail = static_cast<std::uint8_t>(outcome), .tag = tag};
  peer.output.AddValues(header);
  peer.answers.Add();
  Hold(peer);
}

// What an answer brings, or a part of it.
void TcpDevice::AddData(TcpPeer& peer, Tag tag, std::span<const std::byte> bytes) {
  peer.output.AddValues(TcpHeader{.frame = TcpFrame::kData, .tag = tag, .bytes = bytes.size()});
  peer.output.Add(bytes);
  peer.answers.Add(sizeof(TcpHeader) + bytes.size());
  Hold(peer);
}

void TcpDevice::AnswerRead(TcpPeer& peer, const TcpHeader& header, const TcpTarget& target) {
  if (header.bytes > kWord || !peer.reads.empty()) {
    const bool is_there =
        regions_.Use(target.id, target.key, target.address, header.bytes, [](std::byte*) {});
    if (!is_there) return Answer(peer, header.tag, Outcome::kRefused);
    peer.reads.push_back({header.tag, target, header.bytes});
    Hold(peer);
    return;
  }
  AnswerSmallRead(peer, {header.tag, target, header.bytes});
}

void TcpDevice::AnswerSmallRead(TcpPeer& peer, const TcpPeer::Reading& reading) {
  const TcpTarget& target = reading.target;
  bool is_there = false;
  if (reading.bytes <= kWord) {
    std::byte word[kWord];
    Command command = {.kind = CommandKind::kRead, .bytes = reading.bytes};
    command.local = word;
    command.id = target.id;
    command.key = target.key;
    command.address = target.address;
    is_there = DoHere(command) == Outcome::kDone;
    if (is_there) AddData(peer, reading.tag, {word, reading.bytes});
  } else {
    is_there =
        regions_.Use(target.id, target.key, target.address, reading.bytes, [&](std::byte* at) {
          AddData(peer, reading.tag, {at, reading.bytes});
        });
  }
  if (!is_there) Answer(peer, reading.tag, Outcome::kRefused);
}

void TcpDevice::AnswerAtomic(TcpPeer& peer, const TcpHeader& header, const TcpTarget& target,
                             const TcpOperands& operands) {
  std::uint64_t old = 0;
  bool is_aligned = false;
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, header.bytes, [&](std::byte* at) {
        is_aligned = reinterpret_cast<std::uintptr_t>(at) % header.bytes == 0;
        if (!is_aligned) return;
        old = Apply(header.type, header.op, at, operands.operand, operands.expected);
      });
  if (!is_there || !is_aligned) return Answer(peer, header.tag, Outcome::kRefused);
  if (header.detail == 0) return Answer(peer, header.tag, Outcome::kDone);
  AddData(peer, header.tag, std::as_bytes(std::span(&old, 1)).first(header.bytes));
}

void TcpDevice::LoseOfNonsense(TcpPeer& peer) {
  peer.is_mute = true;
  peer.input.Clear();
  Lose(peer);
}

}  // namespace llcl
