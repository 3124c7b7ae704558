// Operations and messages by shared memory: reads, writes and atomics are done at once, in the
// memory of the other rank as it is mapped here; messages go through lanes.
//
// Threads: as device.h says; TryInPlace, IsDown and losses any.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/executor/device.h"
#include "llcl/executor/in_place.h"
#include "llcl/region/living_thread.h"
#include "llcl/region/marks.h"
#include "llcl/smp/channels.h"
#include "llcl/smp/mapper.h"
#include "llcl/smp/peer.h"

namespace llcl {

// A resource. `neighbors`: the ranks of this host; commands name no other. `mine`: the rank's own
// shared memory; it outlives the device.
class SmpDevice final : public Device {
 public:
  SmpDevice(Rank rank, const Neighbors& neighbors, SmpBasics& mine, const std::string& secret)
      : neighbors_(neighbors),
        position_(neighbors.PositionOf(rank)),
        mine_(mine),
        secret_(secret),
        channels_(neighbors_, position_, mine) {
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      peers_.push_back(std::make_unique<SmpPeer>());
    }
  }

  // Makes the descriptors that wake this rank. Before all else.
  absl::Status Open();
  // An eventfd that others ring, to wake this rank.
  int doorbell() const { return doorbell_.get(); }
  // From here on the peer's end is noticed: `end` is a descriptor that is ready once its process
  // has ended; none: it has ended. Precondition: its address, doorbell and memory are set.
  absl::Status Watch(Rank rank, OwnedFd end);

  SmpPeer& Of(Rank rank) const { return *peers_[neighbors_.PositionOf(rank)]; }

  // False: the region is not mapped yet, its owner has to do it, too many threads live
  // (living_thread.h), or this thread is in a change already (marks.h).
  bool TryInPlace(const Command& command, Outcome& outcome) {
    const int number = LivingThreadNumber();
    return number != 0 && TryInPlace(command, outcome, mine_.marks.of(number));
  }

  SmpChannels& channels() { return channels_; }

  // Conduit's: an atomic or a word of the owner's own memory, or anything there where this rank
  // has no file of it.
  bool IsForOwner(const Command& command) const;

  // Returns when no thread of a rank that lives is changing the region with that key, which the
  // table has no more. Waits as long as a thread that is in the middle of a write is stopped.
  void AwaitWriters(std::uint64_t key) const;

  // The keys of the regions that threads of this rank and of others may be changing.
  std::vector<std::uint64_t> Marked() const;
  // Do all ranks take part in memory barriers? Precondition: they have met.
  bool HaveBarriers() const;

  bool IsDown(Rank rank) const override { return Of(rank).mapped.is_closed(); }
  int losses() const override { return losses_.load(std::memory_order_acquire); }
  void OnLeft(Rank rank) override { Lose(Of(rank)); }

  // Another thread maps a region that is not mapped yet: this may take long.
  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override;
  Left Release() override { return LeftOf(HasWaiting(), ended_.size()); }
  std::uint64_t activity() const override { return channels_.frames_read(); }
  // Nothing wakes this rank when a lane has room again.
  int wait_descriptor() const override { return HasWaiting() ? -1 : news_.get(); }
  bool TryArm() override;
  bool Disarm() override;

 private:
  absl::Status WatchDescriptor(int fd, std::uint64_t what);
  bool TryInPlace(const Command& command, Outcome& outcome, Marks::Mark& mark);
  // On the owner's own memory.
  bool TryByFile(const Command& command, Outcome& outcome, Marks::Mark& mark);
  bool HasEnded(const SmpPeer& peer) const;
  // As TryInPlace, by the thread that holds the executor's lock.
  bool TryHere(const Command& command, Outcome& outcome) {
    return TryInPlace(command, outcome, mine_.marks.of(0));
  }
  void AskForMemoryOf(const Command& command);
  void OnFound(SmpMapper::Found found);
  void TrySend(SmpPeer& peer);
  bool HasWaiting() const {
    return std::any_of(peers_.begin(), peers_.end(),
                       [](const auto& peer) { return !peer->waiting.empty(); });
  }
  void LookForNews();
  // A rank is lost once its process has ended and its last messages have been received.
  void LoseEnded();
  void Lose(SmpPeer& peer);

  const Neighbors neighbors_;
  const std::size_t position_;  // of this rank
  SmpBasics& mine_;
  const std::string secret_;
  std::vector<std::unique_ptr<SmpPeer>> peers_;  // by position
  OwnedFd doorbell_;
  OwnedFd news_;  // an epoll: the doorbell and the ends of the other processes
  SmpChannels channels_;
  std::unique_ptr<SmpMapper> mapper_;
  std::atomic<int> losses_{0};
  std::deque<Ended> ended_;
  std::vector<Mapped> mapped_;
  std::size_t next_lane_ = 0;
  int polls_ = 0;
  int ended_processes_ = 0;  // of ranks that are not lost yet
};

}  // namespace llcl
