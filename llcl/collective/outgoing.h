// The parts that an operation sends, until they are sent.
//
// A part goes to a rank of this host by a channel, in pieces, and to a rank of another host by a
// stream, where the network has streams. Else the part goes by messages.
//
// By a stream a part of up to kMostAhead bytes goes ahead, before the receiver has begun the round.
// Of a longer part the first kFirst bytes go ahead; the others follow kReady, which the receiver
// says by itself. Where the receiver may have to keep too much (stream_windows.h) no byte goes
// ahead, and the sender of a part of up to kMostAhead bytes asks. Short parts always go at once.
//
//   a part of up to kMostAhead      the window is full          a longer part
//   sender           receiver       sender       receiver       sender              receiver
//   kAhead      -->                 kAsk    -->                 kAhead: the first   -->
//                                           <--  kReady                             <--  kReady
//                                   kData   -->                 kData: the others   -->
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
#include "llcl/collective/stream_windows.h"
#include "llcl/conduit/streams.h"
#include "llcl/region.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class Outgoing {
 public:
  static constexpr std::size_t kMostAhead = 512 << 10, kFirst = 64 << 10;  // bytes

  Outgoing(const CollectiveId& id, const Collective& collective, CollectiveCarrier& carrier,
           StreamWindows& windows)
      : id_(id), collective_(collective), carrier_(carrier), windows_(windows) {}

  // Does the receiver of the part say by itself that it is ready? `peer`: its sender or receiver.
  bool IsAsked(Rank peer, const Part& part) const {
    return part.bytes > kMostAhead && carrier_.StreamsTo(peer);
  }
  // Sends a part, or what there is room for.
  void Send(std::uint32_t round, const Part& part);
  // Sends what there is room for now. True: it has sent something.
  bool SendMore();
  // The rank is ready for its part of that round.
  void OnReady(Rank to, std::uint32_t round);
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
    std::size_t ahead = 0;               // bytes that go ahead
    // By a stream: the last frame.
    std::optional<Streams::Sending> last = {};
  };
  bool IsNear(Rank rank) const {
    const Channels* const channels = carrier_.channels();
    return channels != nullptr && channels->Reach(rank);
  }
  void SendAhead(Sent& sent);
  bool TrySend(Sent& sent);
  bool TryWrite(Sent& sent);
  bool TryStream(Sent& sent);
  void SendByMessages(const Sent& sent);
  FrameHeader NextFrame(const Sent& sent, std::size_t most,
                        std::span<const std::byte>& payload) const;

  const CollectiveId& id_;
  const Collective& collective_;
  CollectiveCarrier& carrier_;
  StreamWindows& windows_;
  std::vector<Sent> parts_;  // that are not sent as a whole
};

}  // namespace llcl
