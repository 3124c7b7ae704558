// The messenger over a network that a test controls.
#include "llcl/messenger.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace llcl {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// Sides lie on the heap: sanitizers align stacks to less than they need.

// One rank of two. What it sends lies in `sent` until it is ended by hand.
struct Side {
  struct Sent {
    Command command;
    Completion then, released;
  };
  explicit Side(std::vector<Handler> handlers, int credits = 4)
      : messenger(
            2, {.handlers = std::move(handlers), .credits = credits},
            [this](const Command& command, Completion then, Completion released) {
              if (is_full) return Posted::kFull;
              sent.push_back({command, then, released});
              return Posted::kPosted;
            },
            retries) {}

  void EndOldest(Outcome outcome) {
    const Sent one = sent.front();
    sent.pop_front();
    one.then.Complete(outcome);
    one.released.Complete(outcome);
  }
  // All that lies there, to the other side.
  void Deliver(Side& other, Rank self) {
    while (!sent.empty()) {
      const Command command = sent.front().command;
      const std::vector<std::byte> bytes(command.local, command.local + command.bytes);
      EndOldest(Outcome::kDone);
      other.messenger.OnMessage(self, bytes);
    }
  }
  Posted Send(const std::string& text) {
    return messenger.TrySend(Rank{1}, HandlerId{0}, Bytes(text), {});
  }

  bool is_full = false;
  std::deque<Sent> sent;
  Retries retries;
  Messenger messenger;
};

void Ignore(Message&) {}

TEST(Messenger, AMessageThatIsLateKeepsItsBytesUntilTheDeviceLetsThemGo) {
  const auto owned = std::make_unique<Side>(std::vector<Handler>{&Ignore});
  Side& side = *owned;
  ASSERT_EQ(side.Send("first"), Posted::kPosted);
  side.sent[0].then.Complete(Outcome::kLate);  // Given up; the device has it still.
  ASSERT_EQ(side.Send("other"), Posted::kPosted);
  EXPECT_NE(side.sent[0].command.local, side.sent[1].command.local);
  EXPECT_EQ(std::memcmp(side.sent[0].command.local + Messenger::kHeaderBytes, "first", 5), 0);
}

TEST(Messenger, AMessageThatWasNotSentGivesItsCreditBack) {
  const auto owned = std::make_unique<Side>(std::vector<Handler>{&Ignore}, 2);
  Side& side = *owned;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(side.Send("a"), Posted::kPosted) << i;
    side.EndOldest(Outcome::kLate);
  }
  side.is_full = true;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(side.Send("a"), Posted::kFull);
  side.is_full = false;
  EXPECT_EQ(side.Send("a"), Posted::kPosted);
}

TEST(Messenger, WithoutCreditsAMessageIsRefusedForGoodOnceTheEndpointIsAborted) {
  const auto owned = std::make_unique<Side>(std::vector<Handler>{&Ignore}, 1);
  Side& side = *owned;
  ASSERT_EQ(side.Send("a"), Posted::kPosted);
  EXPECT_EQ(side.Send("a"), Posted::kFull);
  side.messenger.Abort();
  EXPECT_EQ(side.Send("a"), Posted::kClosing);
}

TEST(Messenger, AReplyThatIsTooLongIsRefusedAndTheCreditGoesBack) {
  std::vector<bool> replied;
  const auto reply_too_much = [&](Message& message) {
    const std::vector<std::byte> much(Messenger::kMostPayload + 1);
    replied.push_back(message.Reply(HandlerId{0}, much));
  };
  const auto one = std::make_unique<Side>(std::vector<Handler>{&Ignore}, 2);
  const auto other = std::make_unique<Side>(std::vector<Handler>{reply_too_much}, 2);
  Side &asks = *one, &answers = *other;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(asks.Send("a"), Posted::kPosted) << i;
    asks.Deliver(answers, Rank{0});
    // What it sends is for rank 0, of which it is itself the other.
    answers.Deliver(asks, Rank{1});
  }
  EXPECT_EQ(replied, std::vector<bool>(10, false));
}

TEST(Messenger, CreditsThatARefusedMessageTookAlongGoBackYet) {
  const auto one = std::make_unique<Side>(std::vector<Handler>{&Ignore}, 4);
  const auto other = std::make_unique<Side>(std::vector<Handler>{&Ignore}, 4);
  Side &asks = *one, &answers = *other;
  ASSERT_EQ(asks.Send("a"), Posted::kPosted);
  asks.Deliver(answers, Rank{0});  // One credit waits for the second.
  Messenger::Prepared prepared;
  ASSERT_EQ(answers.messenger.TryPrepare(Rank{0}, HandlerId{0}, {}, {}, prepared), Posted::kPosted);
  ASSERT_EQ(asks.Send("b"), Posted::kPosted);
  asks.Deliver(answers, Rank{0});
  EXPECT_TRUE(answers.sent.empty());
  answers.messenger.Withdraw(prepared);
  EXPECT_EQ(answers.sent.size(), 1u) << "two credits: half of all";
  answers.Deliver(asks, Rank{1});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(asks.Send("c"), Posted::kPosted);
}

}  // namespace
}  // namespace llcl
