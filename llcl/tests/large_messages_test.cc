// Large messages over a network that a test controls.
#include "llcl/messenger/large_messages.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "llcl/conduit/executors.h"
#include "llcl/conduit/registration.h"
#include "llcl/messenger.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

// Its regions are those of a simulated network; the test does the reads.
class ByHand final : public Bulk {
 public:
  using Memory = std::map<std::pair<Rank, std::uint32_t>, std::byte*>;  // by owner and slot
  ByHand(SimFabric& fabric, Rank self, Memory& memory)
      : conduit_(MakeSimConduit(fabric, self)),
        executors_(*conduit_, {}, nullptr),
        registration_(*conduit_, executors_),
        memory_(memory) {}

  absl::StatusOr<Region> Allocate(std::uint64_t bytes) override {
    if (has_no_memory) return absl::ResourceExhaustedError("");
    absl::StatusOr<Region> region = registration_.Allocate(bytes);
    memory_[{conduit_->rank(), region->remote().id.slot}] = region->local().start;
    return region;
  }
  void Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
            Completion then) override {
    reads_.push_back({from, to, bytes, then});
  }
  Presence PresenceOf(Rank) const override { return presence; }
  std::uint64_t overdue() const override { return overdue_reads; }

  std::size_t reads() const { return reads_.size(); }
  // Ends the oldest.
  void EndRead(Outcome outcome) {
    const auto read = reads_.front();
    reads_.pop_front();
    const auto there = memory_.find({read.from.region.owner, read.from.region.id.slot});
    if (there == memory_.end()) {
      outcome = Outcome::kRefused;
    } else if (outcome == Outcome::kDone) {
      std::memcpy(read.to.data(), there->second + read.from.offset, read.bytes);
    }
    read.then.Complete(outcome);
  }

  bool has_no_memory = false;
  Presence presence = Presence::kHere;
  std::uint64_t overdue_reads = 0;

 private:
  const std::unique_ptr<Conduit> conduit_;
  Executors executors_;
  Registration registration_;
  Memory& memory_;
  struct OneRead {
    RemoteAddress from;
    LocalAddress to;
    std::uint64_t bytes;
    Completion then;
  };
  std::deque<OneRead> reads_;
};

using Bytes = std::vector<std::byte>;
Bytes PayloadOf(std::size_t bytes, int seed = 1) {
  Bytes payload(bytes);
  for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::byte>(i * 7 + seed);
  return payload;
}

struct Limits {
  int credits = 4;
  std::uint64_t large_bytes = 100'000;
  std::uint32_t large_ms = 0;
};

// One rank of two. What it sends lies in `sent` until it is delivered.
struct Side {
  struct Sent {
    Command command;
    Completion then, released;
  };
  Side(SimFabric& fabric, Rank self, ByHand::Memory& memory, const Limits& limits, Handler handler)
      : self(self),
        bulk(fabric, self, memory),
        messenger(
            2,
            {.handlers = {std::move(handler),
                          [this](Message& message) {
                            const auto payload = message.payload();
                            answers.emplace_back(payload.begin(), payload.end());
                          }},
             .credits = limits.credits,
             .bulk = &bulk,
             .large_bytes = limits.large_bytes,
             .large_ms = limits.large_ms},
            [this](const Command& command, Completion then, Completion released) {
              sent.push_back({command, then, released});
              return Posted::kPosted;
            },
            retries) {}

  // The bytes of the oldest; its command ends.
  Bytes Take(Outcome outcome = Outcome::kDone) {
    const Sent one = sent.front();
    sent.pop_front();
    Bytes bytes(one.command.local, one.command.local + one.command.bytes);
    one.then.Complete(outcome);
    one.released.Complete(outcome);
    return bytes;
  }
  void DeliverAll(Side& other) {
    while (!sent.empty()) other.messenger.OnMessage(self, Take());
  }

  const Rank self;
  ByHand bulk;
  std::vector<Bytes> answers;
  std::deque<Sent> sent;
  Retries retries;
  Messenger messenger;
};

// The sender is rank 0.
class LargeMessagesTest : public testing::Test {
 protected:
  void Begin(const Limits& limits = {}) {
    handler = [this](Message& message) {
      const auto payload = message.payload();
      came.emplace_back(payload.begin(), payload.end());
    };
    const auto handle = [this](Message& message) { handler(message); };
    one.emplace(fabric, Rank{0}, memory, limits, handle);
    other.emplace(fabric, Rank{1}, memory, limits, handle);
  }
  Posted Send(const Bytes& payload, Completion then = {}) {
    return one->messenger.TrySend(Rank{1}, HandlerId{0}, payload, then);
  }
  // Until nothing moves.
  void RunAll() {
    while (!one->sent.empty() || !other->sent.empty() ||
           one->bulk.reads() + other->bulk.reads() > 0) {
      one->DeliverAll(*other);
      while (other->bulk.reads() > 0) other->bulk.EndRead(Outcome::kDone);
      other->DeliverAll(*one);
      while (one->bulk.reads() > 0) one->bulk.EndRead(Outcome::kDone);
    }
  }

  SimFabric fabric{{.ranks = 2}};
  ByHand::Memory memory;
  Handler handler;
  std::vector<Bytes> came;
  std::optional<Side> one, other;
};

TEST_F(LargeMessagesTest, CompletesWhenTheReceiverHasReadItAndNotBefore) {
  Begin();
  Flag then;
  ASSERT_EQ(Send(PayloadOf(50'000), then.completion()), Posted::kPosted);
  one->DeliverAll(*other);
  EXPECT_FALSE(then.done());
  EXPECT_TRUE(came.empty());
  EXPECT_TRUE(one->messenger.IsPending() && other->messenger.IsPending());
  RunAll();
  EXPECT_EQ(came, std::vector<Bytes>{PayloadOf(50'000)});
  ASSERT_TRUE(then.done());
  EXPECT_EQ(then.outcome(), Outcome::kDone);
  EXPECT_FALSE(one->messenger.IsPending() || other->messenger.IsPending());
}

TEST_F(LargeMessagesTest, AnAnnouncementThatIsForgedIsDroppedAndCounted) {
  Begin({.credits = 1});
  ASSERT_EQ(Send(PayloadOf(5000)), Posted::kPosted);
  const Bytes good = one->Take();
  const auto with = [&](auto change) {
    Bytes bytes = good;
    Announcement announcement;
    std::byte* const at = bytes.data() + Messenger::kHeaderBytes;
    std::memcpy(static_cast<void*>(&announcement), at, sizeof announcement);
    change(announcement);
    std::memcpy(at, static_cast<const void*>(&announcement), sizeof announcement);
    return bytes;
  };
  Bytes shorter = good, longer = good, other_handler = good;
  shorter.pop_back();
  longer.push_back({});
  other_handler[2] = std::byte{9};
  std::int64_t nonsense = 0;
  for (const Bytes& forged :
       {shorter, longer, other_handler, with([](Announcement& a) { a.bytes = 100'001; }),
        with([](Announcement& a) { a.bytes = ~std::uint64_t{0}; }),
        with([](Announcement& a) { a.region.owner = Rank{1}; }),
        with([](Announcement& a) { a.id.slot = kLargeSlots; })}) {
    other->messenger.OnMessage(Rank{0}, forged);
    EXPECT_EQ(other->messenger.nonsense(), ++nonsense);
    EXPECT_EQ(other->bulk.reads(), 0u);
  }
  other->messenger.OnMessage(Rank{0}, good);
  EXPECT_EQ(other->bulk.reads(), 1u);
  other->messenger.OnMessage(Rank{0}, good);
  EXPECT_EQ(other->messenger.nonsense(), ++nonsense) << "it came before";
  // Two with one credit: requests and replies. The third is of nobody who keeps to credits.
  other->messenger.OnMessage(Rank{0}, with([](Announcement& a) { a.id.slot = 1; }));
  EXPECT_EQ(other->messenger.nonsense(), nonsense);
  other->messenger.OnMessage(Rank{0}, with([](Announcement& a) { a.id.slot = 2; }));
  EXPECT_EQ(other->messenger.nonsense(), ++nonsense);
  EXPECT_EQ(other->bulk.reads(), 2u);
  EXPECT_TRUE(came.empty());
}

TEST_F(LargeMessagesTest, AnAnnouncementOfARegionThatIsNotThereIsRefusedAndItsCreditComesBack) {
  Begin({.credits = 2});
  for (int i = 0; i < 10; ++i) {
    Flag then;
    ASSERT_EQ(Send(PayloadOf(5000), then.completion()), Posted::kPosted) << i;
    one->DeliverAll(*other);
    other->bulk.EndRead(Outcome::kRefused);
    RunAll();
    EXPECT_EQ(then.outcome(), Outcome::kRefused);
  }
  EXPECT_EQ(other->messenger.nonsense(), 10);
  EXPECT_TRUE(came.empty());
}

TEST_F(LargeMessagesTest, AReceiverWithoutMemorySaysSoAndASenderWithoutIsToldAtOnce) {
  Begin();
  other->bulk.has_no_memory = true;
  Flag then;
  ASSERT_EQ(Send(PayloadOf(5000), then.completion()), Posted::kPosted);
  RunAll();
  EXPECT_EQ(then.outcome(), Outcome::kNoRoom);
  EXPECT_EQ(other->messenger.TrySend(Rank{0}, HandlerId{0}, PayloadOf(5000), {}), Posted::kTooLong);
  EXPECT_TRUE(came.empty());
}

TEST_F(LargeMessagesTest, WaitAtTheReceiverForItsMemoryAndPiecesAreFew) {
  Begin({.credits = 8, .large_bytes = 3'000'000});
  ASSERT_EQ(Send(PayloadOf(2'000'000, 1)), Posted::kPosted);
  ASSERT_EQ(Send(PayloadOf(1'000'000, 2)), Posted::kFull) << "half of all memory is one receiver's";
  one->DeliverAll(*other);
  EXPECT_EQ(other->bulk.reads(), static_cast<std::size_t>(IncomingMessage::kMostPieces));
  RunAll();
  ASSERT_EQ(Send(PayloadOf(1'000'000, 2)), Posted::kPosted);
  RunAll();
  EXPECT_EQ(came, (std::vector<Bytes>{PayloadOf(2'000'000, 1), PayloadOf(1'000'000, 2)}));
}

TEST_F(LargeMessagesTest, OneThatIsLateIsWithdrawnAndThenItsMemoryIsFreeAndItNeverComes) {
  Begin({.credits = 1, .large_ms = 1});
  for (int i = 0; i < 5; ++i) {
    Flag then;
    ASSERT_EQ(Send(PayloadOf(60'000), then.completion()), Posted::kPosted) << i;
    const Bytes announcement = one->Take();  // It is on its way for long.
    // The clock of deadlines goes in steps, which a busy machine makes longer.
    for (int looks = 0; !then.done() && looks < 10'000; ++looks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      one->messenger.GiveUp();
    }
    ASSERT_TRUE(then.done());
    EXPECT_EQ(then.outcome(), Outcome::kLate);
    EXPECT_FALSE(one->messenger.IsPending());
    EXPECT_EQ(Send(PayloadOf(60'000)), Posted::kFull) << "the receiver may read it yet";
    RunAll();
    other->messenger.OnMessage(Rank{0}, announcement);
    EXPECT_EQ(other->bulk.reads(), 0u);
    EXPECT_EQ(other->messenger.nonsense(), i + 1);
  }
  EXPECT_TRUE(came.empty());
}

TEST_F(LargeMessagesTest, WhatAReadThatWasGivenUpMayWriteToIsNotUsedBeforeTheNetworkIsDone) {
  Begin({.credits = 4, .large_bytes = 60'000});
  ASSERT_EQ(Send(PayloadOf(40'000)), Posted::kPosted);
  one->DeliverAll(*other);
  other->bulk.overdue_reads = 1;
  other->bulk.EndRead(Outcome::kLate);
  RunAll();
  ASSERT_EQ(Send(PayloadOf(40'000)), Posted::kPosted);
  RunAll();
  other->messenger.GiveUp();
  EXPECT_EQ(other->bulk.reads(), 0u);
  other->bulk.overdue_reads = 0;
  other->messenger.GiveUp();
  EXPECT_EQ(other->bulk.reads(), 1u);
  RunAll();
  EXPECT_EQ(came.size(), 1u);
}

TEST_F(LargeMessagesTest, AnswersWaitForRoomAndEachRequestGetsItsOwn) {
  Begin({.credits = 4, .large_bytes = 20'000});
  int next = 0;
  handler = [&](Message& message) {
    EXPECT_TRUE(message.Reply(HandlerId{1}, PayloadOf(15'000, next++)));
  };
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(Send(PayloadOf(10)), Posted::kPosted) << round;
    EXPECT_EQ(Send(PayloadOf(10)), Posted::kFull);
    RunAll();
  }
  ASSERT_EQ(one->answers.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(one->answers[static_cast<std::size_t>(i)], PayloadOf(15'000, i));
}

TEST_F(LargeMessagesTest, OfAnAbortCompleteAndNoneIsPendingAnyMore) {
  Begin();
  Flag then, unsent;
  ASSERT_EQ(Send(PayloadOf(5000), then.completion()), Posted::kPosted);
  one->DeliverAll(*other);
  ASSERT_EQ(Send(PayloadOf(5000), unsent.completion()), Posted::kPosted);
  one->messenger.Abort();
  ASSERT_TRUE(then.done());
  EXPECT_EQ(then.outcome(), Outcome::kAborted);
  EXPECT_FALSE(unsent.done());
  while (!one->sent.empty()) (void)one->Take(Outcome::kAborted);
  EXPECT_EQ(unsent.outcome(), Outcome::kAborted);
  EXPECT_FALSE(one->messenger.IsPending());
}

TEST_F(LargeMessagesTest, ToARankThatIsGoneCompleteSo) {
  for (const Presence gone : {Presence::kLeft, Presence::kLost}) {
    Begin();
    Flag then;
    ASSERT_EQ(Send(PayloadOf(5000), then.completion()), Posted::kPosted);
    (void)one->Take();
    one->bulk.presence = gone;
    one->messenger.GiveUp();
    ASSERT_TRUE(then.done());
    EXPECT_EQ(then.outcome(), OutcomeOf(gone));
    EXPECT_FALSE(one->messenger.IsPending());
  }
}

}  // namespace
}  // namespace llcl
