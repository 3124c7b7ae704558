// Active messages: bytes for a rank, and the handler that gets them there.
//
// A sender needs a credit of the receiver's, which comes back when the handler has run; so
// a receiver never holds more than MessengerOptions::credits messages of each sender, and a
// sender that is too fast is refused. An answer needs no credit: its receiver has room for
// it. Credits travel on the messages that go back anyway, or, where there are none, on a
// message of their own for half of them at once.
//
// A message of up to kMostPayload bytes travels whole. A larger one is copied to memory of its
// sender's, from where the receiver reads it (messenger/large_messages.h).
//
// Threads: any, all members, at the same time.
// Order: what came before TrySend happens before the handler runs. Messages have no order
//   among themselves.
// Progress: TrySend and Reply never wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "llcl/completion.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/messenger/bulk.h"
#include "llcl/messenger/form.h"
#include "llcl/messenger/large_messages.h"
#include "llcl/messenger/retries.h"
#include "topo/atomic.h"

namespace llcl {

class Endpoint;
class Messenger;

// A handler's place in EndpointOptions::handlers, the same on all ranks.
enum class HandlerId : std::uint16_t {};

// A message as its handler sees it; valid until the handler returns.
class Message {
 public:
  Rank from() const { return from_; }
  std::span<const std::byte> payload() const { return payload_; }

  // Answers: once at most, and not to an answer, nor with more bytes than a message has (then it
  // is refused, with false). The payload is copied at once.
  bool Reply(HandlerId handler, std::span<const std::byte> payload);

 private:
  friend class Messenger;
  Message(Messenger& messenger, Rank from, std::span<const std::byte> payload, MessageForm form)
      : messenger_(messenger),
        from_(from),
        payload_(payload),
        may_reply_(form == MessageForm::kRequest) {}
  Messenger& messenger_;
  Rank from_;
  std::span<const std::byte> payload_;
  bool may_reply_;
};

// Runs on the progress thread or on a waiting thread; on several at once. Must not block.
using Handler = std::function<void(Message&)>;

// The messages between the library's own parts.
enum class Internal : std::uint16_t {
  kCollective,
  kFarewell,
  kFarewellHeard,
  kAggregator,
  kAccumulate,
  kCollectiveNotice,  // as kCollective; nobody waits for it
  kPassedFarewell,    // of a third rank
  kPassedLoss
};

struct MessengerOptions {
  std::vector<Handler> handlers = {};
  // Gets the internal messages. False: nonsense.
  std::function<bool(Rank from, Internal kind, std::span<const std::byte> payload)> internal = {};
  int credits = 64;   // of each receiver for each sender
  Tag buffers = 128;  // messages on their way out
  // For messages of more than kMostPayload bytes; without `bulk` there are none. It outlives the
  // messenger.
  Bulk* bulk = nullptr;
  std::uint64_t large_bytes = 0;          // endpoint.h
  std::uint32_t large_ms = 0;             // from announcement to answer; 0: no limit
  OperationCounters* counters = nullptr;  // of answers and of large messages that fail; or null
};

// A resource.
class Messenger : private SmallMessages {
 public:
  // Posts the command of a message, as Executor::TryPost.
  using Post = std::function<Posted(const Command&, Completion then, Completion released)>;

  static constexpr std::size_t kHeaderBytes = 8;
  // Of a message that travels whole.
  static constexpr std::size_t kMostPayload = kMostMessageBytes - kHeaderBytes;

  Messenger(int ranks, MessengerOptions options, Post post, Retries& retries);
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  // `payload` is copied at once. `then` completes when it is on its way; where it is larger than
  // kMostPayload, when the receiver has it: with kRefused or kNoRoom where that does not take it.
  [[nodiscard]] Posted TrySend(Rank to, HandlerId handler, std::span<const std::byte> payload,
                               Completion then);

  // TrySend in two steps, for a caller that sends later: TryPrepare takes the credit and the
  // buffer, until `prepared.released` completes or the message is withdrawn.
  struct Prepared {
    Command command;
    Completion then;
    Completion released;
    void* buffer = nullptr;
  };
  [[nodiscard]] Posted TryPrepare(Rank to, HandlerId handler, std::span<const std::byte> payload,
                                  Completion then, Prepared& prepared);

  void Withdraw(const Prepared& prepared);

  // Internal messages take no credits and are sent at once or later.
  void SendInternal(Rank to, Internal kind, std::span<const std::byte> payload);

  void OnMessage(Rank from, std::span<const std::byte> bytes);

  // Malformed messages: too short, of an unknown kind or handler; announcements of messages that
  // are not where they are said to be, or that were announced before.
  std::int64_t nonsense() const { return nonsense_.Load(std::memory_order_relaxed); }

  // Ends large messages that are overdue, or whose receiver is gone: to be called now and then.
  void GiveUp() {
    if (large_) large_->GiveUp();
  }
  // The endpoint is aborted: ends all large messages. A message for which there is no credit is
  // refused with kClosing from here on: credits do not come back.
  void Abort() {
    is_aborted_.Store(1, std::memory_order_relaxed);
    if (large_) large_->Abort();
  }
  // Is a large message under way?
  bool IsPending() const { return large_ && large_->IsPending(); }

 private:
  friend class Message;
  enum class Kind : std::uint16_t {
    kRequest,
    kReply,
    kCredits,
    kInternal,
    kLargeRequest,  // announcements
    kLargeReply,
    kLargeAnswer,
    kLargeWithdrawal,
  };
  struct Header {
    Kind kind{};
    HandlerId handler{};
    std::uint32_t credits = 0;  // given back by this message
  };
  static_assert(sizeof(Header) == kHeaderBytes);
  struct Buffer {
    Messenger* messenger = nullptr;
    Tag tag = kNullTag;
    Rank to{};
  };
  struct alignas(64) Peer {
    topo::Atomic<int> credits{0};              // left for messages to this peer
    topo::Atomic<std::uint32_t> returning{0};  // the peer's, not given back yet
  };

  // Why there is no credit or no buffer.
  Posted Full() const;
  Peer& Of(Rank rank) { return peers_[static_cast<std::size_t>(ToInt(rank))]; }
  bool TryFill(Rank to, Header header, std::span<const std::byte> payload, Completion then,
               Prepared& prepared);
  static void OnReleased(void* buffer, Outcome outcome);
  std::byte* BytesOf(const Buffer& buffer) const {
    return bytes_.get() + buffer.tag * kMostMessageBytes;
  }
  // A message that needs no credit.
  void SendSurely(Rank to, Header header, std::span<const std::byte> payload, Completion then = {});
  bool TrySendSurely(Rank to, Header header, std::span<const std::byte> payload, Completion then);
  Posted TryPrepareLarge(Rank to, HandlerId handler, std::span<const std::byte> payload,
                         Completion then, Prepared& prepared);
  bool ReplyLarge(Rank to, HandlerId handler, std::span<const std::byte> payload);
  // A message that is neither a request nor a reply of a known handler.
  void OnOther(Rank from, const Header& header, std::span<const std::byte> payload);
  bool OnLarge(Rank from, const Header& header, std::span<const std::byte> payload);

  void SendReplyAnnouncement(Rank to, std::uint16_t handler,
                             std::span<const std::byte> announcement, Completion then) override;
  void SendAnswer(Rank to, std::span<const std::byte> answer) override;
  void SendWithdrawal(Rank to, std::span<const std::byte> withdrawal) override;
  void Deliver(Rank from, std::uint16_t handler, MessageForm form,
               std::span<const std::byte> payload) override;
  void Drop(Rank from, MessageForm form) override;
  void TakeBack(Rank to, MessageForm form) override;
  // One for messages to the rank is there again.
  void RegainCredit(Rank from);
  void CountNonsense() override { nonsense_.FetchAdd(1, std::memory_order_relaxed); }
  void CountEnd(Outcome outcome) override {
    if (options_.counters != nullptr) options_.counters->CountEnd(outcome);
  }
  void CountAnswer(std::size_t bytes) {
    if (options_.counters == nullptr) return;
    options_.counters->Count(Counted::kAnswer, bytes, Posted::kPosted);
  }
  // Credits go back with the next message, or on one of their own once they are half of all.
  void ReturnCredits(Rank to, std::uint32_t count);

  const MessengerOptions options_;
  const Post post_;
  Retries& retries_;
  std::vector<Peer> peers_;
  BasicTags<topo::Atomic> free_;
  std::vector<Buffer> buffers_;
  const std::unique_ptr<std::byte[]> bytes_;  // of each buffer; touched when it is used
  topo::Atomic<std::int64_t> nonsense_{0};
  topo::Atomic<int> is_aborted_{0};
  std::unique_ptr<LargeMessages> large_;  // where options have `bulk`
};

}  // namespace llcl
