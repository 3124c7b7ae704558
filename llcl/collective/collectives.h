// Runs all collective operations that are under way on a rank.
//
// An operation needs the part of each member. So it fails once a member is lost, or has left
// without its part (farewell.h); it goes on where the member had done its part before.
//
// Threads: any, all members, at the same time. The lock here guards the list of operations; each
//   operation has its own.
// Progress: never waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/collective/carrier.h"
#include "llcl/collective/early_frames.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/operation.h"
#include "llcl/collective/outgoing.h"
#include "llcl/collective/quick.h"
#include "llcl/collective/stream_windows.h"
#include "llcl/completion.h"
#include "llcl/conduit/streams.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/presence.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class Collectives final : public CollectiveOwner, public StreamTaker {
 public:
  // `most_ms`: how long each operation may take; 0: no limit. `counters`: or null.
  Collectives(CollectiveCarrier& carrier, std::int64_t most_ms,
              OperationCounters* counters = nullptr);

  // kPeerDown or kLeft where a member is gone without its part, kClosing after Abort, kTooLong
  // where the memory cannot be registered. Operations of a team begin in the order of their
  // numbers.
  [[nodiscard]] Posted TryBegin(CollectiveId id, Collective collective);
  // A message of another rank. False: nonsense.
  bool OnMessage(Rank from, std::span<const std::byte> message);
  // Takes frames from the channels and those that have come by streams, and sends frames that had
  // no room. True: it did something.
  bool Advance();
  // Frames by streams.
  void Take(Rank from, std::span<const std::byte> header, std::uint64_t at,
            std::span<const std::byte> piece) override;
  bool TryFill(Rank from, std::span<const std::byte> header, std::uint64_t at, std::size_t most,
               Fill fill) override;

  // The messages by which this rank leaves. Precondition: empty().
  std::vector<std::vector<std::byte>> Farewell() const;
  // The farewell of another rank as far as it has come, to be passed on; none: nothing has.
  std::vector<std::vector<std::byte>> FarewellOf(Rank rank) const;
  // A message of another rank's farewell. kNonsense: ignored. kAll: all messages have come. is_new:
  // this one for the first time.
  enum class Heard { kNonsense, kPart, kAll };
  struct FarewellHeard {
    Heard heard{};
    bool is_new = false;
  };
  FarewellHeard OnFarewell(Rank from, std::span<const std::byte> message);

  // Ends operations that are overdue, or that lack the part of a member that is gone.
  void GiveUp();
  // Ends all operations; none can begin any more.
  void Abort();
  // Is no operation under way?
  bool empty() const;

  // quick.h's.
  bool IsQuick(const Schedule& schedule, std::span<const Rank> members) const {
    return llcl::IsQuick(schedule, members, carrier_.channels());
  }
  int HostOf(Rank rank) const { return carrier_.HostOf(rank); }
  // For operations.
  void OnRead(const std::shared_ptr<CollectiveOperation>& operation) override;
  StreamWindows& windows() override { return windows_; }
  absl::StatusOr<Region> TakeScratch() override;
  void GiveScratch(Region scratch) override;

  // The disagreement that has ended an operation of the team, as a sentence; empty: none has.
  std::string DisagreementOf(std::uint64_t team) const;

 private:
  static constexpr std::size_t kMostScratch = 4;
  // A longer payload of a frame that comes early waits in its channel for so long; then some are
  // copied, until others wait again.
  static constexpr std::size_t kCopiedEarly = 4 << 10;
  static constexpr std::int64_t kMostInChannelMs = 2;
  static constexpr std::size_t kCopiedAtOnce = 1 << 20;
  using OperationPointer = std::shared_ptr<CollectiveOperation>;
  // Of a channel whose next frame waits for its operation. A value.
  struct Waiting {
    std::int64_t since_ms = 0;  // 0: it does not wait
    std::size_t copied = 0;     // bytes since it has waited
  };
  // A frame has been taken, and its operation has more to do. A value.
  struct Taken {
    OperationPointer operation;
    CollectiveOperation::Next next;
  };

  Posted TryBeginOnce(CollectiveId id, Collective collective);
  RoundsDone TryRunQuickly(const CollectiveId& id, const Collective& collective);
  std::optional<Taken> TakeFrame(const ComeFrame& frame);
  bool AdvanceStreams();
  bool AdvanceChannels();
  bool SendMore();
  void TellFreed();
  void OnFrameOfEnded(const ComeFrame& frame);
  // The operation that a frame is for. Null: none; it was kept for later, or dropped.
  OperationPointer FindOrKeep(const ComeFrame& frame);
  void GoOn(const OperationPointer& operation, CollectiveOperation::Next next);
  OperationPointer Find(const CollectiveId& id) const;
  bool TryTakeFromChannel(const ComeFrame& frame, std::vector<Taken>& taken);
  bool MayCopy(Waiting& waiting, std::size_t bytes);
  void OnLateDisagreement(const CollectiveId& id, const Disagreement& disagreement);
  void LookIfPlain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RememberFailed(const CollectiveId& id, Outcome outcome,
                      const std::optional<Disagreement>& disagreement)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Presence WhoIsMissing(const CollectiveId& id, std::span<const Rank> members) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<OperationPointer> All() const;

  CollectiveCarrier& carrier_;
  const std::int64_t most_ms_;
  OperationCounters* const counters_;
  topo::Mutex scratch_mutex_;
  std::vector<Region> scratch_ ABSL_GUARDED_BY(scratch_mutex_);  // that no operation uses
  StreamWindows windows_;
  std::atomic<bool> unsent_{false};   // an operation may wait for room, or for a receiver
  std::atomic<bool> is_plain_{true};  // operations may be quick
  // Quick operations in a row, for whose frames this rank looked in vain.
  std::atomic<int> vain_looks_{0};
  // That have come by streams: pieces that had no place, and operations that can go on.
  std::atomic<bool> has_come_{false};
  topo::Mutex come_mutex_;
  std::vector<EarlyFrame> come_ ABSL_GUARDED_BY(come_mutex_);
  std::vector<OperationPointer> can_go_on_ ABSL_GUARDED_BY(come_mutex_);
  // By the one thread that reads the channels.
  std::vector<Waiting> waiting_;  // by rank

  mutable topo::Mutex mutex_;
  bool aborted_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;  // an operation
  std::map<CollectiveId, OperationPointer> running_ ABSL_GUARDED_BY(mutex_);
  Progress progress_ ABSL_GUARDED_BY(mutex_);
  std::map<Rank, llcl::Farewell> farewells_ ABSL_GUARDED_BY(mutex_);  // of ranks that leave
  EarlyFrames early_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::string> disagreements_ ABSL_GUARDED_BY(mutex_);  // by team
};

}  // namespace llcl
