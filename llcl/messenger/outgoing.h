// Large messages on their way out: when each completes, and when its memory is free.
//
//   TryAdd --(posted)--> its announcement is under way --(sent)--> the receiver reads it
//      |                              |(failed)                        |(late)   |(answer)
//      Cancel                         +-----> withdrawn <--------------+         |
//                                                 |(answer)                      |
//                                                 +-----------> free <-----------+
//
// The memory of a message is the receiver's until its answer comes, or the receiver is gone; a
// message that failed or is late completes before that, and the receiver is asked to withdraw
// it, so that it answers though it may never have heard of it. `then` completes once, when the
// announcement's command has ended or later: so a message that was not posted never completes.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "llcl/messenger/form.h"
#include "llcl/outcome.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

// Names a large message of a sender. A value, also on the wire.
struct LargeId {
  std::uint32_t slot = 0, generation = 0;
  friend bool operator==(LargeId, LargeId) = default;
};

// Large messages of a rank on their way out at a time.
inline constexpr std::uint32_t kLargeSlots = 256;

// Did the receiver learn of a message? Else it returns no credit for it.
enum class Seen : std::uint8_t { kNo, kYes };

// A value.
class OutgoingMessages {
 public:
  struct Message {
    Rank to{};
    MessageForm form = MessageForm::kRequest;
    std::uint64_t at = 0, bytes = 0;  // its memory
    Completion then = {};
  };
  // What is to be done after an event.
  struct Due {
    LargeId id;
    Message message;
    std::optional<Outcome> completes;  // message.then
    bool withdraws = false;            // asks the receiver to
    bool frees = false;                // the message's memory
    bool was_unseen = false;           // by the receiver: it returns no credit
  };

  // `most_bytes`: of all messages together. Where some messages wait for a receiver, it is
  // given more only up to half of these bytes: a slow receiver leaves room for the others.
  // `most_ms`: how long the receiver may take; 0: no limit.
  OutgoingMessages(std::uint64_t most_bytes, std::int64_t most_ms)
      : most_bytes_(most_bytes), most_ms_(most_ms), entries_(kLargeSlots) {}

  bool MayAdd(Rank to, std::uint64_t bytes) const;
  // Nothing where all slots are taken.
  std::optional<LargeId> TryAdd(const Message& message);
  // The message was not posted.
  Message Cancel(LargeId id);

  // The announcement's command has ended.
  Due OnCommandEnd(std::uint32_t slot, Outcome outcome, std::int64_t now_ms);
  // Nothing where there is no such message to that rank, or it is answered already.
  std::optional<Due> OnAnswer(Rank from, LargeId id, Outcome outcome, Seen seen);
  // f(due) for each message that is late or whose receiver is gone.
  void GiveUp(std::int64_t now_ms, absl::FunctionRef<Presence(Rank)> presence,
              absl::FunctionRef<void(const Due&)> f);
  // From here on every message completes with kAborted, once its command has ended.
  void Abort(absl::FunctionRef<void(const Due&)> f);

  // Is there one that has not completed?
  bool HasIncomplete() const { return incomplete_ > 0; }

 private:
  struct Entry {
    bool is_taken = false;
    std::uint32_t generation = 0;
    Message message;
    std::optional<Outcome> command, answer, given_up;
    Seen seen = Seen::kYes;
    bool is_down = false, is_complete = false, is_withdrawn = false;
    std::int64_t deadline_ms = 0;  // once the command has ended
  };
  Due Settle(std::uint32_t slot);
  void Free(Entry& entry);

  std::uint64_t most_bytes_;
  std::int64_t most_ms_;
  std::vector<Entry> entries_;
  std::map<Rank, std::uint64_t> held_;  // bytes, by receiver
  int incomplete_ = 0;
  bool is_aborted_ = false;
};

}  // namespace llcl
