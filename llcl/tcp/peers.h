// The other ranks of a TCP device: their first meetings, their turns to send and to be heard, and
// their losses.
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
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "llcl/conduit/streams.h"
#include "llcl/executor/device.h"
#include "llcl/executor/message.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/connector.h"
#include "llcl/tcp/peer.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/watch.h"

namespace llcl {

// A resource. `requests` and `regions` outlive it.
class TcpPeers {
 public:
  // `connections`: by rank; none of this rank, nor of ranks that another device reaches. The other
  // ranks are met by the connector, which is open, or null where there are none.
  TcpPeers(std::vector<OwnedFd> connections, std::unique_ptr<TcpConnector> connector,
           TcpRequests& requests, TcpRegions& regions);
  // Sends the posted bytes, as far as the other ranks take bytes within some tenths of a second.
  ~TcpPeers();
  TcpPeers(const TcpPeers&) = delete;
  TcpPeers& operator=(const TcpPeers&) = delete;
  // Before all else. False: errno says why.
  [[nodiscard]] bool Open();

  // Streams, as conduit/streams.h says.
  void SetTaker(StreamTaker* taker) {
    for (const auto& peer : peers_) {
      if (peer != nullptr) peer->receiver.SetTaker(taker);
    }
  }
  bool Reach(Rank rank) const { return Find(rank) != nullptr; }
  [[nodiscard]] bool TryStream(std::span<const std::byte> header, std::size_t unit,
                               std::span<const std::byte> payload, Streams::Sending& sending);
  bool HasSent(const Streams::Sending& sending) const {
    return Find(sending.to)->sender.HasSent(sending.end);
  }
  void Keep(Rank to, std::span<const std::byte> memory) { Find(to)->sender.Keep(memory); }

  // Adds a command. Precondition: Reach(its rank).
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

  // Are there ranks that are met on first use?
  bool meets_on_use() const { return connector_ != nullptr; }
  // Connects to the rank, if it is not gone.
  void Meet(Rank rank) {
    if (TcpPeer* const peer = Find(rank)) Meet(*peer);
  }
  // Has there been a connection?
  bool HasMet(Rank rank) const {
    const TcpPeer* const peer = Find(rank);
    return peer != nullptr && peer->connection.was_open();
  }
  Device::Contact ContactOf(Rank rank) const;
  void Doubt(Rank rank);
  // From here on no connection begins: the ranks that were not met are lost.
  void StopMeeting();

 private:
  TcpPeer* Find(Rank rank) const { return peers_[static_cast<std::size_t>(ToInt(rank))].get(); }
  void Meet(TcpPeer& peer) {
    if (peer.connection.is_unmet()) [[unlikely]]
      Want(peer);
  }
  void Want(TcpPeer& peer);
  void PollConnector();
  // Without a timer: is something to be done now?
  bool IsDue() const {
    return connector_ != nullptr && !connector_->wakes_in_time() &&
           std::chrono::steady_clock::now() >= connector_->due();
  }
  void OnMet(TcpPeer& peer, OwnedFd fd);
  void OnMissed(TcpPeer& peer, const std::string& why);
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
  std::vector<std::unique_ptr<TcpPeer>> peers_;    // by rank; null: not reached by this device
  std::vector<TcpPeer*> others_;                   // of peers_, that were met
  const std::unique_ptr<TcpConnector> connector_;  // or null
  TcpWatch watch_;
  std::vector<TcpPeer*> held_;  // whose order waits for a poll
  std::size_t next_ = 0;        // of others_, whose messages are handed out first
  std::size_t ended_ = 0;       // others whose connection has ended, and that are not lost yet
  std::atomic<int> losses_{0};
  std::uint64_t polls_ = 0, activity_ = 0;
  TcpConnection::Time next_look_;                               // for vanished machines
  TcpConnection::Time next_loss_ = TcpConnection::Time::max();  // of an ended connection
  std::map<Rank, std::string> missed_;  // for which commands wait, with a sentence
  bool has_said_ = false;               // that this process lacks something
};

}  // namespace llcl
