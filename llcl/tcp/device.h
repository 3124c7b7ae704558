// Operations and messages by a TCP connection to each other rank.
//
// Requests are gathered until the device is polled, and then sent by one call for each rank. The
// rank that is asked reads and writes its own memory, when it polls: so a rank makes progress for
// others while it waits itself, or by its progress thread.
//
// Large writes are sent from where they lie, and received into the region without another copy. A
// large read's bytes are sent from the region, in pieces: of a piece that the connection does not
// take at once the rest is copied, so that the region may be deregistered meanwhile, which ends the
// read with a refusal.
//
// Threads: as device.h says; IsDown and losses any.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "llcl/executor/device.h"
#include "llcl/owned_fd.h"
#include "llcl/tcp/peer.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/watch.h"

namespace llcl {

// A resource. `regions` outlive it.
class TcpDevice final : public Device {
 public:
  // `connections`: by rank; of this rank none.
  TcpDevice(Rank rank, std::vector<OwnedFd> connections, TcpRegions& regions);
  // What was posted still goes out, as far as the others take it within some tenths of a second.
  ~TcpDevice() override;
  // Before all else. Errors: ResourceExhausted.
  absl::Status Open();

  // Does a command on a region of this rank's own.
  Outcome DoHere(const Command& command);

  // Of all ranks: that wait in this process, as what they are sent was not taken.
  std::size_t unsent_bytes() const;

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  bool IsHolding() const override { return !held_.empty(); }
  Left Release() override;
  std::uint64_t activity() const override { return activity_; }
  void Receive(Inbox& inbox) override;
  bool IsDown(Rank rank) const override { return Of(rank).is_down.load(std::memory_order_acquire); }
  int losses() const override { return losses_.load(std::memory_order_acquire); }
  void OnLeft(Rank rank) override { Lose(Of(rank)); }
  int wait_descriptor() const override { return watch_.descriptor(); }
  bool TryArm() override;
  bool Disarm() override {
    watch_.SetAlarm(false);
    return true;
  }

 private:
  TcpPeer& Of(Rank rank) const { return *peers_[static_cast<std::size_t>(ToInt(rank))]; }

  // What goes out: device.cc.
  void PostOne(const Command& command);
  void PostHere(const Command& command);
  void Request(TcpPeer& peer, const Command& command);
  void Hold(TcpPeer& peer);
  void Send(TcpPeer& peer);
  void SendHeld();
  void AddWaiting(TcpPeer& peer);
  void AddSmallReads(TcpPeer& peer);
  TcpOutput::State SendPiece(TcpPeer& peer);
  void EndTaken(TcpPeer& peer);
  void WantRoom(TcpPeer& peer, bool wants);

  // What comes in: device_input.cc. With an inbox, messages too.
  void ReceiveFrom(TcpPeer& peer);
  ssize_t ReceivePayload(TcpPeer& peer, std::size_t most);
  void Parse(TcpPeer& peer, Inbox* inbox);
  bool ParseFrame(TcpPeer& peer, Inbox* inbox);
  bool ParseAnswer(TcpPeer& peer, const TcpHeader& header);
  void ParseRequest(TcpPeer& peer, const TcpHeader& header, std::span<const std::byte> bytes);
  void PutPayload(TcpPeer& peer);
  void EndPayload(TcpPeer& peer);
  void Answer(TcpPeer& peer, Tag tag, Outcome outcome);
  void AnswerRead(TcpPeer& peer, const TcpHeader& header, const TcpTarget& target);
  void AnswerSmallRead(TcpPeer& peer, const TcpPeer::Reading& reading);
  void AnswerAtomic(TcpPeer& peer, const TcpHeader& header, const TcpTarget& target,
                    const TcpOperands& operands);
  void AddData(TcpPeer& peer, Tag tag, std::span<const std::byte> bytes);

  void End(Tag tag, Outcome outcome);
  // Its connection has ended. What it has sent before is given to those whom it is for, before it
  // is taken for gone: the last message of a rank that is done may be what another waits for.
  void Close(TcpPeer& peer);
  void CloseVanished();
  void LoseClosed();
  void Lose(TcpPeer& peer);
  // What it has sent no rank of ours sends.
  void LoseOfNonsense(TcpPeer& peer);

  const Rank rank_;
  TcpRegions& regions_;
  std::vector<std::unique_ptr<TcpPeer>> peers_;  // by rank
  std::vector<TcpPeer*> others_;                 // all of peers_ but this rank
  TcpWatch watch_{others_};
  std::atomic<int> losses_{0};
  // Commands that others have been asked for, by tag.
  struct Asked {
    Command command;
    std::uint64_t received = 0;  // of its bytes
    std::uint64_t end = 0;       // of the request, among all bytes to that rank
    bool is_under_way = false;
  };
  std::vector<Asked> asked_;
  std::deque<Ended> ended_;
  std::deque<std::vector<std::byte>> messages_to_self_;
  std::size_t next_ = 0;  // of others_, whose messages are received first
  std::uint64_t polls_ = 0, activity_ = 0;
  std::chrono::steady_clock::time_point next_look_;  // for vanished machines
  std::size_t closed_ = 0;      // others whose connection has ended, and that are not lost yet
  std::vector<TcpPeer*> held_;  // those for which something was not tried to be sent
};

}  // namespace llcl
