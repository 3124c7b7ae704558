// The operations that a conduit has handed to libfabric, and how each is begun.
//
//   waiting --TryBegin--> posted --done--> (ended), or waiting for the next piece
//                         posted --failed--> checking --the region is gone--> (ended)
//                                            checking --it is there--> waiting, later
//
// Threads: under the fabric's mutex, all members.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/executor/command.h"
#include "llcl/ofi/context.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/peers.h"
#include "llcl/ofi/regions.h"

namespace llcl {

// A resource.
struct OfiOperation : OfiContext {
  OfiOperation() : OfiContext(OfiWhat::kOperation) {}
  bool is_checking = false;
  int attempts = 0;
  std::uint32_t connection = 0;  // OfiPeerAddress's, by which a read or write was begun
  std::uint64_t moved = 0;       // bytes of a read or write, by its pieces that are done
  Command command;
  // Of an atomic, at an address that the provider uses.
  std::uint64_t operand = 0, expected = 0, result = 0;
  RegionTable::Entry entry;  // read by a check
};

// A resource. `fabric` and `regions` outlive it.
class OfiOperations {
 public:
  static constexpr std::size_t kMost = 4096;

  // `device`: the fabric's number among those of `regions`.
  static absl::StatusOr<std::unique_ptr<OfiOperations>> Open(OfiFabric& fabric, std::size_t device,
                                                             OfiRegions& regions);

  std::size_t free() const { return free_.size(); }
  // Precondition: one is free.
  OfiOperation& Take(const Command& command);
  void Free(OfiOperation& operation) { free_.push_back(&operation); }
  // Does libfabric have a read, or a check, which is one too?
  bool is_reading() const;
  bool Owns(const void* context) const {
    return context >= &operations_[0] && context < &operations_[0] + kMost;
  }

  // A read or write is done in pieces, one after the other, where it has more bytes than the
  // provider moves at a time. What was begun is done: was it the last piece?
  bool EndPiece(OfiOperation& operation) const;

  // Begins the read, write or atomic, or its check. Returns libfabric's result:
  // -FI_EAGAIN where it has no room now.
  std::int64_t TryBegin(OfiOperation& operation, const OfiPeerAddress& peer, OfiBatch batch);

 private:
  explicit OfiOperations(OfiFabric& fabric);
  std::uint64_t BytesOfPiece(const OfiOperation& operation) const;
  std::int64_t TryTransfer(OfiOperation& operation, const OfiPeerAddress& peer,
                           std::uint64_t flags);
  std::int64_t TryAtomic(OfiOperation& operation, const OfiPeerAddress& peer, std::uint64_t flags);
  std::int64_t TryCheck(OfiOperation& operation, const OfiPeerAddress& peer);

  OfiFabric& fabric_;
  const std::unique_ptr<OfiOperation[]> operations_;
  void* descriptor_ = nullptr;  // of operations_
  std::vector<OfiOperation*> free_;
};

}  // namespace llcl
