#include "llcl/tcp/sender.h"

#include <algorithm>

#include "llcl/conduit/streams.h"

namespace llcl {
namespace {

constexpr std::uint64_t kPiece = 512 << 10;  // of a large read

static_assert(sizeof(TcpStreamHeader) == Streams::kHeaderBytes);
static_assert(kMostTcpStream == Streams::kMostPayload && kMostTcpUnit == Streams::kMostUnit);

TcpFrame FrameOf(CommandKind kind) {
  switch (kind) {
    case CommandKind::kRead:
      return TcpFrame::kRead;
    case CommandKind::kWrite:
      return TcpFrame::kWrite;
    case CommandKind::kAtomic:
      return TcpFrame::kAtomic;
    case CommandKind::kMessage:
    case CommandKind::kLook:  // None is posted: regions are not learned.
      break;
  }
  return TcpFrame::kMessage;
}

}  // namespace

void TcpSender::Post(const Command& command) {
  order_.Add();
  has_requests_ |= !command.may_be_dropped;
  const bool is_message = command.kind == CommandKind::kMessage;
  std::deque<Command>& waiting = is_message ? waiting_messages_ : waiting_requests_;
  // Is it the next of its kind, and in bounds?
  const TcpPiece next = order_.Next({.has_request = !is_message && waiting.empty(),
                                     .has_message = is_message && waiting.empty(),
                                     .message_bytes = taken_bytes_});
  if (next == TcpPiece::kRequest) {
    AddRequest(command);
  } else if (next == TcpPiece::kMessage) {
    AddMessage(command);
  } else {
    waiting.push_back(command);
  }
  if (order_.IsDueAt(output_.bytes())) Turn();
}

void TcpSender::Turn() {
  if (connection_.is_unmet()) return order_.Await();
  if (!connection_.takes_bytes()) return order_.Stop();
  order_.Turn([this] { return Queues(); }, [this](TcpPiece piece) { AddPiece(piece); },
              [this](TcpPiece piece) {
                const TcpSent sent = piece == TcpPiece::kLargeRead ? SendLargeRead()
                                                                   : output_.Send(connection_.fd());
                OnSent(sent);
                return sent;
              });
}

void TcpSender::OnSent(TcpSent sent) {
  if (!taken_.empty()) EndTaken();
  answers_.Sent(output_.added(), output_.sent());
  if (sent == TcpSent::kGone) connection_.OnGone();
}

bool TcpSender::TryStream(std::span<const std::byte> header, std::size_t unit,
                          std::span<const std::byte> payload, std::uint64_t& end) {
  const bool is_large = payload.size() > kMostCopied;
  end = output_.added();
  if (!connection_.takes_bytes() && !connection_.is_unmet()) return true;
  if (is_large && !HasSent(large_stream_end_)) return false;
  has_requests_ = true;
  output_.AddValues(TcpHeader{
      .frame = TcpFrame::kStream, .tag = static_cast<Tag>(unit), .bytes = payload.size()});
  output_.Add(header);
  if (is_large) {
    output_.Refer(payload);
    large_stream_end_ = output_.added();
  } else {
    output_.Add(payload);
  }
  end = output_.added();
  if (connection_.is_unmet()) order_.Await();
  if (order_.waits_for_room()) return true;
  const TcpSent sent = output_.Send(connection_.fd());
  OnSent(sent);
  order_.OnStreamed(sent);
  if (sent == TcpSent::kSent && !output_.empty()) order_.Add();
  return true;
}

void TcpSender::AddPiece(TcpPiece piece) {
  switch (piece) {
    case TcpPiece::kRequest:
      AddRequest(waiting_requests_.front());
      return waiting_requests_.pop_front();
    case TcpPiece::kMessage:
      AddMessage(waiting_messages_.front());
      return waiting_messages_.pop_front();
    default:
      AnswerSmallRead(reads_.front());
      return reads_.pop_front();
  }
}

void TcpSender::AddRequest(const Command& command) {
  order_.OnRequest();
  const TcpHeader header = {.frame = FrameOf(command.kind),
                            .type = command.type,
                            .op = command.op,
                            .detail = command.kind == CommandKind::kAtomic && command.fetches,
                            .tag = command.tag,
                            .bytes = command.bytes};
  const TcpTarget target = {command.id, command.key, command.address};
  if (command.kind == CommandKind::kAtomic) {
    output_.AddValues(header, target, TcpOperands{command.operand, command.expected});
  } else {
    output_.AddValues(header, target);
  }
  const std::span<const std::byte> written(command.local, command.bytes);
  if (command.kind == CommandKind::kWrite && command.bytes <= kMostCopied) {
    output_.Add(written);
  } else if (command.kind == CommandKind::kWrite) {
    output_.Refer(written);
  }
  requests_.Begin(command, output_.added());
}

void TcpSender::AddMessage(const Command& command) {
  const TcpHeader header = {.frame = TcpFrame::kMessage, .bytes = command.bytes};
  output_.AddValues(header);
  output_.Add({command.local, command.bytes});
  const std::uint64_t bytes = sizeof header + command.bytes;
  taken_.push_back({output_.added(), bytes, command.tag});
  taken_bytes_ += bytes;
}

void TcpSender::Answer(Tag tag, Outcome outcome) {
  const TcpHeader header = {
      .frame = TcpFrame::kEnded, .detail = static_cast<std::uint8_t>(outcome), .tag = tag};
  output_.AddValues(header);
  answers_.Add();
  order_.Add();
}

void TcpSender::AnswerData(Tag tag, std::span<const std::byte> bytes) {
  output_.AddValues(TcpHeader{.frame = TcpFrame::kData, .tag = tag, .bytes = bytes.size()});
  output_.Add(bytes);
  answers_.Add(sizeof(TcpHeader) + bytes.size());
  order_.Add();
}

void TcpSender::AnswerRead(Tag tag, const TcpTarget& target, std::uint64_t bytes) {
  if (bytes <= kMostTcpWord && reads_.empty()) return AnswerSmallRead({tag, target, bytes});
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, bytes, [](std::byte*) {});
  if (!is_there) return Answer(tag, Outcome::kRefused);
  reads_.push_back({tag, target, bytes});
  order_.Add();
}

void TcpSender::AnswerSmallRead(const Reading& reading) {
  const TcpTarget& target = reading.target;
  bool is_there = false;
  if (reading.bytes <= kMostTcpWord) {
    std::byte word[kMostTcpWord];
    Command command = {.kind = CommandKind::kRead, .bytes = reading.bytes};
    command.local = word;
    command.id = target.id;
    command.key = target.key;
    command.address = target.address;
    is_there = regions_.Execute(command) == Outcome::kDone;
    if (is_there) AnswerData(reading.tag, {word, reading.bytes});
  } else {
    is_there =
        regions_.Use(target.id, target.key, target.address, reading.bytes, [&](std::byte* at) {
          AnswerData(reading.tag, {at, reading.bytes});
        });
  }
  if (!is_there) Answer(reading.tag, Outcome::kRefused);
}

TcpSent TcpSender::SendLargeRead() {
  Reading& reading = reads_.front();
  TcpTarget& target = reading.target;
  const std::uint64_t some = std::min(reading.bytes, kPiece);
  TcpSent sent = TcpSent::kSent;
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, some, [&](std::byte* at) {
        answers_.Add(sizeof(TcpHeader) + some);
        output_.AddValues(TcpHeader{.frame = TcpFrame::kData, .tag = reading.tag, .bytes = some});
        sent = output_.SendOrCopy(connection_.fd(), {at, some});
      });
  if (!is_there) Answer(reading.tag, Outcome::kRefused);
  reading.bytes -= some;
  target.address += some;
  if (!is_there || reading.bytes == 0) reads_.pop_front();
  return sent;
}

// Messages end when the connection has them.
void TcpSender::EndTaken() {
  while (!taken_.empty() && HasSent(taken_.front().end)) {
    requests_.AddEnd(taken_.front().tag, Outcome::kDone);
    taken_bytes_ -= taken_.front().bytes;
    taken_.pop_front();
  }
}

void TcpSender::OnEnd() {
  order_.OnEnd();
  if (!waiting_requests_.empty() || !waiting_messages_.empty()) order_.Add();
}

void TcpSender::DropWaiting() {
  waiting_messages_.clear();
  waiting_requests_.clear();
}

void TcpSender::Lose() {
  for (const auto* const waiting : {&waiting_messages_, &waiting_requests_}) {
    for (const Command& command : *waiting) requests_.AddEnd(command.tag, Outcome::kPeerDown);
  }
  for (const Taken& taken : taken_) requests_.AddEnd(taken.tag, Outcome::kPeerDown);
  DropWaiting();
  taken_.clear();
  taken_bytes_ = 0;
  reads_.clear();
  output_.Clear();
  answers_.Clear();
  order_ = {};
  has_requests_ = false;
}

}  // namespace llcl
