// A libfabric endpoint as a device: it begins operations as the provider has room, finds
// out why an operation failed, and retries it where that is allowed.
//
// Threads: as llcl/executor/device.h.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/executor/device.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/place.h"
#include "llcl/ofi/atomics.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/messages.h"
#include "llcl/ofi/operations.h"
#include "llcl/ofi/peers.h"
#include "llcl/ofi/regions.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A resource. `fabric`, `regions` and `known` outlive it, but the fabric's endpoints are closed
// before it goes.
class OfiDevice final : public Device {
 public:
  // All ranks of `launch` call it. `number`: the fabric's among those of `regions`.
  // `known`: entries that were read from others' tables. `token`: marks the job's messages.
  static absl::StatusOr<std::unique_ptr<OfiDevice>> Open(
      Launch& launch, const std::vector<Place>& places, OfiFabric& fabric, std::size_t number,
      OfiRegions& regions, const RegionTables& known, std::uint64_t token);

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override;
  bool IsDown(Rank rank) const override { return peers_->IsDown(rank); }
  int losses() const override { return peers_->losses(); }
  void OnLeft(Rank rank) override { peers_->OnLeft(rank); }
  // A connection is made for the first message: not to a rank that would never miss this one.
  bool HasMet(Rank rank) const override {
    return peers_->IsWatched(rank) || messages_->HasMet(rank);
  }
  Left Release() override { return LeftOf(HasWaiting(), ended_.size()); }
  // No descriptor shows that the provider has room again, or that it is time to try again.
  int wait_descriptor() const override { return HasWaiting() ? -1 : news_.get(); }
  bool TryArm() override;

  // The provider may still hold them, or the network when the connection is closed.
  bool delivers_last_messages() const override { return false; }

  // Are reads under way? Once nothing polls any more.
  bool is_reading() const { return operations_->is_reading(); }

 private:
  bool HasWaiting() const { return waiting_count_ > 0 || !later_.empty(); }

  using Clock = std::chrono::steady_clock;
  struct Later {
    Clock::time_point due;
    OfiContext* what;
  };

  OfiDevice(OfiFabric& fabric, const OfiRegions& regions, const RegionTables& known, int ranks);
  bool Refuses(const Command& command) const;
  absl::Status OpenNews();

  void Begin(OfiOperation& operation, OfiBatch batch);
  bool TryBegin(OfiOperation& operation, OfiBatch batch);
  void BeginWaiting();
  void BeginLater();
  void ReadCompletions();
  void OnCompletion(OfiContext& context, std::size_t bytes);
  bool ReadError();
  void OnFailure(OfiOperation& operation, int error);
  void OnFailure(OfiMessages::Outgoing& message);
  // The peer is gone, or so many attempts have failed that it is taken for gone.
  bool IsHopeless(int attempts, Rank peer);
  void DoLater(OfiContext& what);
  void End(OfiOperation& operation, Outcome outcome) {
    ended_.push_back({operation.command.tag, outcome});
    operations_->Free(operation);
  }

  OfiFabric& fabric_;
  const OfiRegions& regions_;
  const RegionTables& known_;
  const OfiAtomics atomics_;
  std::unique_ptr<OfiOperations> operations_;
  std::unique_ptr<OfiMessages> messages_;
  std::unique_ptr<OfiPeers> peers_;
  OwnedFd news_;  // an epoll: the completion queue and the ends of ranks; or none
  // Under the executor's lock.
  std::deque<Ended> ended_;
  std::deque<Later> later_;
  // Operations that the provider has no room for, by rank, so that they hold up no other rank's.
  std::vector<std::deque<OfiOperation*>> waiting_;
  std::size_t waiting_count_ = 0;  // of all ranks
  int polls_ = 0;
};

}  // namespace llcl
