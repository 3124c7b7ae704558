// Long parts that a network without streams carries: the receiver reads them from the sender's
// memory.
//
//   sender                             receiver
//   kMemory: where the part lies  -->
//                                 <--  reads
//                                 <--  kTaken: the memory is the sender's own again
//
// Threads: one at a time, under the operation's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/collective/carrier.h"
#include "llcl/collective/collective.h"
#include "llcl/collective/schedule.h"
#include "llcl/region.h"

namespace llcl {

class CollectiveOperation;

// A receipt of a round.
struct Receipt {
  Part part;
  std::uint64_t done = 0, asked = 0;       // bytes
  std::optional<RemoteAddress> from = {};  // where it is read

  bool is_done() const { return done >= (part.bytes == 0 ? 1 : part.bytes); }
};

// A store of memory for the destinations of reads.
class ScratchStore {
 public:
  static constexpr std::size_t kScratchBytes = 256 << 10;
  virtual ~ScratchStore() = default;
  // kScratchBytes. Errors: those of Endpoint::Allocate.
  virtual absl::StatusOr<Region> TakeScratch() = 0;
  virtual void GiveScratch(Region scratch) = 0;
};

// A resource. The arguments of the constructor outlive it.
class PartReads {
 public:
  static constexpr std::size_t kMost = 4;  // of an operation, at a time

  // A read under way. A value.
  struct Read {
    std::shared_ptr<CollectiveOperation> alive;  // while it is under way
    std::size_t receipt = 0, number = 0;
    std::uint64_t at = 0, bytes = 0;
  };
  // The next read.
  struct Request {
    RemoteAddress from;
    LocalAddress to;
    Read* read = nullptr;
  };

  PartReads(const Collective& collective, CollectiveCarrier& carrier, ScratchStore& store)
      : collective_(collective), carrier_(carrier), store_(store) {}

  // Registers memory that other hosts read, where there is any. False: this rank has no room.
  [[nodiscard]] bool Prepare();
  // Is the part read by its receiver?
  bool IsRead(const Part& part) const;
  // Of a part that this rank sends.
  RemoteAddress AddressOf(const Part& part) const;
  // Is none under way?
  bool empty() const;
  bool HasNext(std::span<const Receipt> receipts) const;
  // None: as HasNext.
  std::optional<Request> Next(std::span<Receipt> receipts,
                              std::shared_ptr<CollectiveOperation> operation);
  // The bytes of a read that has ended, whose part is combined.
  std::span<const std::byte> BytesOf(const Read& read) const {
    return {scratch_->local().start + read.number * kScratchPiece, read.bytes};
  }
  // With them the memory is no more read by other hosts. Precondition: empty().
  std::array<Region, 2> TakeRegions() { return std::exchange(regions_, {}); }
  // Precondition: no read has failed. The network may still write where one has: that memory goes
  // when it is done.
  void GiveScratch();

 private:
  // Of a read. Larger ones are faster: 1 MiB by TCP in 0.4 ms, in pieces of 256 KiB in 0.6.
  static constexpr std::size_t kPiece = 4 << 20;
  static constexpr std::size_t kScratchPiece = ScratchStore::kScratchBytes / kMost;

  LocalAddress PlaceOf(const Part& part, std::uint64_t at, std::size_t number) const;

  const Collective& collective_;
  CollectiveCarrier& carrier_;
  ScratchStore& store_;
  std::array<Region, 2> regions_;  // of the memory, where other hosts read it or it is read into
  std::optional<Region> scratch_;  // for pieces that are combined
  std::array<Read, kMost> reads_;
};

}  // namespace llcl
