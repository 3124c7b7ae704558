// Runs the schedules of all collective operations that are under way on a rank.
//
// An operation needs the part of each member. So it fails once a member is lost, and once a member
// has left without its part (farewell.h); it goes on where the member had done its part before.
//
// Threads: any, all members, at the same time.
// Progress: never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/atomics.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/schedule.h"
#include "llcl/completion.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/presence.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A value: a rank's part in an operation.
struct Collective {
  Schedule schedule;
  std::vector<std::byte> buffer;       // of schedule.buffer_bytes
  std::vector<Rank> members;           // by rank in the team
  AtomicType type = AtomicType::kU64;  // where parts are combined
  AtomicOp op = AtomicOp::kAdd;
  // When all rounds are done: takes what it needs from the buffer.
  std::function<void(std::span<const std::byte> buffer)> finish;
  Completion then;
};

// A resource.
class Collectives {
 public:
  // Sends a message of at most `most` bytes, at once or later; must not fail.
  using Send = std::function<void(Rank to, std::span<const std::byte> message)>;
  using PresenceFunction = std::function<Presence(Rank)>;
  // `most_ms`: how long each operation may take; 0: no limit. `counters`: or null.
  Collectives(std::size_t most, Send send, PresenceFunction presence, std::int64_t most_ms,
              OperationCounters* counters = nullptr);

  // kPeerDown or kLeft where a member is gone without its part, kClosing after Abort. Operations of
  // a team begin in the order of their numbers.
  [[nodiscard]] Posted TryBegin(CollectiveId id, Collective collective);
  // False: nonsense.
  bool OnMessage(Rank from, std::span<const std::byte> message);

  // The messages by which this rank leaves, each of at most `most` bytes. Precondition: empty().
  std::vector<std::vector<std::byte>> Farewell() const;
  // A message of another rank's farewell. kNonsense: ignored.
  enum class Heard { kNonsense, kPart, kAll };
  Heard OnFarewell(Rank from, std::span<const std::byte> message);

  // Ends operations that are overdue, or that lack the part of a member that is gone.
  void GiveUp();
  // Ends all operations; none can begin any more.
  void Abort();
  // Is no operation under way?
  bool empty() const;

 private:
  struct Header {
    CollectiveId id;
    std::uint32_t round = 0;
    std::uint64_t at = 0;  // in the bytes of that round
  };
  struct Running {
    Collective collective;
    std::size_t round = 0;
    std::uint64_t missing = 0;  // bytes, and empty receipts, of this round
    std::int64_t deadline_ms = 0;
  };
  // Early messages are dropped beyond the number that correct ranks send.
  static constexpr std::size_t kMostEarly = 1 << 16;
  static constexpr std::size_t kMostFailed = 1 << 10;
  // A message that came before its round.
  struct Early {
    Rank from;
    Header header;
    std::vector<std::byte> bytes;
  };
  using Endings = std::vector<std::pair<Collective, Outcome>>;
  using Position = std::map<CollectiveId, Running>::iterator;

  void StartRound(const CollectiveId& id, Running& running) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Step(Position at, Endings& endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TryTake(Running& running, Rank from, const Header& header, std::span<const std::byte> bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeEarly(const CollectiveId& id, Running& running) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropEarly(const CollectiveId& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RememberFailed(const CollectiveId& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Presence WhoIsMissing(const CollectiveId& id, std::span<const Rank> members) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Why>
  void EndWhere(Why why);
  Posted TryBeginOnce(CollectiveId id, Collective collective);
  void Report(Endings& endings) const;

  const std::size_t most_;
  const Send send_;
  const PresenceFunction presence_;
  const std::int64_t most_ms_;
  OperationCounters* const counters_;
  mutable topo::Mutex mutex_;
  bool aborted_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<CollectiveId, Running> running_ ABSL_GUARDED_BY(mutex_);
  Progress progress_ ABSL_GUARDED_BY(mutex_);
  std::map<Rank, llcl::Farewell> farewells_ ABSL_GUARDED_BY(mutex_);  // of ranks that leave
  std::map<CollectiveId, std::vector<Early>> early_ ABSL_GUARDED_BY(mutex_);
  std::size_t early_count_ ABSL_GUARDED_BY(mutex_) = 0;  // of all
  // The latest operations that failed: messages that still come for them are dropped.
  std::set<CollectiveId> failed_ ABSL_GUARDED_BY(mutex_);
  std::deque<CollectiveId> failed_in_order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
