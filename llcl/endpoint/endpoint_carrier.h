// The ways of an endpoint's collective operations to other ranks.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "llcl/collective/carrier.h"
#include "llcl/completion.h"
#include "llcl/conduit/conduit.h"
#include "llcl/conduit/executors.h"
#include "llcl/conduit/registration.h"
#include "llcl/endpoint/endpoint_bulk.h"
#include "llcl/messenger.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

// A resource. Its parts outlive it.
class EndpointCarrier final : public CollectiveCarrier {
 public:
  EndpointCarrier(Conduit& conduit, Executors& executors, Registration& registration,
                  EndpointBulk& bulk, Messenger& messenger)
      : conduit_(conduit),
        executors_(executors),
        registration_(registration),
        bulk_(bulk),
        messenger_(messenger) {}

  Rank rank() const override { return conduit_.rank(); }
  int HostOf(Rank rank) const override { return conduit_.HostOf(rank); }
  Presence PresenceOf(Rank rank) const override { return bulk_.PresenceOf(rank); }
  std::size_t most_message_bytes() const override { return Messenger::kMostPayload; }
  void Send(Rank to, std::span<const std::byte> message) override {
    messenger_.SendInternal(to, Internal::kCollective, message);
  }
  void SendNotice(Rank to, std::span<const std::byte> message) override {
    messenger_.SendInternal(to, Internal::kCollectiveNotice, message);
  }
  Channels* channels() const override { return conduit_.channels(); }
  bool StreamsTo(Rank to) const override {
    const Streams* const streams = conduit_.streams();
    return streams != nullptr && streams->Reach(to);
  }
  void UseStreams(WithStreams f) override {
    executors_.UseDevice([&] { f(*conduit_.streams()); });
  }
  bool reads() const override { return true; }
  absl::StatusOr<Region> Register(std::span<std::byte> memory) override {
    return registration_.Register(memory);
  }
  absl::StatusOr<Region> Allocate(std::uint64_t bytes) override { return bulk_.Allocate(bytes); }
  void Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
            Completion then) override {
    bulk_.Read(from, to, bytes, then);
  }

 private:
  Conduit& conduit_;
  Executors& executors_;
  Registration& registration_;
  EndpointBulk& bulk_;
  Messenger& messenger_;
};

}  // namespace llcl
