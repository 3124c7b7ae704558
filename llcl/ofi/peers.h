// The other ranks as libfabric reaches them, and which of them are gone.
//
// A rank of this machine is watched by a pidfd, so that its end is known at once, and
// nothing else is taken for it. The end of another machine's rank shows only in that
// it does not answer.
//
// Threads: IsDown and losses by any; the rest by one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/place.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/regions.h"
#include "llcl/owned_fd.h"

namespace llcl {

// Another rank, as the endpoints here address it. A value.
struct OfiPeerAddress {
  fi_addr_t messages = FI_ADDR_UNSPEC;
  fi_addr_t transfers = FI_ADDR_UNSPEC;
  std::uint32_t connection = 0;  // of transfers, counted where they have been renewed
  OfiTableAddress table;
};

// A resource. The fabric outlives it.
class OfiPeers {
 public:
  // Sends the others the addresses of this rank's `fabric` and `table`, and receives
  // theirs. All ranks call it; no call returns before all ranks have what they need.
  // Errors: FailedPrecondition where not all ranks have the same provider.
  static absl::StatusOr<std::unique_ptr<OfiPeers>> Meet(Launch& launch,
                                                        const std::vector<Place>& places,
                                                        OfiFabric& fabric,
                                                        const OfiTableAddress& table);

  const OfiPeerAddress& address(Rank rank) const { return Of(rank).address; }
  bool IsDown(Rank rank) const { return Of(rank).is_down.load(std::memory_order_acquire); }
  int losses() const { return losses_.load(std::memory_order_acquire); }

  // Readable once a rank that is watched has ended.
  int descriptor() const { return ends_.get(); }
  // A rank that has ended is gone a moment later, when its last messages have come.
  void LookForEnds();
  // Is the rank's process watched, as its rank watches this one?
  bool IsWatched(Rank rank) const { return Of(rank).process.get() >= 0; }
  // Has a rank ended that is not gone yet?
  bool has_ended() const { return ended_ > 0; }
  void OnLeft(Rank rank) { Lose(Of(rank)); }
  // The rank does not answer: it is taken for gone, unless it is watched and has not ended.
  void OnSilence(Rank rank);
  // A transfer by that connection failed. Where the provider leaves it as it is, it is made anew,
  // once. The caller holds the fabric's mutex.
  void OnBroken(Rank rank, std::uint32_t connection);

 private:
  struct Peer {
    OfiPeerAddress address;
    OwnedFd process;  // a pidfd; readable once it has ended; or none
    std::optional<std::chrono::steady_clock::time_point> ended;  // when that was seen
    std::atomic<bool> is_down{false};
  };

  OfiPeers(OfiFabric& fabric, int size);
  Peer& Of(Rank rank) const { return *peers_[static_cast<std::size_t>(ToInt(rank))]; }
  absl::Status LearnAddresses(Launch& launch, const OfiTableAddress& table);
  // By the names of a rank's endpoints, and the address of that of messages.
  absl::StatusOr<fi_addr_t> TransferAddress(const std::string& messages,
                                            const std::string& transfers, fi_addr_t address);
  absl::Status Watch(Rank rank, pid_t process);
  void Lose(Peer& peer);

  OfiFabric& fabric_;
  std::vector<std::unique_ptr<Peer>> peers_;
  OwnedFd ends_;   // an epoll
  int ended_ = 0;  // ranks that have ended and are not gone yet
  std::atomic<int> losses_{0};
};

}  // namespace llcl
