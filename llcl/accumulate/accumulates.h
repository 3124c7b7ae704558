// Accumulates: arrays that are combined with the memory of their owner, which does it itself.
//
// An array goes to its owner in messages, a few at a time; the owner executes those of a rank in
// the order in which the rank asked for them, and answers each:
//
//   origin                                    owner
//   kPiece: elements, and their address  -->
//                                             waits for the pieces before it, and executes it
//                                        <--  kAnswer: the outcome
//
// Threads: any, all members, at the same time. Progress: never waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/accumulate/elements.h"
#include "llcl/atomic_types.h"
#include "llcl/completion.h"
#include "llcl/conduit/registration.h"
#include "llcl/executor/executor.h"
#include "llcl/messenger.h"
#include "llcl/messenger/bulk.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A request. `from` stays as it is until `then` is called. A value.
struct Accumulation {
  std::span<const std::byte> from;
  RemoteAddress to;
  ElementType type{};
  AtomicOp op{};
  Completion then = {};
  std::uint32_t most_ms = 0;  // 0: no limit
};

// A resource. The arguments of the constructor outlive it.
class Accumulates {
 public:
  Accumulates(int ranks, Messenger& messenger, Registration& registration, const Bulk& bulk);

  // Precondition: the owner is a rank of the job.
  [[nodiscard]] Posted TryAccumulate(const Accumulation& accumulation);
  // False: nonsense.
  bool OnMessage(Rank from, std::span<const std::byte> message);
  // Ends accumulates that are overdue, or whose owner is gone.
  void GiveUp();
  // Ends all; none can begin any more.
  void Abort();
  bool IsPending() const { return pending_.load(std::memory_order_acquire) > 0; }

 private:
  enum class Kind : std::uint32_t { kPiece, kAnswer };
  struct Header {
    Kind kind{};
    std::uint32_t number = 0;  // of the piece, among those of the origin for the owner
  };
  struct PieceHeader {
    Header header;
    RemoteRegion region;
    std::uint64_t offset = 0;
    ElementType type{};
    AtomicOp op{};
    std::uint8_t unused[6] = {};
  };
  struct Answer {
    Header header;
    std::uint64_t outcome = 0;
  };
  static constexpr std::size_t kMostBytes =
      (Messenger::kMostPayload - sizeof(PieceHeader)) / sizeof(Unsigned128) * sizeof(Unsigned128);
  // Pieces of an origin for an owner that are under way.
  static constexpr std::size_t kWindow = 16;
  // Accumulates of an origin for an owner.
  static constexpr std::size_t kMostWaiting = 4096;

  struct Operation {
    Accumulation asked;
    std::int64_t deadline_ms = 0;        // 0: none
    std::size_t sent = 0, answered = 0;  // bytes
    Outcome outcome = Outcome::kDone;
    bool is_reported = false;
    // Of the bytes that are sent, all are answered, and no others will be sent.
    bool is_over() const {
      const bool sends_more = outcome == Outcome::kDone && sent < asked.from.size();
      return !sends_more && answered == sent;
    }
  };
  using Operations = std::list<Operation>;
  struct Piece {
    std::uint32_t number = 0;
    Operations::iterator operation;
    std::size_t bytes = 0;
  };
  // Operations of this rank for one owner.
  struct Owner {
    topo::Mutex mutex;
    Operations operations ABSL_GUARDED_BY(mutex);      // in the order of their requests
    Operations::iterator next ABSL_GUARDED_BY(mutex);  // to be sent; or end()
    std::deque<Piece> under_way ABSL_GUARDED_BY(mutex);
    std::uint32_t number ABSL_GUARDED_BY(mutex) = 0;  // of the next piece
  };
  // Pieces of one origin for this rank.
  struct Origin {
    topo::Mutex mutex;
    std::uint32_t next ABSL_GUARDED_BY(mutex) = 0;
    std::map<std::uint32_t, std::vector<std::byte>> early ABSL_GUARDED_BY(mutex);
  };
  // An end that is to be reported without a lock.
  struct Ended {
    Completion then;
    Outcome outcome{};
  };

  bool OnPiece(Rank from, std::span<const std::byte> message);
  bool OnAnswer(Rank from, const Answer& answer);
  void Execute(Rank from, std::span<const std::byte> message);
  void SendSome(Rank to, Owner& owner) ABSL_EXCLUSIVE_LOCKS_REQUIRED(owner.mutex);
  // Takes the operations that are over, in their order.
  void TakeEnded(Owner& owner, std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(owner.mutex);
  void EndAll(Owner& owner, Outcome outcome, std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(owner.mutex);
  void Report(std::span<const Ended> ended);

  Messenger& messenger_;
  Registration& registration_;
  const Bulk& bulk_;
  std::vector<std::unique_ptr<Owner>> owners_;    // by rank
  std::vector<std::unique_ptr<Origin>> origins_;  // by rank
  std::atomic<std::size_t> pending_{0};           // operations that are not reported
  std::atomic<bool> is_aborted_{false};
};

}  // namespace llcl
