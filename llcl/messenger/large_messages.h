// Messages of more than Messenger::kMostPayload bytes: the receiver reads them from the sender's
// memory.
//
//   sender                                     receiver
//   copies the payload to its arena
//   announcement: where it is, how long  --->  takes room in its own arena, or waits for it
//                                        <---  reads it, a few pieces at a time
//   `then` completes, the memory is free <---  answer: the outcome
//                                              runs the handler
//
// What a sender can make a receiver allocate is bounded: the arena, and announcements that wait,
// of which a sender has as many as credits allow. outgoing.h and incoming.h decide; this class
// does what they say.
//
// Threads: any, all members, at the same time. Handlers and completions are called without the
//   lock.
// Order: as messenger.h. Progress: never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/completion.h"
#include "llcl/executor/executor.h"
#include "llcl/messenger/bulk.h"
#include "llcl/messenger/form.h"
#include "llcl/messenger/incoming.h"
#include "llcl/messenger/outgoing.h"
#include "llcl/messenger/registered_arena.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// The messenger that small messages go by, as large ones use it.
//
// Threads: any, several at once; no member blocks.
class SmallMessages {
 public:
  virtual ~SmallMessages() = default;
  // Each sends at once or later. `then` is called when the announcement has ended.
  virtual void SendReplyAnnouncement(Rank to, std::uint16_t handler,
                                     std::span<const std::byte> announcement, Completion then) = 0;
  virtual void SendAnswer(Rank to, std::span<const std::byte> answer) = 0;
  virtual void SendWithdrawal(Rank to, std::span<const std::byte> withdrawal) = 0;
  // A message has come: runs its handler, and gives the credit back. Or it never will come.
  virtual void Deliver(Rank from, std::uint16_t handler, MessageForm form,
                       std::span<const std::byte> payload) = 0;
  virtual void Drop(Rank from, MessageForm form) = 0;
  // The receiver never learned of this rank's message, so that it returns no credit: a request's
  // goes back to this rank's credits for `to`, a reply's to `to`.
  virtual void TakeBack(Rank to, MessageForm form) = 0;
  virtual void CountNonsense() = 0;
  // A large message has ended.
  virtual void CountEnd(Outcome /*outcome*/) {}
};

struct LargeOptions {
  std::size_t handlers = 0;     // how many there are
  std::uint64_t bytes = 0;      // of each arena, and of a message at most
  std::uint32_t most_ms = 0;    // from announcement to answer; 0: no limit
  std::uint32_t most_open = 0;  // of a sender
};

// A resource. `bulk` and `small` outlive it.
class LargeMessages {
 public:
  LargeMessages(int ranks, const LargeOptions& options, Bulk& bulk, SmallMessages& small);
  LargeMessages(const LargeMessages&) = delete;
  LargeMessages& operator=(const LargeMessages&) = delete;

  std::uint64_t most_bytes() const { return options_.bytes; }

  // A message that is copied, and is to be announced by a command that completes `then`.
  struct Prepared {
    Announcement announcement;
    Completion then;
  };
  // kFull: no room now. kTooLong: this rank never has so much.
  [[nodiscard]] Posted TryPrepare(Rank to, std::span<const std::byte> payload, Completion then,
                                  Prepared& prepared);
  // It was not announced after all.
  void Cancel(LargeId id);

  // An answer to a message, sent now or as soon as there is room. Precondition: it is not longer
  // than most_bytes().
  void Reply(Rank to, std::uint16_t handler, std::span<const std::byte> payload);

  // What the other side says. False: nonsense.
  [[nodiscard]] bool OnAnnouncement(Rank from, std::uint16_t handler, MessageForm form,
                                    std::span<const std::byte> bytes);
  [[nodiscard]] bool OnAnswer(Rank from, std::span<const std::byte> bytes);
  [[nodiscard]] bool OnWithdrawal(Rank from, std::span<const std::byte> bytes);

  // Ends messages that are overdue, or whose receiver is gone.
  void GiveUp();
  // Ends all messages.
  void Abort();
  // Is a message under way?
  bool IsPending() const;

 private:
  struct Answer {
    LargeId id;
    std::uint32_t outcome = 0, was_seen = 0;
  };
  struct Slot {
    LargeMessages* self = nullptr;
    std::uint32_t slot = 0;
  };
  struct WaitingReply {
    Rank to{};
    std::uint16_t handler = 0;
    std::vector<std::byte> payload;
    std::int64_t began_ms = 0;
  };

  Posted TryCopy(Rank to, MessageForm form, std::span<const std::byte> payload, Completion then,
                 Prepared& prepared);
  bool TryReply(Rank to, std::uint16_t handler, std::span<const std::byte> payload);
  void StartReplies();
  void Do(const OutgoingMessages::Due& due);

  void SendAnswer(Rank to, LargeId id, Outcome outcome, Seen seen);
  void StartWaiting();
  IncomingMessage* TryStart();
  void ReadMore(IncomingMessage& message);
  void Finish(IncomingMessage& message);
  void FreeOverdue();
  static void OnAnnounced(void* slot, Outcome outcome);
  static void OnPiece(void* message, Outcome outcome);

  const LargeOptions options_;
  Bulk& bulk_;
  SmallMessages& small_;
  RegisteredArena out_, in_;
  std::vector<Slot> slots_;
  mutable topo::Mutex mutex_;
  OutgoingMessages outgoing_ ABSL_GUARDED_BY(mutex_);
  IncomingMessages incoming_ ABSL_GUARDED_BY(mutex_);
  std::deque<WaitingReply> waiting_replies_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> overdue_rooms_ ABSL_GUARDED_BY(mutex_);  // of in_: bulk.h's overdue()
  bool is_starting_ ABSL_GUARDED_BY(mutex_) = false;  // a thread starts messages that wait
  bool is_aborted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace llcl
