// A simulated network: all ranks of a job in one process, in virtual time.
//
//   llcl::SimFabric fabric({.ranks = 64, .seed = 7});
//   fabric.device(llcl::Rank{3});
//
// An operation takes effect at the target, and ends, after a time that is drawn
// from the options: so operations overtake each other as they do on a network that
// promises no order. The clock moves to the next event whenever a device is polled.
// If one OS thread drives all ranks, a run is a function of program, options and
// seed.
//
// Threads: any, all members.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "llcl/executor/device.h"
#include "llcl/owned_fd.h"
#include "llcl/region/region_table.h"
#include "llcl/sim/options.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class SimFabric {
 public:
  // Errors: InvalidArgument for impossible options, with field and value.
  static absl::StatusOr<std::unique_ptr<SimFabric>> Make(const SimOptions& options);
  // As Make, but ends the program for impossible options.
  explicit SimFabric(const SimOptions& options);
  ~SimFabric();
  SimFabric(const SimFabric&) = delete;
  SimFabric& operator=(const SimFabric&) = delete;

  int ranks() const { return options_.ranks; }
  int HostOf(Rank rank) const { return ToInt(rank) / options_.ranks_per_host; }
  Device& device(Rank rank);

  // Memory of `rank` that operations may touch until Unexpose. Generation 0: there are too many.
  RemoteRegion Expose(Rank rank, std::byte* start, std::uint64_t bytes);
  void Unexpose(const RemoteRegion& region);
  bool IsExposed(Rank rank, RegionId id) const;
  // As Conduit's.
  RegionTable& RegionsOf(Rank rank) const { return tables_.of(rank); }
  bool WithRegion(Rank rank, RegionId id,
                  absl::FunctionRef<void(std::span<std::byte>, std::uint64_t)> f);

  // The rank is gone: nothing touches its memory any more, operations on it end with
  // kPeerDown once that is noticed, and its own with kAborted.
  void Kill(Rank rank);
  // Has its loss been noticed?
  bool IsDown(Rank rank) const;
  int losses() const;

  double now_ns() const;

 private:
  class SimDevice;
  struct Memory {
    std::byte* start = nullptr;
    std::uint64_t bytes = 0;
  };
  struct OneRank {
    std::unique_ptr<SimDevice> device;
    std::vector<Memory> regions;  // by slot
    std::deque<Ended> ended;
    std::deque<std::pair<Rank, std::vector<std::byte>>> messages;  // that came in
    OwnedFd news;  // an eventfd for a thread that sleeps, made when one does
    std::size_t posted = 0;
    bool is_down = false;
    double noticed_ns = 0;  // when its loss is noticed
  };
  struct Event {
    double at_ns = 0;
    std::uint64_t number = 0;  // among those of one moment, the first posted is the first
    Rank from{};
    Command command;
    std::vector<std::byte> bytes;    // of a message
    bool waits_for_nothing = false;  // its peer was lost, which is not noticed yet
    bool operator>(const Event& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : number > other.number;
    }
  };

  std::size_t Post(Rank from, std::span<const Command> commands);
  std::size_t Poll(Rank rank, std::span<Ended> ended);
  void Receive(Rank rank, Inbox& inbox);
  int wait_descriptor(Rank rank);
  bool TryArm(Rank rank);
  Outcome Execute(const Event& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  double Draw(double nanoseconds) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNoticed(const OneRank& rank) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return rank.is_down && now_ns_ >= rank.noticed_ns;
  }
  OneRank& of(Rank rank) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ranks_[static_cast<std::size_t>(ToInt(rank))];
  }
  const OneRank& of(Rank rank) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ranks_[static_cast<std::size_t>(ToInt(rank))];
  }

  const SimOptions options_;
  const RegionTables tables_;  // changed with mutex_ held
  std::atomic<bool> has_losses_{false};
  mutable topo::Mutex mutex_;
  std::vector<OneRank> ranks_ ABSL_GUARDED_BY(mutex_);
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_ ABSL_GUARDED_BY(mutex_);
  double now_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t events_made_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t random_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
