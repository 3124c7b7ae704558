// Messages over a libfabric endpoint: buffers for those on their way out, and for
// those that come in.
//
// A message begins with the job's token, so that processes of no other job can send any;
// with the rank that sends it, as not all providers report it; and with a number. It is
// copied to a registered buffer, so that the sender may use its own again at once.
//
// A send that failed is tried again as long as the other rank is there. Where the
// connection broke in the middle of it the message may so arrive twice: its number marks
// the second as a duplicate. (A refused read or write breaks no connection of messages:
// ofi/fabric.h.)
//
// Threads: under the fabric's mutex, all members; the constructor's excepted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "llcl/executor/message.h"
#include "llcl/ofi/context.h"
#include "llcl/ofi/duplicates.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/regions.h"

namespace llcl {

// A resource. `fabric` and `regions` outlive it.
class OfiMessages {
 public:
  // A message that was handed to the provider and has not completed.
  struct Outgoing : OfiContext {
    Outgoing() : OfiContext(OfiWhat::kSend) {}
    Rank to{};
    std::uint32_t bytes = 0;  // with the header
    int attempts = 0;
    std::byte* buffer = nullptr;
  };
  struct Incoming : OfiContext {
    Incoming() : OfiContext(OfiWhat::kReceive) {}
    std::size_t bytes = 0;
    std::byte* buffer = nullptr;
  };

  // `device`: the fabric's number among those of `regions`.
  static absl::StatusOr<std::unique_ptr<OfiMessages>> Open(OfiFabric& fabric, std::size_t device,
                                                           OfiRegions& regions, Rank rank,
                                                           int ranks, std::uint64_t token);

  // Return libfabric's result: -FI_EAGAIN where it, or this object, has no room now.
  std::int64_t TrySend(Rank to, fi_addr_t address, std::span<const std::byte> bytes,
                       OfiBatch batch);
  std::int64_t TryResend(Outgoing& message, fi_addr_t address);
  // `message` has been sent, or never will be.
  void OnSent(Outgoing& message);
  // `message` is to be sent again, later: meanwhile no others go to that rank, so that
  // numbers stay close to each other. Returns how often it has failed.
  int OnNotSent(Outgoing& message);

  void OnReceived(Incoming& message, std::size_t bytes);
  // Its buffer came back without a message.
  void OnNotReceived(Incoming& message) { to_post_.push_back(&message); }
  // Gives the provider the buffers that are empty.
  void PostBuffers();
  void Receive(Inbox& inbox);
  bool has_received() const { return !received_.empty(); }
  // Has a message gone to the rank, or come from it?
  bool HasMet(Rank rank) const {
    const Peer& peer = peers_[static_cast<std::size_t>(ToInt(rank))];
    return peer.next_number > 0 || peer.has_sent;
  }

  // Is it one of these messages? Some providers report errors of operations that never were.
  bool Owns(const void* context) const;

 private:
  static constexpr std::size_t kOutgoing = 256, kIncoming = 256;
  static_assert(kOutgoing < Duplicates::kWindow);
  struct Header {
    std::uint64_t token = 0;
    Rank from{};
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kBufferBytes = sizeof(Header) + kMostMessageBytes;

  // Messages to and from a rank.
  struct Peer {
    std::uint32_t next_number = 0;
    int retried = 0;        // messages that failed and have not been sent since
    bool has_sent = false;  // to this rank
    Duplicates received;
  };

  OfiMessages(OfiFabric& fabric, Rank rank, int ranks, std::uint64_t token);

  OfiFabric& fabric_;
  const Rank rank_;
  const std::uint64_t token_;
  std::vector<Peer> peers_;  // by rank
  const std::unique_ptr<std::byte[]> bytes_;
  void* descriptor_ = nullptr;  // of bytes_
  std::array<Outgoing, kOutgoing> outgoing_;
  std::array<Incoming, kIncoming> incoming_;
  std::vector<Outgoing*> free_;
  std::vector<Incoming*> to_post_;
  std::deque<Incoming*> received_;
};

}  // namespace llcl
