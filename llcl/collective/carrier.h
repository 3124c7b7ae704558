// The ways by which collective operations of an endpoint reach other ranks.
//
// Threads: any, all members, at the same time; none blocks, but UseStreams waits for a
//   step of the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "llcl/completion.h"
#include "llcl/conduit/channels.h"
#include "llcl/conduit/registration.h"
#include "llcl/conduit/streams.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

// A resource.
class CollectiveCarrier {
 public:
  virtual ~CollectiveCarrier() = default;

  virtual Rank rank() const = 0;
  // A number of the rank's host: ranks with the same one share memory.
  virtual int HostOf(Rank rank) const { return ToInt(rank); }
  virtual Presence PresenceOf(Rank rank) const = 0;
  // The longest message.
  virtual std::size_t most_message_bytes() const = 0;
  // Sends a message at once or later; must not fail.
  virtual void Send(Rank to, std::span<const std::byte> message) = 0;
  // A message that nobody waits for: it may be dropped where the rank is not reached.
  virtual void SendNotice(Rank to, std::span<const std::byte> message) { Send(to, message); }
  // To the ranks of this host; null where there are none.
  virtual Channels* channels() const { return nullptr; }

  // Has the rank, on another host, a stream (conduit/streams.h)?
  virtual bool StreamsTo(Rank /*to*/) const { return false; }
  // Calls f with the streams, when no other thread uses the network. Precondition: StreamsTo some
  // rank.
  using WithStreams = absl::FunctionRef<void(Streams&)>;
  virtual void UseStreams(WithStreams /*f*/) {}

  // Are long parts read by their receiver, where it has no stream? Else they go by messages, too.
  virtual bool reads() const { return false; }
  // Memory that other ranks may read: the caller's, or new.
  virtual absl::StatusOr<Region> Register(std::span<std::byte> memory) = 0;
  virtual absl::StatusOr<Region> Allocate(std::uint64_t bytes) = 0;
  // Reads now, or as soon as there is room. `then` is always called, also where the addresses lie
  // in no region.
  virtual void Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
                    Completion then) = 0;
};

}  // namespace llcl
