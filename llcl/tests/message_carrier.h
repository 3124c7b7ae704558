// A carrier of collective operations that has messages alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "llcl/collective/carrier.h"

namespace llcl {

// A value. Threads: as its functions.
class MessageCarrier : public CollectiveCarrier {
 public:
  using SendFunction = std::function<void(Rank to, std::span<const std::byte> message)>;
  using PresenceFunction = std::function<Presence(Rank)>;
  MessageCarrier(Rank rank, SendFunction send, PresenceFunction presence)
      : rank_(rank), send_(std::move(send)), presence_(std::move(presence)) {}

  Rank rank() const override { return rank_; }
  Presence PresenceOf(Rank rank) const override { return presence_(rank); }
  std::size_t most_message_bytes() const override { return 4096; }
  void Send(Rank to, std::span<const std::byte> message) override { send_(to, message); }
  absl::StatusOr<Region> Register(std::span<std::byte> /*memory*/) override { return None(); }
  absl::StatusOr<Region> Allocate(std::uint64_t /*bytes*/) override { return None(); }
  void Read(const RemoteAddress& /*from*/, const LocalAddress& /*to*/, std::uint64_t /*bytes*/,
            Completion then) override {
    then.Complete(Outcome::kRefused);
  }

 private:
  static absl::Status None() { return absl::UnimplementedError("messages alone"); }
  const Rank rank_;
  const SendFunction send_;
  const PresenceFunction presence_;
};

}  // namespace llcl
