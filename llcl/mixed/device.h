// Operations and messages by shared memory to the ranks of this host, and by a network to the other
// ranks.
//
// A rank is reached in one way only: so its messages keep their order.
//
// Threads: as device.h says; IsDown and losses any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/conduit/streams.h"
#include "llcl/executor/device.h"
#include "llcl/mixed/turns.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A resource. `near`: to `neighbors`; `far`: to the other ranks, with `streams`. All outlive it.
class MixedDevice final : public Device, public Streams {
 public:
  MixedDevice(const Neighbors& neighbors, Device& near, Device& far, Streams& streams)
      : neighbors_(neighbors), near_(near), far_(far), streams_(streams) {}
  // Before all else. Errors: ResourceExhausted.
  absl::Status Open();

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  bool IsHolding() const override { return near_.IsHolding() || far_.IsHolding(); }
  Left Release() override;
  std::uint64_t activity() const override { return near_.activity() + far_.activity(); }
  void Receive(Inbox& inbox) override;
  bool IsDown(Rank rank) const override { return To(rank).IsDown(rank); }
  int losses() const override { return near_.losses() + far_.losses(); }
  void OnLeft(Rank rank) override { To(rank).OnLeft(rank); }
  bool HasMet(Rank rank) const override { return To(rank).HasMet(rank); }
  bool meets_on_use() const override { return far_.meets_on_use(); }
  Contact ContactOf(Rank rank) const override { return To(rank).ContactOf(rank); }
  void Doubt(Rank rank) override { To(rank).Doubt(rank); }
  void Meet(Rank rank) override { To(rank).Meet(rank); }
  void StopMeeting() override { far_.StopMeeting(); }
  bool delivers_last_messages() const override {
    return near_.delivers_last_messages() && far_.delivers_last_messages();
  }
  void SetTaker(StreamTaker* taker) override { streams_.SetTaker(taker); }
  bool Reach(Rank rank) const override { return streams_.Reach(rank); }
  [[nodiscard]] bool TryWrite(Rank to, std::span<const std::byte> header, std::size_t unit,
                              std::span<const std::byte> payload, Sending& sending) override {
    turns_.OnFar();
    return streams_.TryWrite(to, header, unit, payload, sending);
  }
  bool HasSent(const Sending& sending) const override { return streams_.HasSent(sending); }
  void Keep(Rank to, std::span<const std::byte> memory) override { streams_.Keep(to, memory); }
  int wait_descriptor() const override;
  bool TryArm() override;
  bool Disarm() override;

 private:
  Device& To(Rank rank) const { return neighbors_.Have(rank) ? near_ : far_; }
  void ReceiveFrom(Device& device, Inbox& inbox);

  const Neighbors& neighbors_;
  Device& near_;
  Device& far_;
  Streams& streams_;
  NetworkTurns turns_;
  bool far_is_first_ = false;  // to fill the inbox
  std::uint64_t near_activity_ = 0, far_activity_ = 0;
  OwnedFd news_;  // an epoll of both devices' descriptors
};

}  // namespace llcl
