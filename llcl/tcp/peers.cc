#include "llcl/tcp/peers.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "llcl/tcp/silence.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTimeToPart{200};
constexpr std::chrono::milliseconds kTimeToHear{100};
// As a machine takes to vanish (silence.h).
constexpr std::chrono::seconds kTimeToConnect{10};
// For others to say how a rank has gone that was called and not reached.
constexpr std::chrono::milliseconds kTimeToBeTold{2000};
constexpr std::chrono::seconds kLookForVanishedEvery{1};
constexpr std::uint64_t kPollsPerClock = 256;  // reading it costs a tenth of a poll

// By one call, so that the lines of ranks do not mix.
void Say(const std::string& sentence) { std::fprintf(stderr, "llcl: %s\n", sentence.c_str()); }

}  // namespace

TcpPeers::TcpPeers(std::vector<OwnedFd> connections, std::unique_ptr<TcpConnector> connector,
                   TcpRequests& requests, TcpRegions& regions)
    : requests_(requests), peers_(connections.size()), connector_(std::move(connector)) {
  for (std::size_t number = 0; number < connections.size(); ++number) {
    const Rank rank{static_cast<std::int32_t>(number)};
    const bool is_met = connections[number].get() >= 0;
    if (!is_met && (connector_ == nullptr || !connector_->MayMeet(rank))) continue;
    peers_[number] = std::make_unique<TcpPeer>(rank, requests, regions);
    if (!is_met) continue;
    peers_[number]->connection.Open(std::move(connections[number]));
    others_.push_back(peers_[number].get());
  }
}

bool TcpPeers::Open() {
  for (TcpPeer* const peer : others_) LetSilenceDecide(peer->connection.fd());
  return watch_.Open(others_, connector_ == nullptr ? -1 : connector_->descriptor());
}

void TcpPeers::Want(TcpPeer& peer) {
  peer.was_missed = false;
  connector_->Want(peer.rank, Clock::now() + kTimeToConnect, Deadline::max());
}

void TcpPeers::Doubt(Rank rank) {
  TcpPeer* const peer = Find(rank);
  if (peer == nullptr || !peer->connection.is_unmet()) return;
  peer->was_missed = false;
  connector_->Doubt(rank, Clock::now() + kTimeToConnect);
}

Device::Contact TcpPeers::ContactOf(Rank rank) const {
  const TcpPeer* const peer = Find(rank);
  if (peer == nullptr || peer->connection.was_open()) return Device::Contact::kMet;
  if (peer->was_missed || peer->connection.has_ended()) return Device::Contact::kMissed;
  if (connector_->MayBeMet(rank)) return Device::Contact::kMayBeMet;
  return connector_->IsMeeting(rank) ? Device::Contact::kCalled : Device::Contact::kNone;
}

void TcpPeers::StopMeeting() {
  if (connector_ == nullptr) return;
  connector_->Close();
  for (const auto& peer : peers_) {
    if (peer != nullptr && peer->connection.is_unmet()) Lose(*peer);
  }
}

void TcpPeers::PollConnector() {
  ++activity_;
  const absl::Status heard =
      connector_->Poll([this](Rank rank, OwnedFd fd) { OnMet(*Find(rank), std::move(fd)); },
                       [this](Rank rank, const std::string& why) { OnMissed(*Find(rank), why); });
  if (connector_->TakeAwaited()) losses_.fetch_add(1, std::memory_order_release);
  if (has_said_) return;
  const std::string lack = heard.ok() ? connector_->Lack() : std::string(heard.message());
  has_said_ = !lack.empty();
  if (has_said_) Say(lack + "; it goes on trying");
}

void TcpPeers::OnMissed(TcpPeer& peer, const std::string& why) {
  if (peer.sender.has_requests()) {
    missed_[peer.rank] = why;
    End(peer);
    losses_.fetch_add(1, std::memory_order_release);
    return;
  }
  // Nobody waits for it, and others may know how it has gone.
  if (peer.sender.unsent_bytes() > 0) Say(why);
  Change(peer, [&] { peer.sender.Lose(); });
  peer.was_missed = true;
  losses_.fetch_add(1, std::memory_order_release);
}

void TcpPeers::OnMet(TcpPeer& peer, OwnedFd fd) {
  if (!peer.connection.is_unmet()) return;
  LetSilenceDecide(fd.get());
  peer.connection.Open(std::move(fd));
  peer.was_met_on_use = true;
  peer.was_missed = false;
  others_.push_back(&peer);
  losses_.fetch_add(1, std::memory_order_release);
  if (!watch_.Add(peer)) return End(peer);
  Change(peer, [&] { peer.sender.Turn(); });
}

TcpPeers::~TcpPeers() {
  // A connection that is closed before all that came was read takes with it the bytes that are on
  // their way to the other rank: so each reads until the other has closed its side, too.
  const auto until = Clock::now() + kTimeToPart;
  std::vector<TcpPeer*> left = others_;
  // Given up by the executor.
  for (TcpPeer* const peer : others_) peer->sender.DropWaiting();
  std::vector<std::byte> ignored(TcpInput::kBytes);
  while (true) {
    std::erase_if(left, [&](TcpPeer* peer) {
      if (!peer->connection.brings_bytes()) return true;
      Change(*peer, [peer] { peer->sender.Turn(); });
      const int fd = peer->connection.fd();
      if (!peer->connection.takes_bytes() || peer->sender.is_empty()) (void)shutdown(fd, SHUT_WR);
      const ssize_t got = recv(fd, ignored.data(), ignored.size(), MSG_DONTWAIT);
      const bool has_ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
      if (has_ended) End(*peer);
      return has_ended;
    });
    if (left.empty() || Clock::now() >= until) return;
    (void)watch_.SetAlarm();
    pollfd news = {watch_.descriptor(), POLLIN, 0};
    (void)poll(&news, 1, 10);
  }
}

// After a change of the peer's phase, which was `before`.
void TcpPeers::OnPhase(TcpPeer& peer, TcpSendOrder::Phase before) {
  using Phase = TcpSendOrder::Phase;
  const Phase now = peer.sender.order().phase();
  if (now == Phase::kTurnOver && before != Phase::kTurnOver) ++activity_;
  if ((now == Phase::kBlocked) != (before == Phase::kBlocked) && peer.connection.brings_bytes()) {
    watch_.Update(peer);
  }
}

template <typename F>
void TcpPeers::Change(TcpPeer& peer, F f) {
  const TcpSendOrder& order = peer.sender.order();
  const TcpSendOrder::Phase before = order.phase();
  const bool was_held = order.waits_for_poll();
  f();
  if (order.phase() == before && before == TcpSendOrder::Phase::kIdle) return;
  OnPhase(peer, before);
  if (order.waits_for_poll() && !was_held) held_.push_back(&peer);
  if (!order.waits_for_poll() && was_held) std::erase(held_, &peer);
}

// Sends to those of held_ that are due.
template <typename F>
void TcpPeers::SendHeld(F is_due) {
  std::erase_if(held_, [&](TcpPeer* peer) {
    const TcpSendOrder& order = peer->sender.order();
    if (is_due(order)) {
      peer->sender.Turn();
      if (order.phase() != TcpSendOrder::Phase::kIdle) {
        OnPhase(*peer, TcpSendOrder::Phase::kHeld);
      }
    }
    return !order.waits_for_poll();
  });
}

void TcpPeers::SendAllHeld() {
  if (held_.empty()) return;
  SendHeld([](const TcpSendOrder&) { return true; });
}

void TcpPeers::Post(const Command& command) {
  TcpPeer& peer = *Find(command.peer);
  if (peer.connection.is_lost()) return requests_.AddEnd(command.tag, Outcome::kPeerDown);
  Meet(peer);
  Change(peer, [&] { peer.sender.Post(command); });
}

bool TcpPeers::TryStream(std::span<const std::byte> header, std::size_t unit,
                         std::span<const std::byte> payload, Streams::Sending& sending) {
  TcpPeer& peer = *Find(sending.to);
  bool is_sent = false;
  Meet(peer);
  Change(peer, [&] { is_sent = peer.sender.TryStream(header, unit, payload, sending.end); });
  return is_sent;
}

bool TcpPeers::Release() {
  if (held_.empty()) return false;
  SendHeld([](const TcpSendOrder& order) { return order.IsReleased(); });
  return std::ranges::any_of(held_, [](const TcpPeer* peer) {
    return peer->sender.order().phase() == TcpSendOrder::Phase::kTurnOver;
  });
}

void TcpPeers::Poll() {
  if (ended_ > 0) LoseEnded();
  if (++polls_ % kPollsPerClock == 0) EndVanished();
  SendAllHeld();
  const bool has_calls = watch_.ForEach([this](TcpPeer& peer, bool has_room) {
    if (has_room) Change(peer, [&] { peer.sender.Turn(); });
    if (!peer.connection.brings_bytes()) return false;
    const TcpReceiver::Came came = Take(peer, [&] { return peer.receiver.Receive(); });
    if (came == TcpReceiver::Came::kNothing) return false;
    ++activity_;
    return true;
  });
  if (has_calls || IsDue()) PollConnector();
  SendAllHeld();  // Answers.
}

void TcpPeers::HandOut(Inbox& inbox) {
  for (std::size_t looked = 0; looked < others_.size() && inbox.has_room(); ++looked) {
    TcpPeer& peer = *others_[next_ % others_.size()];
    next_ = (next_ + 1) % others_.size();
    if (peer.receiver.has_message()) {
      (void)Take(peer, [&] { return peer.receiver.HandOut(inbox); });
    }
  }
}

// The peer's sender answers the received requests.
template <typename F>
TcpReceiver::Came TcpPeers::Take(TcpPeer& peer, F receive) {
  TcpReceiver::Came came{};
  Change(peer, [&] { came = receive(); });
  if (came == TcpReceiver::Came::kEnd) End(peer);
  if (came == TcpReceiver::Came::kNonsense) Lose(peer);
  return came;
}

bool TcpPeers::TryArm() {
  EndVanished();
  SendAllHeld();
  if (!watch_.SetAlarm()) return false;
  // The time of a loss that is due in seconds wakes the thread.
  const bool sleeps_over_ended = ended_ > 0 && connector_ != nullptr &&
                                 next_loss_ > Clock::now() + kTimeToHear &&
                                 next_loss_ != TcpConnection::Time::max();
  if (sleeps_over_ended) connector_->WakeAt(next_loss_);
  if (connector_ != nullptr && !connector_->wakes_in_time()) return false;
  return held_.empty() && (ended_ == 0 || sleeps_over_ended) &&
         std::ranges::none_of(others_,
                              [](const TcpPeer* peer) { return peer->receiver.has_message(); });
}

std::size_t TcpPeers::unsent_bytes() const {
  std::size_t bytes = 0;
  for (const auto& peer : peers_) bytes += peer == nullptr ? 0 : peer->sender.unsent_bytes();
  return bytes;
}

void TcpPeers::End(TcpPeer& peer) {
  if (peer.connection.has_ended()) return;
  if (peer.connection.brings_bytes()) watch_.Remove(peer);
  peer.connection.End(Clock::now());
  if (connector_ != nullptr) connector_->OnGone(peer.rank);
  ++ended_;
}

void TcpPeers::EndVanished() {
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookForVanishedEvery;
  for (TcpPeer* const peer : others_) {
    const TcpConnection& connection = peer->connection;
    if (connection.brings_bytes() && HasVanished(SilenceOf(connection.fd()))) End(*peer);
  }
}

void TcpPeers::LoseEnded() {
  const auto now = Clock::now();
  next_loss_ = TcpConnection::Time::max();
  for (TcpPeer* const peer : others_) {
    const TcpConnection& connection = peer->connection;
    // A rank that has called this one may have left before it heard that it is welcome.
    const bool waits_for_news = peer->was_met_on_use && !peer->receiver.has_received();
    const auto time = waits_for_news ? kTimeToBeTold : kTimeToHear;
    if (connection.state() != TcpConnection::State::kEnded) continue;
    const bool is_heard = connection.ended_at() <= now - time && !peer->receiver.has_message();
    if (is_heard) {
      Lose(*peer);
    } else {
      next_loss_ = std::min(next_loss_, connection.ended_at() + time);
    }
  }
  for (auto at = missed_.begin(); at != missed_.end();) {
    const auto [rank, why] = *at;
    TcpPeer& peer = *Find(rank);
    const bool is_late = peer.connection.ended_at() <= now - kTimeToBeTold;
    if (is_late && !peer.connection.is_lost()) {
      Say(why);
      Lose(peer);
    }
    if (peer.connection.is_lost()) {
      at = missed_.erase(at);
    } else {
      next_loss_ = std::min(next_loss_, peer.connection.ended_at() + kTimeToBeTold);
      ++at;
    }
  }
}

void TcpPeers::Lose(TcpPeer& peer) {
  if (peer.connection.is_lost()) return;
  End(peer);
  --ended_;
  peer.connection.Lose();
  losses_.fetch_add(1, std::memory_order_release);
  Change(peer, [&] { peer.sender.Lose(); });
  requests_.EndAllOf(peer.rank, Outcome::kPeerDown);
  peer.receiver.Lose();
}

}  // namespace llcl
