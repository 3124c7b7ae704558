// The other ranks of a TCP device: their turns to send and to be heard, and their losses.
//
// Each turn has a bound, so that no rank keeps the others waiting. A rank is lost some time after
// its connection has ended, as a last message may still wait for room in the inbox.
//
// Threads: one at a time, under the executor's lock; IsDown and losses any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "llcl/conduit/streams.h"
#include "llcl/executor/message.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/peer.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/watch.h"

namespace llcl {

// A resource. `requests` and `regions` outlive it.
class TcpPeers {
 public:
  // `connections`: by rank; none of this rank, nor of ranks that another device reaches.
  TcpPeers(std::vector<OwnedFd> connections, TcpRequests& requests, TcpRegions& regions);
  // Sends the posted bytes, as far as the other ranks take bytes within some tenths of a second.
  ~TcpPeers();
  TcpPeers(const TcpPeers&) = delete;
  TcpPeers& operator=(const TcpPeers&) = delete;
  // Before all else. False: errno says why.
  [[nodiscard]] bool Open();

  // Streams, as conduit/streams.h says.
  void SetTaker(StreamTaker* taker) {
    for (TcpPeer* const peer : others_) peer->receiver.SetTaker(taker);
  }
  bool Reach(Rank rank) const { return Find(rank) != nullptr; }
  [[nodiscard]] bool TryStream(std::span<const std::byte> header, std::size_t unit,
                               std::span<const std::byte> payload, Streams::Sending& sending);
  bool HasSent(const Streams::Sending& sending) const {
    return Find(sending.to)->sender.HasSent(sending.end);
  }
  void Keep(Rank to, std::span<const std::byte> memory) { Find(to)->sender.Keep(memory); }

  // Adds a command. Precondition: there is a connection to its rank.
  void Post(const Command& command);
  // Sends to each rank whose bytes need no poll. True: a turn has ended before all bytes were sent.
  [[nodiscard]] bool Release();
  // Sends, receives, and finds lost ranks.
  void Poll();
  // Adds the messages that have come and find room, of all ranks in turn.
  void HandOut(Inbox& inbox);

  // True: nothing is left to do, and the descriptor becomes readable with the next bytes.
  [[nodiscard]] bool TryArm();
  void Disarm() { watch_.ClearAlarm(); }
  int wait_descriptor() const { return watch_.descriptor(); }

  // Do bytes wait for a poll or a release?
  bool has_held() const { return !held_.empty(); }
  bool IsDown(Rank rank) const {
    const TcpPeer* const peer = Find(rank);
    return peer != nullptr && peer->connection.is_lost();
  }
  int losses() const { return losses_.load(std::memory_order_acquire); }
  // The rank is gone.
  void Lose(Rank rank) {
    if (TcpPeer* const peer = Find(rank)) Lose(*peer);
  }
  // Changes with received bytes, and with each turn that ends before all bytes were sent.
  std::uint64_t activity() const { return activity_; }
  std::size_t unsent_bytes() const;

 private:
  TcpPeer* Find(Rank rank) const { return peers_[static_cast<std::size_t>(ToInt(rank))].get(); }
  // Calls f(), which changes the peer's sender; then updates the list and the watch.
  template <typename F>
  void Change(TcpPeer& peer, F f);
  void OnPhase(TcpPeer& peer, TcpSendOrder::Phase before);
  template <typename F>
  void SendHeld(F is_due);
  void SendAllHeld();
  template <typename F>
  TcpReceiver::Came Take(TcpPeer& peer, F receive);
  void End(TcpPeer& peer);
  void EndVanished();
  void LoseEnded();
  void Lose(TcpPeer& peer);

  TcpRequests& requests_;
  std::vector<std::unique_ptr<TcpPeer>> peers_;  // by rank; null without a connection
  std::vector<TcpPeer*> others_;                 // of peers_, that are not null
  TcpWatch watch_{others_};
  std::vector<TcpPeer*> held_;  // whose order waits for a poll
  std::size_t next_ = 0;        // of others_, whose messages are handed out first
  std::size_t ended_ = 0;       // others whose connection has ended, and that are not lost yet
  std::atomic<int> losses_{0};
  std::uint64_t polls_ = 0, activity_ = 0;
  TcpConnection::Time next_look_;  // for vanished machines
};

}  // namespace llcl
