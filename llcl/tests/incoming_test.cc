#include "llcl/messenger/incoming.h"

#include <gtest/gtest.h>

#include <vector>

namespace llcl {
namespace {

constexpr std::uint64_t kPiece = IncomingMessage::kPieceBytes;
constexpr Rank kSender{1};

IncomingMessage AMessage(std::uint32_t slot, std::uint32_t generation, std::uint64_t bytes = 5000) {
  return {kSender, 0, MessageForm::kRequest, {.bytes = bytes, .id = {slot, generation}}};
}

using Withdrawn = IncomingMessages::Withdrawn;
Withdrawn Withdraw(IncomingMessages& incoming, LargeId id) {
  MessageForm form = MessageForm::kRequest;
  return incoming.OnWithdraw(kSender, id, form);
}

TEST(IncomingMessage, HasEachByteInOnePieceAndFewPiecesUnderWay) {
  IncomingMessage message = AMessage(0, 1, 9 * kPiece + 5);
  std::uint64_t end = 0;
  int under_way = 0;
  while (!message.IsOver()) {
    while (const auto piece = message.Next()) {
      EXPECT_EQ(piece->at, end);
      EXPECT_GT(piece->bytes, 0u);
      EXPECT_LE(piece->bytes, kPiece);
      end += piece->bytes;
      ++under_way;
    }
    EXPECT_LE(under_way, IncomingMessage::kMostPieces);
    ASSERT_GT(under_way, 0);
    message.End(Outcome::kDone);
    --under_way;
  }
  EXPECT_EQ(end, 9 * kPiece + 5);
  EXPECT_EQ(message.outcome(), Outcome::kDone);
  EXPECT_FALSE(message.may_be_written());
}

TEST(IncomingMessage, OfWhichAPieceFailsIsOverWhenThoseUnderWayAre) {
  for (const Outcome outcome : {Outcome::kRefused, Outcome::kLate, Outcome::kPeerDown}) {
    IncomingMessage message = AMessage(0, 1, 3 * kPiece);
    (void)message.Next();
    (void)message.Next();
    message.End(outcome);
    EXPECT_FALSE(message.Next());
    EXPECT_FALSE(message.IsOver());
    message.End(Outcome::kDone);
    EXPECT_TRUE(message.IsOver());
    EXPECT_EQ(message.outcome(), outcome);
    EXPECT_EQ(message.may_be_written(), outcome != Outcome::kRefused);
  }
}

TEST(IncomingMessages, AreStartedInTheOrderInWhichTheyCame) {
  IncomingMessages incoming(2, 8);
  for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_TRUE(incoming.TryAccept(AMessage(slot, 1)));
  std::vector<const IncomingMessage*> started;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    EXPECT_EQ(incoming.waiting()->announcement.id.slot, slot);
    started.push_back(&incoming.Start());
  }
  EXPECT_EQ(incoming.waiting(), nullptr);
  for (const IncomingMessage* const one : started) incoming.Remove(*one);
  EXPECT_TRUE(incoming.empty());
}

TEST(IncomingMessages, OneThatCameBeforeIsNotAcceptedAgainNorOneOfTooMany) {
  IncomingMessages incoming(2, 2);
  EXPECT_TRUE(incoming.TryAccept(AMessage(0, 7)));
  EXPECT_FALSE(incoming.TryAccept(AMessage(0, 7)));
  EXPECT_FALSE(incoming.TryAccept(AMessage(0, 6)));
  EXPECT_FALSE(incoming.TryAccept(AMessage(kLargeSlots, 1)));
  EXPECT_TRUE(incoming.TryAccept(AMessage(1, 1)));
  EXPECT_FALSE(incoming.TryAccept(AMessage(2, 1))) << "two are open";
  incoming.Remove(incoming.Start());
  EXPECT_TRUE(incoming.TryAccept(AMessage(2, 1)));
  EXPECT_FALSE(incoming.TryAccept(AMessage(0, 7)));
}

TEST(IncomingMessages, OneThatIsWithdrawnDoesNotComeAnyMore) {
  IncomingMessages incoming(2, 8);
  EXPECT_EQ(Withdraw(incoming, {0, 5}), Withdrawn::kUnseen);
  EXPECT_FALSE(incoming.TryAccept(AMessage(0, 5)));
  EXPECT_EQ(Withdraw(incoming, {0, 5}), Withdrawn::kAnswered);
  EXPECT_TRUE(incoming.TryAccept(AMessage(0, 6)));
  EXPECT_EQ(Withdraw(incoming, {0, 6}), Withdrawn::kWaited);
  EXPECT_TRUE(incoming.empty());
  EXPECT_TRUE(incoming.TryAccept(AMessage(0, 7)));
  const IncomingMessage& read = incoming.Start();
  EXPECT_EQ(Withdraw(incoming, {0, 7}), Withdrawn::kReading);
  incoming.Remove(read);
  EXPECT_EQ(Withdraw(incoming, {0, 7}), Withdrawn::kAnswered);
  EXPECT_EQ(Withdraw(incoming, {kLargeSlots, 1}), Withdrawn::kNonsense);
}

}  // namespace
}  // namespace llcl
