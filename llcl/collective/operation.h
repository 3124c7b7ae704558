// One collective operation under way on a rank: the rounds of the schedule, one after the other,
// and the frames of the parts.
//
// A part goes to a rank of this host by a channel, in pieces. A short part goes to another host by
// messages. The receiver on another host reads a long part from the sender's memory:
//
//   sender                             receiver
//   kMemory: where the part lies  -->
//                                 <--  reads
//                                 <--  kTaken: the memory is the sender's own again
//
// The operation ends on a rank when the rounds are over and no rank reads this rank's memory any
// more.
//
// Threads: any, all members, at the same time. Progress: never waits; PostReads copies long parts
// where the conduit reads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "llcl/collective/carrier.h"
#include "llcl/collective/early_frames.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/schedule.h"
#include "llcl/completion.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A value: a rank's part in an operation.
struct Collective {
  std::shared_ptr<const Schedule> schedule = {};
  // The schedule's buffer, in up to two pieces: the memory that is sent, and the memory of the
  // result. `own`, if it is not empty, takes the place of the first piece, or of the second where
  // there is a first.
  std::array<std::span<std::byte>, 2> memory = {};
  std::vector<std::byte> own = {};
  std::shared_ptr<const std::vector<Rank>> members = {};  // by rank in the team
  // to[i] = op(to[i], from[i]) for all elements of `unit` bytes, where parts are combined.
  std::function<void(std::span<std::byte> to, std::span<const std::byte> from)> combine = {};
  std::size_t unit = 8;
  // When all rounds are done: takes the result from `own`.
  std::function<void(std::span<const std::byte> own)> finish = {};
  Completion then;
  bool is_quick = false;  // quick.h
};

// The rounds of an operation that are done before it gets an object. A value.
struct RoundsDone {
  std::size_t round = 0;       // before it all are done
  std::size_t sends = 0;       // of that round
  std::uint64_t receipts = 0;  // of that round: a bit for each
  bool is_all = false;
};

// Puts the bytes of a part where the operation has them, or combines them. `to`: as many bytes.
void PutPart(const Collective& collective, const Part& part, std::span<std::byte> to,
             std::span<const std::byte> payload);

// Parts of more bytes are long.
inline constexpr std::size_t kLongPart = 8 << 10;

class CollectiveOperation;

// The owner of operations.
class CollectiveOwner {
 public:
  virtual ~CollectiveOwner() = default;
  // A read of the operation has ended.
  virtual void OnRead(const std::shared_ptr<CollectiveOperation>& operation) = 0;
  // Memory of kScratchBytes for the destinations of reads. Errors: those of Endpoint::Allocate.
  static constexpr std::size_t kScratchBytes = 256 << 10;
  virtual absl::StatusOr<Region> TakeScratch() = 0;
  virtual void GiveScratch(Region scratch) = 0;
};

// A resource. `carrier` and `owner` outlive it.
class CollectiveOperation : public std::enable_shared_from_this<CollectiveOperation> {
 public:
  CollectiveOperation(const CollectiveId& id, Collective collective, std::int64_t deadline_ms,
                      CollectiveCarrier& carrier, CollectiveOwner& owner);
  ~CollectiveOperation();
  CollectiveOperation(const CollectiveOperation&) = delete;
  CollectiveOperation& operator=(const CollectiveOperation&) = delete;

  // Registers memory that other hosts read. False: this rank has no room for that.
  [[nodiscard]] bool Prepare();
  // The next duties of the caller, to be done without a lock. A value.
  struct Next {
    bool has_reads = false;          // PostReads
    bool has_unsent = false;         // SendMore, once there may be room in a channel
    std::optional<Outcome> outcome;  // it is over: Report. One caller gets it
    bool did = true;                 // the call has changed something
    bool IsAnything() const { return has_reads || has_unsent || outcome.has_value(); }
  };
  // Begins, with the frames that have come before.
  [[nodiscard]] Next Begin(std::list<EarlyFrame> early, const RoundsDone& done = {});
  // A frame. Not `did`: it is of a later round.
  [[nodiscard]] Next TryTake(Rank from, const FrameHeader& header,
                             std::span<const std::byte> payload);
  // TryTake, or keeps a copy until its round.
  [[nodiscard]] Next Take(Rank from, const FrameHeader& header, std::span<const std::byte> payload);
  // Sends what has room now.
  [[nodiscard]] Next SendMore();
  [[nodiscard]] Next PostReads();
  // After the end of a read.
  [[nodiscard]] Next GoOn();
  // Fails, unless it is over.
  [[nodiscard]] Next Fail(Outcome outcome);
  // The sizes that do not fit, where the operation has failed for that reason.
  std::optional<Disagreement> disagreement() const;

  const CollectiveId& id() const { return id_; }
  const std::vector<Rank>& members() const { return *collective_.members; }
  std::int64_t deadline_ms() const { return deadline_ms_; }
  // After its end: the caller's memory is the caller's own again.
  void Report(Outcome outcome);

 private:
  static constexpr int kMostFrames = 32;  // of a part, by a channel, in one call
  static constexpr int kMostReads = 4;    // of an operation, at a time
  // Of a read. Larger ones are faster by TCP: 1 MiB in 0.4 ms, in pieces of 256 KiB in 0.6.
  static constexpr std::size_t kPiece = 4 << 20;
  static constexpr std::size_t kScratchPiece = CollectiveOwner::kScratchBytes / kMostReads;

  // A receipt of this round.
  struct Receipt {
    Part part;
    std::uint64_t done = 0, asked = 0;  // bytes
    std::optional<RemoteAddress> from;  // where it is read
  };
  // A part for which a channel had no room.
  struct Unsent {
    Rank to;
    std::uint32_t round;
    Part part;
    std::size_t sent;
  };
  // A read under way.
  struct Read {
    CollectiveOperation* operation = nullptr;
    std::shared_ptr<CollectiveOperation> alive;  // while it is under way
    std::size_t receipt = 0, number = 0;
    std::uint64_t at = 0, bytes = 0;
  };

  Rank RankOf(int member) const { return (*collective_.members)[static_cast<std::size_t>(member)]; }
  bool IsNear(Rank rank) const;
  bool IsRead(const Part& part) const {
    return part.bytes > kLongPart && carrier_.reads() && !IsNear(RankOf(part.peer));
  }
  std::span<std::byte> At(std::size_t at, std::size_t bytes);
  std::size_t PieceOf(std::size_t most) const { return most / collective_.unit * collective_.unit; }
  FrameHeader HeaderOf(std::uint32_t round, CollectiveFrame kind, const Part& part) const;

  void StartRound(const RoundsDone& done = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Step() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Send(const Part& part) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SendByMessages(Rank to, const Part& part) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TrySendByChannel(Unsent& unsent);
  enum class Took : std::uint8_t { kTaken, kNotYet };
  Took TakeLocked(Rank from, const FrameHeader& header, std::span<const std::byte> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeEarly() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PutPayload(const Part& part, std::uint64_t at, std::span<const std::byte> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnPart(Receipt& receipt, std::uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A frame of `from` does not fit: the part that this rank expects from it then, or null.
  void Disagree(Rank from, const FrameHeader& header, const Part* expected)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool NextRead(RemoteAddress& from, LocalAddress& to, Read*& read)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void OnRead(void* read, Outcome outcome);
  void EndRead(Read& read, Outcome outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[nodiscard]] Next WhatIsNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const CollectiveId id_;
  const std::int64_t deadline_ms_;  // 0: none
  CollectiveCarrier& carrier_;
  CollectiveOwner& owner_;
  Collective collective_;
  std::array<Region, 2> regions_;  // of the memory, where other hosts read it or it is read into
  std::optional<Region> scratch_;  // for pieces that are combined

  mutable topo::Mutex mutex_;
  bool has_begun_ ABSL_GUARDED_BY(mutex_) = false;
  std::size_t round_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Receipt> receipts_ ABSL_GUARDED_BY(mutex_);
  std::size_t missing_ ABSL_GUARDED_BY(mutex_) = 0;  // receipts
  std::vector<Unsent> unsent_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<Rank, std::uint32_t>> untaken_ ABSL_GUARDED_BY(mutex_);  // announced parts
  std::list<EarlyFrame> early_ ABSL_GUARDED_BY(mutex_);
  std::array<Read, kMostReads> reads_ ABSL_GUARDED_BY(mutex_);
  bool posts_reads_ ABSL_GUARDED_BY(mutex_) = false;  // a thread does
  std::optional<Outcome> outcome_ ABSL_GUARDED_BY(mutex_);
  bool is_reported_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Disagreement> disagreement_ ABSL_GUARDED_BY(mutex_);
};

// Tells each of `members` that the operation of `header` fails.
void SendDisagreement(CollectiveCarrier& carrier, std::span<const Rank> members, FrameHeader header,
                      const Disagreement& disagreement);

}  // namespace llcl
