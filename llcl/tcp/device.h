// Operations and messages by a TCP connection to each other rank.
//
// Requests are gathered until the device is polled, and then sent by one call for each rank. The
// rank that is asked reads and writes its own memory, when it polls: so a rank makes progress for
// others while it waits itself, or by its progress thread.
//
//   send_order.h   when a connection sends, and which piece is next (pure)
//   frame_parser.h which frames the bytes that come are (pure)
//   connection.h   the states of a connection
//   sender.h, receiver.h   bytes to a rank, and from it
//   peers.h        all ranks: meetings, turns, lost ones
//   connector.h    the connections to ranks that are met on first use
//
// Threads: as device.h says; IsDown and losses any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "llcl/conduit/streams.h"
#include "llcl/executor/device.h"
#include "llcl/owned_fd.h"
#include "llcl/tcp/connector.h"
#include "llcl/tcp/peers.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"

namespace llcl {

// A resource. `regions` outlive it.
class TcpDevice final : public Device, public Streams {
 public:
  // `connections`: by rank; none of this rank, nor of ranks that no command names. The other ranks
  // are met by `connector`, which is open; null: there are none. They still get what was posted
  // before the device's end, as far as they take it within some tenths of a second.
  TcpDevice(Rank rank, std::vector<OwnedFd> connections, TcpRegions& regions,
            std::unique_ptr<TcpConnector> connector = nullptr);
  // Before all else. Errors: ResourceExhausted.
  absl::Status Open();

  // Of all ranks: that wait in this process, as what they are sent was not taken.
  std::size_t unsent_bytes() const { return peers_.unsent_bytes(); }

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  bool IsHolding() const override { return peers_.has_held(); }
  Left Release() override;
  std::uint64_t activity() const override { return peers_.activity(); }
  void Receive(Inbox& inbox) override;
  bool IsDown(Rank rank) const override { return peers_.IsDown(rank); }
  int losses() const override { return peers_.losses(); }
  void OnLeft(Rank rank) override { peers_.Lose(rank); }
  bool HasMet(Rank rank) const override { return peers_.HasMet(rank); }
  bool meets_on_use() const override { return peers_.meets_on_use(); }
  Contact ContactOf(Rank rank) const override { return peers_.ContactOf(rank); }
  void Doubt(Rank rank) override { peers_.Doubt(rank); }
  void Meet(Rank rank) override { peers_.Meet(rank); }
  void StopMeeting() override { peers_.StopMeeting(); }
  void SetTaker(StreamTaker* taker) override { peers_.SetTaker(taker); }
  bool Reach(Rank rank) const override { return peers_.Reach(rank); }
  [[nodiscard]] bool TryWrite(Rank to, std::span<const std::byte> header, std::size_t unit,
                              std::span<const std::byte> payload, Sending& sending) override {
    sending.to = to;
    return peers_.TryStream(header, unit, payload, sending);
  }
  bool HasSent(const Sending& sending) const override { return peers_.HasSent(sending); }
  void Keep(Rank to, std::span<const std::byte> memory) override { peers_.Keep(to, memory); }
  int wait_descriptor() const override { return peers_.wait_descriptor(); }
  bool TryArm() override;
  bool Disarm() override;

 private:
  void PostHere(const Command& command);

  const Rank rank_;
  TcpRegions& regions_;
  TcpRequests requests_;
  TcpPeers peers_;
  std::deque<std::vector<std::byte>> messages_to_self_;
};

}  // namespace llcl
