// How changes get to their homes and stale copies go, at barriers and under locks.
//
// The flush barrier, which ends an epoch (page_version.h):
//
//   1  each rank sends its changes (change_batch.h), and which pages it has fetched since the
//      last flush, to the pages' homes, which acknowledge
//
//   2  the ranks meet: all homes are whole; each raises the versions of the pages that it wrote
//
//   3  the ranks meet: all versions are there
//
//   4  each rank reads the versions of the copies that it has, and drops those that are stale
//
// A thread that takes a lock drops all copies, as it is not known what their homes wrote since the
// last flush; where the lock says what memory it protects, those of that memory alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/engine/space_memory.h"
#include "dsm/home/home.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/peers.h"
#include "dsm/release/change_batch.h"
#include "dsm/release/change_sender.h"
#include "dsm/release/stale_copies.h"
#include "dsm/report/race_report.h"

namespace dsm {

// What a barrier does, besides waiting for all ranks.
enum class Consistency {
  kFlush,    // changes go to their homes, and copies are dropped that others have changed
  kDiscard,  // all copies are dropped, and what was written to them is lost (sms_sync_drop)
  kKeep,     // nothing: copies stay as they are (sms_sync)
};

// A resource. Threads: any; Barrier by one of a rank at a time.
class ReleaseProtocol {
 public:
  // A value: what it acts on, which outlives it.
  struct Parts {
    const Peers& peers;
    const AddressMap& map;
    const SpaceMemory& memory;
    Copies& copies;
    HomePages& home;
  };
  // `patience`: how long a home may take to acknowledge. Errors: those of the endpoint.
  static absl::StatusOr<std::unique_ptr<ReleaseProtocol>> Make(const Parts& parts,
                                                               std::chrono::milliseconds patience);

  // These are Space's of the same names, documented there.
  absl::Status Barrier(Consistency consistency);
  absl::Status Acquire(std::span<const std::byte> memory);
  absl::Status Release(std::span<const std::byte> memory);

  // By the evictor: frees the frames of copies that were written, when what was written is at home.
  // Returns how many. Errors: Unavailable, where changes are lost.
  absl::StatusOr<PageCount> EvictWritten();

  ChangeSender& sender() { return sender_; }
  const ChangeSender& sender() const { return sender_; }
  std::uint64_t barriers() const { return barriers_.load(); }
  std::uint64_t races() const { return race_report_.count(); }

 private:
  ReleaseProtocol(const Parts& parts, std::chrono::milliseconds patience,
                  std::unique_ptr<StaleCopies> stale)
      : parts_(parts),
        sender_(parts.peers, patience),
        stale_(std::move(stale)),
        race_report_(parts.map) {}
  ChangeRoute route() const { return {parts_.peers, parts_.map, parts_.memory}; }
  absl::StatusOr<std::vector<PageNumber>> HeldOf(std::span<const std::byte> memory);
  absl::StatusOr<std::uint64_t> EndEpoch();
  absl::StatusOr<std::uint64_t> SendChanges(std::span<const PageNumber> pages);
  absl::Status ReportNewCopies() ABSL_EXCLUSIVE_LOCKS_REQUIRED(sender_.mutex());
  absl::Status DropAndSend(std::vector<PageNumber> pages);

  const Parts parts_;
  ChangeSender sender_;
  const std::unique_ptr<StaleCopies> stale_;
  RaceReport race_report_;
  std::atomic<std::uint64_t> barriers_{0};
};

}  // namespace dsm
