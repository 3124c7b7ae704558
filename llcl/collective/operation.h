// One collective operation under way on a rank: the rounds of the schedule, one after the other.
//
// outgoing.h sends parts, by channels, streams or messages; reads.h reads long parts where the
// network has no streams. The operation ends on a rank when the rounds are over, all is sent, and
// no rank reads this rank's memory any more.
//
// Threads: any, all members, at the same time. A thread that holds the lock here may wait for the
//   executor's lock: so the two functions that run under that, TryPut and TryFill, wait for
//   nothing.
// Progress: never waits longer than that; PostReads copies long parts where the conduit reads at
//   once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/collective/carrier.h"
#include "llcl/collective/collective.h"
#include "llcl/collective/early_frames.h"
#include "llcl/collective/farewell.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/outgoing.h"
#include "llcl/collective/reads.h"
#include "llcl/collective/stream_windows.h"
#include "llcl/completion.h"
#include "llcl/conduit/streams.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

class CollectiveOperation;

// The owner of operations.
class CollectiveOwner : public ScratchStore {
 public:
  // A read of the operation has ended.
  virtual void OnRead(const std::shared_ptr<CollectiveOperation>& operation) = 0;
  // Of all its operations.
  virtual StreamWindows& windows() = 0;
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
    bool has_unsent = false;         // SendMore, once there may be room
    std::optional<Outcome> outcome;  // it is over: Report. One caller gets it
    bool did = true;                 // the call has changed something
    bool IsAnything() const { return has_reads || has_unsent || outcome.has_value(); }
  };
  // Begins, with the frames that have come before.
  [[nodiscard]] Next Begin(std::list<EarlyFrame> early, const RoundsDone& done = {});
  // A frame. Not `did`: it is of a later round.
  [[nodiscard]] Next TryTake(const ComeFrame& frame);
  // TryTake, or keeps the frame until its round.
  [[nodiscard]] Next Take(const ComeFrame& frame);
  // A piece of a part, by a stream: puts the piece in its place. kNot: it has none now, or another
  // thread uses the operation. kLast: of the round; the caller sees to it that GoOn is called.
  enum class Put : std::uint8_t { kNot, kPut, kLast };
  [[nodiscard]] Put TryPut(Rank from, const FrameHeader& header, std::span<const std::byte> piece);
  // The same, of `most` bytes at most and a part that is not combined: calls fill, as
  // StreamTaker::TryFill.
  [[nodiscard]] Put TryFill(Rank from, const FrameHeader& header, std::size_t most,
                            StreamTaker::Fill fill);
  // Sends what has room now.
  [[nodiscard]] Next SendMore();
  [[nodiscard]] Next PostReads();
  // After the end of a read, or after kLast.
  [[nodiscard]] Next GoOn();
  // Says kReady to the senders from which nothing has come for some time: a sender that has no such
  // part says so.
  [[nodiscard]] Next AskSilent(std::int64_t now_ms);
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
  std::uint32_t round() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return static_cast<std::uint32_t>(round_);
  }
  FrameHeader HeaderOf(CollectiveFrame kind, const Part& part) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return llcl::HeaderOf(id_, round(), kind, part.bytes);
  }

  void StartRound(const RoundsDone& done = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Step() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Announce(const Part& part) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  enum class Took : std::uint8_t { kTaken, kNotYet };
  Took TakeLocked(Rank from, const FrameHeader& header, std::span<const std::byte> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::size_t BytesTo(Rank rank, std::uint32_t round) const;
  Took TakeAsk(Rank from, const FrameHeader& header) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Took TakeReady(Rank from, const FrameHeader& header) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Took TakeData(Rank from, const FrameHeader& header, std::span<const std::byte> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeEarly() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The receipt of this round that waits for something of the rank; null: none.
  Receipt* ReceiptOf(Rank from) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same, for data of a stream.
  Receipt* PlaceOf(Rank from, const FrameHeader& header, std::size_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does a piece of a part have whole units there?
  bool Fits(const Part& part, std::uint64_t at, std::size_t bytes) const;
  void OnPart(Receipt& receipt, std::uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A frame of `from` does not fit: the part that this rank expects from it then, or null.
  void Disagree(Rank from, const FrameHeader& header, const Part* expected)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DisagreeOnReady(Rank from, const FrameHeader& header, std::size_t sent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellAll(const FrameHeader& header, const Disagreement& disagreement)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void OnRead(void* read, Outcome outcome);
  void EndRead(PartReads::Read& read, Outcome outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[nodiscard]] Next WhatIsNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const CollectiveId id_;
  const std::int64_t deadline_ms_;  // 0: none
  CollectiveCarrier& carrier_;
  CollectiveOwner& owner_;
  Collective collective_;

  mutable topo::Mutex mutex_;
  bool has_begun_ ABSL_GUARDED_BY(mutex_) = false;
  std::size_t round_ ABSL_GUARDED_BY(mutex_) = 0;
  // AskSilent's: the round that it has seen, and since when; 0: it has asked.
  std::size_t seen_round_ ABSL_GUARDED_BY(mutex_) = ~std::size_t{0};
  std::int64_t seen_ms_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Receipt> receipts_ ABSL_GUARDED_BY(mutex_);
  std::size_t missing_ ABSL_GUARDED_BY(mutex_) = 0;  // receipts
  Outgoing outgoing_ ABSL_GUARDED_BY(mutex_);
  PartReads reads_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<Rank, std::uint32_t>> untaken_ ABSL_GUARDED_BY(mutex_);  // announced parts
  std::list<EarlyFrame> early_ ABSL_GUARDED_BY(mutex_);
  bool posts_reads_ ABSL_GUARDED_BY(mutex_) = false;  // a thread does
  std::optional<Outcome> outcome_ ABSL_GUARDED_BY(mutex_);
  bool is_reported_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Disagreement> disagreement_ ABSL_GUARDED_BY(mutex_);
};

// Answers a kAsk with this header. The part may have come meanwhile, by the stream, as the sender
// found room in its window; a part that nobody expects is a disagreement when it comes.
void SayReady(CollectiveCarrier& carrier, Rank to, FrameHeader header);

// Tells each of `members` that the operation of `header` fails.
void SendDisagreement(CollectiveCarrier& carrier, std::span<const Rank> members, FrameHeader header,
                      const Disagreement& disagreement);

}  // namespace llcl
