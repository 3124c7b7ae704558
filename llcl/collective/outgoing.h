// The parts that an operation sends, until they are sent.
//
// A part goes to a rank of this host by a channel, in pieces, and to a rank of another host by a
// stream, where the network has streams. The receiver of a long part says when it has begun the
// round. Before, at most kUnasked bytes of the part go, and not too many to a rank (unasked.h):
//
//   sender                             receiver
//   kData: the first bytes        -->
//                                 <--  kReady
//   kData: the others             -->
//
// Else the part goes by messages.
//
// Threads: one at a time, under the operation's lock, which threads may hold that wait for the
//   executor's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "llcl/collective/carrier.h"
#include "llcl/collective/collective.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/schedule.h"
#include "llcl/collective/unasked.h"
#include "llcl/conduit/streams.h"
#include "llcl/region.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class Outgoing {
 public:
  static constexpr std::size_t kUnasked = 64 << 10;  // bytes

  Outgoing(const CollectiveId& id, const Collective& collective, CollectiveCarrier& carrier,
           UnaskedBytes& unasked)
      : id_(id), collective_(collective), carrier_(carrier), unasked_(unasked) {}

  // Does the receiver of the part say when it is ready? `peer`: its sender or its receiver.
  bool IsAsked(Rank peer, const Part& part) const {
    return part.bytes > kLongPart && carrier_.StreamsTo(peer);
  }
  // Sends a part, or what there is room for.
  void Send(std::uint32_t round, const Part& part);
  // Sends what there is room for now. True: it has sent something.
  bool SendMore();
  // The rank is ready for its part of that round, of so many bytes.
  void OnReady(Rank to, std::uint32_t round, std::uint64_t part);
  // Forgets all that is not sent. The memory may change from here on.
  void Drop();

  // Is all sent? The memory may change then.
  bool empty() const { return parts_.empty(); }

 private:
  static constexpr int kMostFrames = 32;  // of a part, by a channel, in one call

  struct Sent {
    Rank to{};
    std::uint32_t round = 0;
    Part part;
    std::size_t done = 0, may_send = 0;  // bytes
    std::size_t unasked = 0;             // bytes that count as such
    // By a stream: the last frame.
    std::optional<Streams::Sending> last = {};
  };
  bool IsNear(Rank rank) const {
    const Channels* const channels = carrier_.channels();
    return channels != nullptr && channels->Reach(rank);
  }
  bool TrySend(Sent& sent);
  bool TryWrite(Sent& sent);
  bool TryStream(Sent& sent);
  void SendByMessages(const Sent& sent);
  FrameHeader NextFrame(const Sent& sent, std::size_t most,
                        std::span<const std::byte>& payload) const;

  const CollectiveId& id_;
  const Collective& collective_;
  CollectiveCarrier& carrier_;
  UnaskedBytes& unasked_;
  std::vector<Sent> parts_;  // that are not sent as a whole
};

}  // namespace llcl
