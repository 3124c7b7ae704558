#include "llcl/collective/outgoing.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace llcl {

void Outgoing::Send(std::uint32_t round, const Part& part) {
  Sent sent = {
      .to = collective_.RankOf(part.peer), .round = round, .part = part, .may_send = part.bytes};
  if (!IsNear(sent.to) && !carrier_.StreamsTo(sent.to)) return SendByMessages(sent);
  if (part.bytes > kLongPart && !IsNear(sent.to)) {
    sent.may_send = 0;
    SendAhead(sent);
    if (sent.ahead == 0 && !IsAsked(sent.to, part)) {
      carrier_.Send(sent.to, BytesOfValue(HeaderOf(id_, round, CollectiveFrame::kAsk, part.bytes)));
    }
  }
  const bool is_first = std::none_of(parts_.begin(), parts_.end(),
                                     [&](const Sent& one) { return one.to == sent.to; });
  if (!is_first || !TrySend(sent)) parts_.push_back(sent);
}

// If the window of the rank has room.
void Outgoing::SendAhead(Sent& sent) {
  const std::size_t bytes =
      IsAsked(sent.to, sent.part) ? collective_.Whole(kFirst) : sent.part.bytes;
  if (windows_.TryAdd(sent.to, bytes)) sent.may_send = sent.ahead = bytes;
}

bool Outgoing::SendMore() {
  bool did = false;
  // A way without room keeps no other rank waiting, and no frame overtakes another of its rank.
  std::vector<Rank> full;
  std::erase_if(parts_, [&](Sent& one) {
    if (std::find(full.begin(), full.end(), one.to) != full.end()) return false;
    const std::size_t before = one.done;
    const bool is_sent = TrySend(one);
    did = did || is_sent || one.done != before;
    if (!is_sent) full.push_back(one.to);
    return is_sent;
  });
  return did;
}

void Outgoing::OnReady(Rank to, std::uint32_t round) {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Sent& one) {
    return one.to == to && one.round == round;
  });
  if (found != parts_.end()) found->may_send = found->part.bytes;
}

void Outgoing::Drop() {
  for (const Sent& one : parts_) {
    windows_.Remove(one.to, one.ahead - std::min(one.ahead, one.done));
    if (!one.last) continue;
    carrier_.UseStreams([&](Streams& streams) {
      streams.Keep(one.to, collective_.At(one.part.at, one.part.bytes));
    });
  }
  parts_.clear();
}

FrameHeader Outgoing::NextFrame(const Sent& sent, std::size_t most,
                                std::span<const std::byte>& payload) const {
  const bool is_ahead = sent.done < sent.ahead;
  FrameHeader header =
      HeaderOf(id_, sent.round, is_ahead ? CollectiveFrame::kAhead : CollectiveFrame::kData,
               sent.part.bytes);
  header.at = sent.done;
  header.unit = collective_.combine ? static_cast<std::uint32_t>(collective_.unit) : 0;
  const std::size_t end = is_ahead ? sent.ahead : sent.may_send;
  const std::size_t bytes = std::min(collective_.Whole(most), end - sent.done);
  payload = collective_.At(sent.part.at + sent.done, bytes);
  return header;
}

// False: not all of it is sent.
bool Outgoing::TrySend(Sent& sent) { return IsNear(sent.to) ? TryWrite(sent) : TryStream(sent); }

bool Outgoing::TryWrite(Sent& sent) {
  // A receiver that keeps up would let one call copy for long.
  int frames = 0;
  do {
    if (++frames > kMostFrames) return false;
    std::span<const std::byte> payload;
    const FrameHeader header = NextFrame(sent, Channels::kMostPayload, payload);
    if (!carrier_.channels()->TryWrite(sent.to, BytesOfValue(header), payload)) return false;
    sent.done += payload.size();
  } while (sent.done < sent.part.bytes);
  return true;
}

bool Outgoing::TryStream(Sent& sent) {
  const bool is_empty = sent.part.bytes == 0;
  // It waits for its receiver, or for room in the window.
  if (sent.may_send == 0 && !is_empty) SendAhead(sent);
  if (sent.done == sent.may_send && sent.done < sent.part.bytes) return false;
  bool is_sent = false;
  carrier_.UseStreams([&](Streams& streams) {
    while (sent.done < sent.may_send || (is_empty && !sent.last)) {
      std::span<const std::byte> payload;
      const FrameHeader header = NextFrame(sent, Streams::kMostPayload, payload);
      // Pieces of parts that are not combined may end anywhere.
      const std::size_t unit = collective_.combine ? collective_.unit : 1;
      Streams::Sending sending;
      if (!streams.TryWrite(sent.to, BytesOfValue(header), unit, payload, sending)) return;
      sent.last = sending;
      sent.done += payload.size();
    }
    is_sent = sent.done == sent.part.bytes && streams.HasSent(*sent.last);
  });
  return is_sent;
}

void Outgoing::SendByMessages(const Sent& part) {
  Sent sent = part;
  std::vector<std::byte> message;
  do {
    std::span<const std::byte> payload;
    const FrameHeader header =
        NextFrame(sent, carrier_.most_message_bytes() - sizeof(FrameHeader), payload);
    message.resize(sizeof header + payload.size());
    std::memcpy(message.data(), &header, sizeof header);
    std::copy(payload.begin(), payload.end(), message.begin() + sizeof header);
    carrier_.Send(sent.to, message);
    sent.done += payload.size();
  } while (sent.done < sent.part.bytes);
}

}  // namespace llcl
