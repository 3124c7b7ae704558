#include "llcl/conduit/packing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "llcl/executor/in_place.h"

namespace llcl {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::size_t Aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Does the operation bring bytes back?
template <typename Operation>
bool Brings(const Operation& operation) {
  return operation.kind == CommandKind::kRead || operation.fetches;
}

}  // namespace

PackingDevice::PackingDevice(Conduit& conduit, Tag first_tag, Packed packed)
    : conduit_(conduit),
      below_(conduit.device()),
      first_tag_(first_tag),
      packed_(packed),
      open_(static_cast<std::size_t>(conduit.size()), kNone) {}

// The outcome, and the bytes that come back.
std::size_t PackingDevice::ReplyBytes(const Command& command) {
  return kAlignment + (Brings(command) ? Aligned(command.bytes) : 0);
}

std::size_t PackingDevice::Post(std::span<const Command> commands) {
  for (std::size_t i = 0; i < commands.size();) {
    std::size_t end = i;
    while (end < commands.size() && !IsPacked(commands[end])) ++end;
    if (end > i) {
      i += below_.Post(commands.subspan(i, end - i));
      if (i < end) return i;
    } else if (TryBegin(commands[i])) {
      ++i;
    } else {
      return i;
    }
  }
  return commands.size();
}

bool PackingDevice::TryBegin(const Command& command) {
  if (command.bytes <= kMostOfPiece) return TryAdd(command) == Added::kAdded;
  const auto free =
      std::find_if(longs_.begin(), longs_.end(), [](const Long& one) { return one.is_free; });
  if (free == longs_.end()) return false;
  *free = {.command = command, .is_free = false};
  ++longs_under_way_;
  GoOn();
  return true;
}

// Asks for pieces while there is room.
void PackingDevice::GoOn() {
  for (std::size_t number = 0; number < longs_.size(); ++number) {
    Long& one = longs_[number];
    while (one.has_more()) {
      Command piece = one.command;
      piece.tag = first_tag_ + kFirstOfLong + static_cast<Tag>(number);
      piece.local += one.asked;
      piece.address += one.asked;
      piece.bytes = std::min(one.command.bytes - one.asked, kMostOfPiece);
      one.asked += piece.bytes;
      ++one.pieces;
      const Added added = TryAdd(piece);
      if (added == Added::kNoMemory) {
        End(piece.tag, Outcome::kRefused);
        break;
      }
      if (added == Added::kNoRoom) {
        one.asked -= piece.bytes;
        --one.pieces;
        return;
      }
    }
  }
}

// Of an operation, or of a piece of one.
void PackingDevice::End(Tag tag, Outcome outcome) {
  if (tag < first_tag_) {
    ended_.push_back({tag, outcome});
    return;
  }
  Long& one = longs_[tag - first_tag_ - kFirstOfLong];
  --one.pieces;
  if (one.outcome == Outcome::kDone) one.outcome = outcome;
  if (one.pieces > 0 || one.has_more()) return;
  one.is_free = true;
  --longs_under_way_;
  ended_.push_back({one.command.tag, one.outcome});
}

PackingDevice::Added PackingDevice::TryAdd(const Command& command) {
  // The losses of ranks that are gone have been seen.
  if (below_.IsDown(command.peer)) {
    End(command.tag, Outcome::kPeerDown);
    return Added::kAdded;
  }
  std::uint32_t& open = open_[static_cast<std::size_t>(ToInt(command.peer))];
  const bool writes = command.kind == CommandKind::kWrite;
  const std::size_t bytes = sizeof(Item) + (writes ? Aligned(command.bytes) : 0);
  if (open != kNone) {
    const Pack& pack = *packs_[open];
    if (pack.used + bytes > kMostMessageBytes ||
        pack.reply_bytes + ReplyBytes(command) > kMostMessageBytes) {
      Close(command.peer);
    }
  }
  if (open == kNone) {
    if (requests_ == kMostRequests) return Added::kNoRoom;
    open = TryTake(command.peer);
    if (open == kNone) return Added::kNoRoom;
    ++requests_;
    ++open_packs_;
    packs_[open]->used = packs_[open]->reply_bytes = sizeof(Header);
    packs_[open]->is_answered = false;
  }
  Pack& pack = *packs_[open];
  const Item item = {command.kind,
                     command.type,
                     command.op,
                     command.fetches ? std::uint8_t{1} : std::uint8_t{0},
                     static_cast<std::uint32_t>(command.bytes),
                     command.id,
                     command.address,
                     command.operand,
                     command.expected};
  std::memcpy(pack.bytes.data() + pack.used, &item, sizeof item);
  if (writes && command.bytes > 0) {
    std::byte* const place = pack.bytes.data() + pack.used + sizeof item;
    const auto copy = [&] { std::memcpy(place, command.local, command.bytes); };
    // A piece may be late, when the program has given up its memory, or does so now.
    const bool is_piece = command.tag >= first_tag_;
    if (!is_piece) {
      copy();
    } else if (!conduit_.WithRegion(command.local_id,
                                    [&](std::span<std::byte>, std::uint64_t) { copy(); })) {
      return Added::kNoMemory;
    }
  }
  pack.used += bytes;
  pack.reply_bytes += ReplyBytes(command);
  pack.commands.push_back(command);
  return Added::kAdded;
}

// kNone where all are on their way.
std::uint32_t PackingDevice::TryTake(Rank peer) {
  auto free =
      std::find_if(packs_.begin(), packs_.end(), [](const auto& pack) { return pack->is_free; });
  if (free == packs_.end()) {
    if (packs_.size() == kPacks) return kNone;
    free = packs_.insert(free, std::make_unique<Pack>());
  }
  Pack& pack = **free;
  pack.is_free = pack.is_sent = false;
  ++packs_in_use_;
  pack.is_answered = true;
  pack.peer = peer;
  pack.commands.clear();
  return static_cast<std::uint32_t>(free - packs_.begin());
}

void PackingDevice::Close(Rank peer) {
  std::uint32_t& open = open_[static_cast<std::size_t>(ToInt(peer))];
  const std::uint32_t number = std::exchange(open, kNone);
  --open_packs_;
  Pack& pack = *packs_[number];
  const Header header = {Kind::kRequest, static_cast<std::uint16_t>(pack.commands.size()), number};
  std::memcpy(pack.bytes.data(), &header, sizeof header);
  ++requests_sent_;
  Send(number);
}

void PackingDevice::Send(std::uint32_t number) {
  unsent_.push_back(number);
  SendUnsent();
}

void PackingDevice::SendUnsent() {
  for (; !unsent_.empty(); unsent_.pop_front()) {
    Pack& pack = *packs_[unsent_.front()];
    Command message;
    message.kind = CommandKind::kMessage;
    message.tag = first_tag_ + unsent_.front();
    message.peer = pack.peer;
    message.local = pack.bytes.data();
    message.bytes = pack.used;
    if (below_.Post({&message, 1}) == 0) return;
  }
}

void PackingDevice::OnSent(std::uint32_t number) {
  packs_[number]->is_sent = true;
  FreeIfDone(*packs_[number]);
}

void PackingDevice::OnAnswered(Pack& pack) {
  pack.is_answered = true;
  --requests_;
  FreeIfDone(pack);
}

void PackingDevice::FreeIfDone(Pack& pack) {
  pack.is_free = pack.is_sent && pack.is_answered;
  packs_in_use_ -= pack.is_free ? 1 : 0;
}

std::size_t PackingDevice::Poll(std::span<Ended> ended) {
  if (IsIdle()) return below_.Poll(ended);
  if (longs_under_way_ > 0) GoOn();
  if (open_packs_ > 0) {
    for (std::size_t rank = 0; rank < open_.size(); ++rank) {
      if (open_[rank] != kNone) Close(Rank{static_cast<std::int32_t>(rank)});
    }
  }
  SendUnsent();
  SendReplies();
  if (below_.losses() != losses_seen_) ForgetLost();
  const std::size_t polled = below_.Poll(ended);
  std::size_t count = 0;
  for (const Ended one : ended.first(polled)) {
    if (one.tag >= first_tag_) {
      OnSent(one.tag - first_tag_);
    } else {
      ended[count++] = one;
    }
  }
  for (; count < ended.size() && !ended_.empty(); ended_.pop_front()) {
    ended[count++] = ended_.front();
  }
  return count;
}

bool PackingDevice::IsOurs(std::span<const std::byte> message) const {
  Header header;
  if (message.size() < sizeof header) return false;
  std::memcpy(&header, message.data(), sizeof header);
  return header.kind == Kind::kRequest || header.kind == Kind::kReply;
}

// Precondition: the inbox is empty.
void PackingDevice::Receive(Inbox& inbox) {
  below_.Receive(inbox);
  if (inbox.empty()) return;
  bool has_ours = false;
  inbox.ForEach(
      [&](Rank, std::span<const std::byte> message) { has_ours = has_ours || IsOurs(message); });
  if (!has_ours) return;
  ++activity_;
  const Inbox all = inbox;
  inbox.Clear();
  all.ForEach([&](Rank from, std::span<const std::byte> message) {
    if (!IsOurs(message)) {
      const std::span<std::byte> place = inbox.Add(from, message.size());
      std::copy(message.begin(), message.end(), place.begin());
      return;
    }
    Header header;
    std::memcpy(&header, message.data(), sizeof header);
    if (header.kind == Kind::kRequest) {
      OnRequest(from, message);
    } else {
      OnReply(from, message);
    }
  });
}

// May another rank ask for it?
bool PackingDevice::IsOperation(const Item& item) {
  if (item.kind != CommandKind::kAtomic) {
    return item.kind == CommandKind::kRead || item.kind == CommandKind::kWrite;
  }
  return item.fetches <= 1 && item.type <= AtomicType::kDouble && item.op <= kLastAtomicOp &&
         Exists(item.type, item.op) && item.bytes == BytesOf(item.type);
}

// An operation whose memory is not there is refused. From an item on that is no operation, nothing
// is executed, and there is no answer.
void PackingDevice::OnRequest(Rank from, std::span<const std::byte> message) {
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  Reply reply = {from, {}};
  reply.bytes.reserve(kMostMessageBytes);
  reply.bytes.resize(sizeof header);
  const Header answer = {Kind::kReply, header.count, header.pack};
  std::memcpy(reply.bytes.data(), &answer, sizeof answer);
  std::size_t at = sizeof header;
  for (int i = 0; i < header.count; ++i) {
    Item item;
    if (!Fits(at, sizeof item, message.size())) return;
    std::memcpy(&item, message.data() + at, sizeof item);
    at += sizeof item;
    const bool writes = item.kind == CommandKind::kWrite;
    if (!IsOperation(item)) return;
    if (item.bytes > kMostOfPiece || (writes && !Fits(at, item.bytes, message.size()))) return;
    Command command;
    command.kind = item.kind;
    command.type = item.type;
    command.op = item.op;
    command.fetches = item.fetches == 1;
    command.id = item.id;
    command.bytes = item.bytes;
    command.operand = item.operand;
    command.expected = item.expected;
    const std::size_t outcome_at = reply.bytes.size();
    const bool brings = Brings(item);
    const std::size_t reply_bytes = outcome_at + kAlignment + (brings ? Aligned(item.bytes) : 0);
    if (reply_bytes > kMostMessageBytes) return;
    reply.bytes.resize(reply_bytes);
    command.local = reply.bytes.data() + outcome_at + kAlignment;
    if (writes) {
      command.local = const_cast<std::byte*>(message.data() + at);  // Read only.
      at += Aligned(item.bytes);
    }
    Outcome outcome = Outcome::kRefused;
    (void)conduit_.WithRegion(item.id, [&](std::span<std::byte> memory, std::uint64_t first) {
      if (!Fits(item.address - first, item.bytes, memory.size())) return;
      std::byte* const there = memory.data() + (item.address - first);
      if (item.kind == CommandKind::kAtomic &&
          reinterpret_cast<std::uintptr_t>(there) % item.bytes != 0) {
        return;
      }
      ExecuteInPlace(command, there);
      outcome = Outcome::kDone;
    });
    reply.bytes[outcome_at] = static_cast<std::byte>(outcome);
  }
  replies_.push_back(std::move(reply));
  SendReplies();
}

void PackingDevice::SendReplies() {
  for (; !replies_.empty(); replies_.pop_front()) {
    const std::uint32_t number = TryTake(replies_.front().to);
    if (number == kNone) return;
    Pack& pack = *packs_[number];
    pack.used = replies_.front().bytes.size();
    std::copy(replies_.front().bytes.begin(), replies_.front().bytes.end(), pack.bytes.begin());
    Send(number);
  }
}

void PackingDevice::OnReply(Rank from, std::span<const std::byte> message) {
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  if (header.pack >= packs_.size()) return;
  Pack& pack = *packs_[header.pack];
  if (pack.is_answered || pack.peer != from || pack.commands.size() != header.count) return;
  std::size_t at = sizeof header;
  for (const Command& command : pack.commands) {
    Outcome outcome = Outcome::kRefused;
    const std::size_t bytes = ReplyBytes(command);
    if (Fits(at, bytes, message.size())) {
      outcome = static_cast<Outcome>(message[at]);
      if (outcome == Outcome::kDone && Brings(command) && command.bytes > 0) {
        // It may have been given up, and its memory be gone.
        (void)conduit_.WithRegion(command.local_id, [&](std::span<std::byte>, std::uint64_t) {
          std::memcpy(command.local, message.data() + at + kAlignment, command.bytes);
        });
      }
    }
    at += bytes;
    End(command.tag, outcome);
  }
  OnAnswered(pack);
}

// Requests to lost ranks get no answer.
void PackingDevice::ForgetLost() {
  losses_seen_ = below_.losses();
  for (std::size_t number = 0; number < packs_.size(); ++number) {
    Pack& pack = *packs_[number];
    if (pack.is_free || pack.is_answered || !below_.IsDown(pack.peer)) continue;
    for (const Command& command : pack.commands) End(command.tag, Outcome::kPeerDown);
    OnAnswered(pack);
  }
}

}  // namespace llcl
