#include "llcl/tcp/receiver.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "llcl/executor/in_place.h"

namespace llcl {
namespace {

constexpr std::uint64_t kReceivedInPlace = 16 << 10;  // payloads of which so much is left
constexpr std::uint64_t kMostInPlace = 512 << 10;     // at a time
constexpr int kMostReceives = 8;                      // before others have their turn

}  // namespace

TcpReceiver::Came TcpReceiver::Receive() {
  Came came = Came::kNothing;
  for (int times = 0; times < kMostReceives; ++times) {
    const bool is_in_place = IsInPlace();
    ssize_t got = 0;
    std::size_t room = 0;
    if (is_in_place) {
      room = static_cast<std::size_t>(std::min(parser_.payload(), kMostInPlace));
      got = ReceivePayload(room);
    } else {
      if (input_.room().size() < TcpInput::kBytes / 2) input_.MakeRoom();
      const std::span<std::byte> place = input_.room();
      if (place.empty()) return came;  // A message has to be taken first.
      room = place.size();
      got = recv(connection_.fd(), place.data(), place.size(), MSG_DONTWAIT);
    }
    // Only now: its region has gone, or the rest of a stream's payload has no place.
    if (is_in_place && !IsInPlace() && got < 0) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return came;
    if (got <= 0) return Came::kEnd;
    came = Came::kSome;
    if (!is_in_place) {
      has_received_ = true;
      input_.Add(static_cast<std::size_t>(got));
      if (Parse(nullptr) == Came::kNonsense) return Came::kNonsense;
    }
    if (static_cast<std::size_t>(got) < room) return came;  // There was no more.
  }
  return came;
}

// Payloads without a place are received as small ones are: into input_.
bool TcpReceiver::IsInPlace() const {
  return parser_.payload() >= kReceivedInPlace && !payload_.is_refused && payload_.has_place &&
         input_.bytes().empty();
}

TcpReceiver::Came TcpReceiver::HandOut(Inbox& inbox) {
  has_message_ = false;
  return Parse(&inbox);
}

TcpReceiver::Came TcpReceiver::Parse(Inbox* inbox) {
  while (!input_.bytes().empty()) {
    TcpFrameParser::Step step = parser_.Next(input_.bytes());
    bool is_sane = true;
    switch (step.kind) {
      case TcpFrameParser::Kind::kMore:
        return Came::kSome;
      case TcpFrameParser::Kind::kNonsense:
        is_sane = false;
        break;
      case TcpFrameParser::Kind::kPayload:
        step.used = PutPayload(step.bytes);
        if (step.used == 0) return Came::kSome;
        break;
      case TcpFrameParser::Kind::kFrame:
        if (step.header.frame == TcpFrame::kMessage) {
          if (inbox == nullptr || !inbox->has_room()) {
            has_message_ = true;
            return Came::kSome;
          }
          std::ranges::copy(step.bytes, inbox->Add(rank_, step.bytes.size()).begin());
        } else {
          is_sane = TakeFrame(step);
        }
    }
    if (!is_sane) {
      input_.Clear();
      return Came::kNonsense;
    }
    input_.Use(step.used);
    if (parser_.Use(step)) EndPayload();
  }
  return Came::kSome;
}

// False: it is nonsense.
bool TcpReceiver::TakeFrame(const TcpFrameParser::Step& step) {
  if (step.header.frame == TcpFrame::kStream) return TakeStream(step);
  if (!IsTcpRequest(step.header.frame)) return TakeAnswer(step.header);
  if (sender_.unsent_answers() > kMostAnswers) return false;
  TakeRequest(step);
  return true;
}

bool TcpReceiver::TakeStream(const TcpFrameParser::Step& step) {
  if (taker_ == nullptr) return false;
  payload_ = {.to = Payload::To::kStream, .stream = step.stream(), .unit = step.header.tag};
  if (step.header.bytes == 0) taker_->Take(rank_, payload_.stream, 0, {});
  return true;
}

bool TcpReceiver::TakeAnswer(const TcpHeader& header) {
  const TcpRequests::Request* const request = requests_.Find(header.tag, rank_);
  if (request == nullptr) return false;
  if (!sender_.HasSent(request->end)) return false;  // It cannot know the request.
  const Command& command = request->command;
  const bool fetches = command.kind == CommandKind::kRead ||
                       (command.kind == CommandKind::kAtomic && command.fetches);
  if (header.frame == TcpFrame::kData) {
    if (!fetches || header.bytes > command.bytes - request->received) return false;
    payload_ = {.to = Payload::To::kRequest, .tag = header.tag};
    return true;
  }
  const auto outcome = static_cast<Outcome>(header.detail);
  if (fetches && outcome == Outcome::kDone) return false;
  End(header.tag, outcome);
  return true;
}

void TcpReceiver::TakeRequest(const TcpFrameParser::Step& step) {
  const TcpHeader& header = step.header;
  const TcpTarget target = step.target();
  if (header.frame == TcpFrame::kRead) {
    return sender_.AnswerRead(header.tag, target, header.bytes);
  }
  if (header.frame == TcpFrame::kAtomic) return DoAtomic(step);
  if (step.bytes.size() == header.bytes) {
    Command command = {.kind = CommandKind::kWrite, .bytes = header.bytes};
    // Only read.
    command.local = const_cast<std::byte*>(step.bytes.data());
    command.id = target.id;
    command.key = target.key;
    command.address = target.address;
    return sender_.Answer(header.tag, regions_.Execute(command));
  }
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, header.bytes, [](std::byte*) {});
  payload_ = {
      .to = Payload::To::kRegion, .is_refused = !is_there, .tag = header.tag, .target = target};
}

void TcpReceiver::DoAtomic(const TcpFrameParser::Step& step) {
  const TcpHeader& header = step.header;
  const TcpTarget target = step.target();
  const TcpOperands operands = step.operands();
  std::uint64_t old = 0;
  bool is_aligned = false;
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, header.bytes, [&](std::byte* at) {
        is_aligned = reinterpret_cast<std::uintptr_t>(at) % header.bytes == 0;
        if (!is_aligned) return;
        old = Apply(header.type, header.op, at, operands.operand, operands.expected);
      });
  if (!is_there || !is_aligned) return sender_.Answer(header.tag, Outcome::kRefused);
  if (header.detail == 0) return sender_.Answer(header.tag, Outcome::kDone);
  sender_.AnswerData(header.tag, std::as_bytes(std::span(&old, 1)).first(header.bytes));
}

// How many of them, which may be fewer.
std::size_t TcpReceiver::PutPayload(std::span<const std::byte> bytes) {
  switch (payload_.to) {
    case Payload::To::kStream:
      return PutStream(bytes);
    case Payload::To::kRequest: {
      TcpRequests::Request& request = requests_.At(payload_.tag);
      std::memcpy(request.command.local + request.received, bytes.data(), bytes.size());
      request.received += bytes.size();
      break;
    }
    case Payload::To::kRegion: {
      TcpTarget& target = payload_.target;
      if (!payload_.is_refused) {
        payload_.is_refused =
            !regions_.Use(target.id, target.key, target.address, bytes.size(),
                          [&](std::byte* at) { std::memcpy(at, bytes.data(), bytes.size()); });
      }
      target.address += bytes.size();
    }
  }
  return bytes.size();
}

// Whole units; at the end of the payload all.
std::size_t TcpReceiver::PutStream(std::span<const std::byte> bytes) {
  const std::uint64_t end = payload_.at + bytes.size();
  const std::size_t cut = bytes.size() == parser_.payload() ? 0 : end % payload_.unit;
  if (cut >= bytes.size()) return 0;
  const std::span<const std::byte> whole = bytes.first(bytes.size() - cut);
  taker_->Take(rank_, payload_.stream, payload_.at, whole);
  payload_.at += whole.size();
  payload_.has_place = true;
  return whole.size();
}

ssize_t TcpReceiver::ReceivePayload(std::size_t most) {
  ssize_t got = -1;
  int error = 0;
  const auto receive = [&](std::byte* at) {
    got = recv(connection_.fd(), at, most, MSG_DONTWAIT);
    error = errno;
    return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  };
  switch (payload_.to) {
    case Payload::To::kStream:
      payload_.has_place =
          taker_->TryFill(rank_, payload_.stream, payload_.at, most,
                          [&](std::span<std::byte> place) { return receive(place.data()); });
      if (got > 0) payload_.at += static_cast<std::uint64_t>(got);
      break;
    case Payload::To::kRequest: {
      TcpRequests::Request& request = requests_.At(payload_.tag);
      request.received += receive(request.command.local + request.received);
      break;
    }
    case Payload::To::kRegion: {
      TcpTarget& target = payload_.target;
      payload_.is_refused = !regions_.Use(target.id, target.key, target.address, most,
                                          [&](std::byte* at) { target.address += receive(at); });
    }
  }
  errno = error;
  if (got <= 0) return got;
  if (parser_.UsePayload(static_cast<std::uint64_t>(got))) EndPayload();
  return got;
}

void TcpReceiver::EndPayload() {
  if (payload_.to == Payload::To::kStream) return;
  if (payload_.to == Payload::To::kRegion) {
    return sender_.Answer(payload_.tag, payload_.is_refused ? Outcome::kRefused : Outcome::kDone);
  }
  const TcpRequests::Request& request = requests_.At(payload_.tag);
  if (request.received == request.command.bytes) End(payload_.tag, Outcome::kDone);
}

void TcpReceiver::End(Tag tag, Outcome outcome) {
  requests_.End(tag, outcome);
  sender_.OnEnd();
}

}  // namespace llcl
