#include "llcl/tcp/device.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "llcl/executor/in_place.h"
#include "llcl/process_limits.h"
#include "llcl/tcp/silence.h"

namespace llcl {
namespace {

constexpr std::uint64_t kMostCopied = 4096;  // what is larger is sent from where it lies
// Of messages to a rank, and of what it reads: beyond, more of the same kind wait. Each for itself:
// requests go out however much there is to be sent, and would leave no room for either.
constexpr std::size_t kMostOutput = 128 << 10;
constexpr std::uint64_t kPiece = 512 << 10;    // of a large read
constexpr int kMostSends = 4;                  // before others have their turn
constexpr std::size_t kSentAtOnce = 64 << 10;  // so much does not wait for a poll
constexpr std::chrono::milliseconds kTimeToPart{200};
constexpr std::chrono::milliseconds kTimeToHear{100};
constexpr std::chrono::seconds kLookForVanishedEvery{1};
constexpr std::uint64_t kPollsPerClock = 256;  // reading it costs a tenth of a poll

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

TcpDevice::TcpDevice(Rank rank, std::vector<OwnedFd> connections, TcpRegions& regions)
    : rank_(rank), regions_(regions) {
  for (std::size_t number = 0; number < connections.size(); ++number) {
    auto peer = std::make_unique<TcpPeer>();
    peer->rank = Rank{static_cast<std::int32_t>(number)};
    peer->connection = std::move(connections[number]);
    if (peer->rank != rank) others_.push_back(peer.get());
    peers_.push_back(std::move(peer));
  }
}

absl::Status TcpDevice::Open() {
  for (TcpPeer* const peer : others_) LetSilenceDecide(peer->connection.get());
  if (watch_.Open()) return absl::OkStatus();
  return absl::ResourceExhaustedError("cannot watch connections: " +
                                      WhyCallFailed("epoll_create1", errno));
}

TcpDevice::~TcpDevice() {
  // A connection that is closed while something that came was not read takes with it what is on
  // its way to the other rank: so each reads until the other has closed its side, too.
  const auto until = std::chrono::steady_clock::now() + kTimeToPart;
  std::vector<TcpPeer*> left = others_;
  // Given up by the executor: their memory may be gone.
  for (TcpPeer* const peer : others_) {
    peer->waiting_messages.clear();
    peer->waiting_requests.clear();
  }
  std::vector<std::byte> ignored(TcpInput::kBytes);
  while (true) {
    std::erase_if(left, [&](TcpPeer* peer) {
      if (!peer->is_down.load(std::memory_order_relaxed)) Send(*peer);
      if (peer->is_down.load(std::memory_order_relaxed) || peer->closed) return true;
      const int fd = peer->connection.get();
      if (peer->is_deaf || (peer->output.empty() && peer->reads.empty())) {
        (void)shutdown(fd, SHUT_WR);
      }
      const ssize_t got = recv(fd, ignored.data(), ignored.size(), MSG_DONTWAIT);
      const bool has_ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
      if (has_ended) Close(*peer);
      return has_ended;
    });
    if (left.empty() || std::chrono::steady_clock::now() >= until) return;
    watch_.SetAlarm(true);
    pollfd news = {watch_.descriptor(), POLLIN, 0};
    (void)poll(&news, 1, 10);
  }
}

Outcome TcpDevice::DoHere(const Command& command) {
  const auto execute = [&](std::byte* at) { ExecuteInPlace(command, at); };
  return regions_.Use(command.id, command.key, command.address, command.bytes, execute)
             ? Outcome::kDone
             : Outcome::kRefused;
}

std::size_t TcpDevice::unsent_bytes() const {
  std::size_t bytes = 0;
  for (const TcpPeer* const peer : others_) bytes += peer->output.bytes();
  return bytes;
}

std::size_t TcpDevice::Post(std::span<const Command> commands) {
  for (const Command& command : commands) PostOne(command);
  return commands.size();
}

void TcpDevice::PostOne(const Command& command) {
  if (command.peer == rank_) return PostHere(command);
  TcpPeer& peer = Of(command.peer);
  if (peer.is_down.load(std::memory_order_relaxed)) {
    ended_.push_back({command.tag, Outcome::kPeerDown});
    return;
  }
  Hold(peer);
  if (command.kind == CommandKind::kMessage) {
    peer.waiting_messages.push_back(command);
    AddWaiting(peer);
  } else if (peer.asked >= kMostAsked || !peer.waiting_requests.empty()) {
    peer.waiting_requests.push_back(command);
  } else {
    Request(peer, command);
  }
  if (peer.output.bytes() >= kSentAtOnce && !peer.wants_room) Send(peer);
}

void TcpDevice::PostHere(const Command& command) {
  if (command.kind == CommandKind::kMessage) {
    messages_to_self_.emplace_back(command.local, command.local + command.bytes);
    ended_.push_back({command.tag, Outcome::kDone});
  } else {
    ended_.push_back({command.tag, DoHere(command)});
  }
}

void TcpDevice::Request(TcpPeer& peer, const Command& command) {
  if (command.tag >= asked_.size()) asked_.resize(command.tag + 1);
  ++peer.asked;
  ++peer.held_requests;
  const TcpHeader header = {.frame = FrameOf(command.kind),
                            .type = command.type,
                            .op = command.op,
                            .detail = command.kind == CommandKind::kAtomic && command.fetches,
                            .tag = command.tag,
                            .bytes = command.bytes};
  const TcpTarget target = {command.id, command.key, command.address};
  if (command.kind == CommandKind::kAtomic) {
    peer.output.AddValues(header, target, TcpOperands{command.operand, command.expected});
  } else {
    peer.output.AddValues(header, target);
  }
  const std::span<const std::byte> written(command.local, command.bytes);
  if (command.kind == CommandKind::kWrite && command.bytes <= kMostCopied) {
    peer.output.Add(written);
  } else if (command.kind == CommandKind::kWrite) {
    peer.output.Refer(written);
  }
  asked_[command.tag] = {.command = command, .end = peer.output.added(), .is_under_way = true};
}

void TcpDevice::AddWaiting(TcpPeer& peer) {
  while (!peer.waiting_requests.empty() && peer.asked < kMostAsked) {
    Request(peer, peer.waiting_requests.front());
    peer.waiting_requests.pop_front();
  }
  while (!peer.waiting_messages.empty() && peer.taken_bytes < kMostOutput) {
    const Command& command = peer.waiting_messages.front();
    const TcpHeader header = {.frame = TcpFrame::kMessage, .bytes = command.bytes};
    peer.output.AddValues(header);
    peer.output.Add({command.local, command.bytes});
    const std::uint64_t bytes = sizeof header + command.bytes;
    peer.taken.push_back({peer.output.added(), bytes, command.tag});
    peer.taken_bytes += bytes;
    peer.waiting_messages.pop_front();
  }
}

// Up to the first large one.
void TcpDevice::AddSmallReads(TcpPeer& peer) {
  while (!peer.reads.empty() && peer.answers.bytes() < kMostOutput &&
         peer.reads.front().bytes <= kMostCopied) {
    AnswerSmallRead(peer, peer.reads.front());
    peer.reads.pop_front();
  }
}

// The next piece of a large read, and all before it.
TcpOutput::State TcpDevice::SendPiece(TcpPeer& peer) {
  TcpPeer::Reading& reading = peer.reads.front();
  TcpTarget& target = reading.target;
  const std::uint64_t some = std::min(reading.bytes, kPiece);
  TcpOutput::State state = TcpOutput::State::kSent;
  const bool is_there =
      regions_.Use(target.id, target.key, target.address, some, [&](std::byte* at) {
        peer.answers.Add(sizeof(TcpHeader) + some);
        peer.output.AddValues(
            TcpHeader{.frame = TcpFrame::kData, .tag = reading.tag, .bytes = some});
        state = peer.output.SendOrCopy(peer.connection.get(), {at, some});
      });
  if (!is_there) Answer(peer, reading.tag, Outcome::kRefused);
  reading.bytes -= some;
  target.address += some;
  if (!is_there || reading.bytes == 0) peer.reads.pop_front();
  return state;
}

void TcpDevice::Send(TcpPeer& peer) {
  peer.has_more = false;
  for (int times = 0; times < kMostSends; ++times) {
    if (peer.is_deaf || peer.closed) return;
    if (peer.has_waiting()) AddWaiting(peer);
    if (!peer.reads.empty()) AddSmallReads(peer);
    peer.held_requests = 0;
    const bool reads_more = !peer.reads.empty() && peer.answers.bytes() < kMostOutput;
    if (peer.output.empty() && !reads_more) return WantRoom(peer, false);
    const TcpOutput::State state =
        reads_more ? SendPiece(peer) : peer.output.Send(peer.connection.get());
    EndTaken(peer);
    peer.answers.Sent(peer.output.added(), peer.output.sent());
    if (state == TcpOutput::State::kGone) peer.is_deaf = true;
    if (state == TcpOutput::State::kBlocked) return WantRoom(peer, true);
  }
  peer.has_more = true;
  ++activity_;
}

void TcpDevice::Hold(TcpPeer& peer) {
  if (!peer.is_held) held_.push_back(&peer);
  peer.is_held = true;
}

// As Nagle's algorithm: while one answer is awaited, what is posted is gathered.
Device::Left TcpDevice::Release() {
  bool is_left = !messages_to_self_.empty();
  std::erase_if(held_, [&](TcpPeer* peer) {
    const bool is_awaited = !peer->has_more && peer->asked > peer->held_requests;
    if (!is_awaited && !peer->wants_room) Send(*peer);
    const bool has_more = peer->has_more && !peer->wants_room;
    is_left |= has_more;
    peer->is_held = is_awaited || has_more;
    return !peer->is_held;
  });
  return LeftOf(is_left, ended_.size());
}

void TcpDevice::SendHeld() {
  std::erase_if(held_, [this](TcpPeer* peer) {
    if (!peer->wants_room) Send(*peer);
    peer->is_held = peer->has_more && !peer->wants_room;
    return !peer->is_held;
  });
}

// Messages end when the connection has them.
void TcpDevice::EndTaken(TcpPeer& peer) {
  while (!peer.taken.empty() && peer.taken.front().end <= peer.output.sent()) {
    ended_.push_back({peer.taken.front().tag, Outcome::kDone});
    peer.taken_bytes -= peer.taken.front().bytes;
    peer.taken.pop_front();
  }
}

void TcpDevice::WantRoom(TcpPeer& peer, bool wants) {
  if (peer.wants_room == wants) return;
  peer.wants_room = wants;
  watch_.Update(peer);
}

std::size_t TcpDevice::Poll(std::span<Ended> ended) {
  if (closed_ > 0) LoseClosed();
  if (++polls_ % kPollsPerClock == 0) CloseVanished();
  SendHeld();
  watch_.ForEach([this](TcpPeer& peer, bool has_room) {
    if (has_room) Send(peer);
    ReceiveFrom(peer);
  });
  SendHeld();  // Answers.
  if (ended_.empty()) return 0;
  const std::size_t count = std::min(ended.size(), ended_.size());
  std::copy_n(ended_.begin(), count, ended.begin());
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

bool TcpDevice::TryArm() {
  CloseVanished();
  SendHeld();
  watch_.SetAlarm(true);
  return held_.empty() && ended_.empty() && messages_to_self_.empty() && closed_ == 0 &&
         std::none_of(others_.begin(), others_.end(),
                      [](const TcpPeer* peer) { return peer->has_message; });
}

void TcpDevice::End(Tag tag, Outcome outcome) {
  asked_[tag].is_under_way = false;
  TcpPeer& peer = Of(asked_[tag].command.peer);
  --peer.asked;
  if (peer.has_waiting()) Hold(peer);
  ended_.push_back({tag, outcome});
}

void TcpDevice::Close(TcpPeer& peer) {
  if (peer.closed) return;
  watch_.Remove(peer);
  peer.closed = std::chrono::steady_clock::now();
  ++closed_;
  (void)shutdown(peer.connection.get(), SHUT_RDWR);
}

void TcpDevice::CloseVanished() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookForVanishedEvery;
  for (TcpPeer* const peer : others_) {
    if (!peer->closed && HasVanished(SilenceOf(peer->connection.get()))) Close(*peer);
  }
}

void TcpDevice::LoseClosed() {
  const auto before = std::chrono::steady_clock::now() - kTimeToHear;
  for (TcpPeer* const peer : others_) {
    const bool is_heard = peer->closed && *peer->closed <= before && !peer->has_message;
    if (is_heard && !peer->is_down.load(std::memory_order_relaxed)) Lose(*peer);
  }
}

void TcpDevice::Lose(TcpPeer& peer) {
  if (peer.is_down.exchange(true, std::memory_order_acq_rel)) return;
  Close(peer);
  --closed_;
  losses_.fetch_add(1, std::memory_order_release);
  peer.wants_room = false;
  for (const auto* const waiting : {&peer.waiting_messages, &peer.waiting_requests}) {
    for (const Command& command : *waiting) ended_.push_back({command.tag, Outcome::kPeerDown});
  }
  for (const TcpPeer::Taken& taken : peer.taken) ended_.push_back({taken.tag, Outcome::kPeerDown});
  for (Tag tag = 0; tag < asked_.size(); ++tag) {
    if (asked_[tag].is_under_way && asked_[tag].command.peer == peer.rank) {
      End(tag, Outcome::kPeerDown);
    }
  }
  peer.waiting_messages.clear();
  peer.waiting_requests.clear();
  peer.taken.clear();
  peer.taken_bytes = 0;
  peer.reads.clear();
  peer.output.Clear();
  peer.answers.Clear();
  peer.payload = {};
}

}  // namespace llcl
