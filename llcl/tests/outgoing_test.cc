// Every order of what may happen to a large message on its way out.
#include "llcl/messenger/outgoing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace llcl {
namespace {

using Due = OutgoingMessages::Due;

constexpr std::uint64_t kBytes = 1000;
constexpr std::int64_t kMostMs = 10;
constexpr Rank kReceiver{3};

OutgoingMessages::Message AMessage(std::uint64_t bytes = 100, Rank to = kReceiver) {
  return {.to = to, .bytes = bytes};
}
OutgoingMessages Fresh() { return {kBytes, kMostMs}; }

// What may happen to it; each at most once but for kLook.
enum class Event { kSent, kFailed, kAnswered, kUnseen, kLate, kGone, kAbort };

TEST(OutgoingMessages, EachOrderOfEventsCompletesOnceAndFreesOnceAndNotBeforeTheReceiverIsDone) {
  std::vector<Event> order = {Event::kSent, Event::kAnswered, Event::kUnseen,
                              Event::kLate, Event::kGone,     Event::kAbort};
  int orders = 0;
  for (const Event command : {Event::kSent, Event::kFailed}) {
    order[0] = command;
    std::sort(order.begin(), order.end());
    do {
      ++orders;
      OutgoingMessages outgoing = Fresh();
      const LargeId id = *outgoing.TryAdd(AMessage());
      int completed = 0, freed = 0;
      bool has_ended = false, is_answered = false, is_gone = false;
      std::string names;
      const auto note = [&](const Due& due) {
        completed += due.completes ? 1 : 0;
        freed += due.frees ? 1 : 0;
        EXPECT_TRUE(has_ended || !due.completes) << "before its command: " << names;
        if (due.frees) {
          EXPECT_TRUE(is_answered || is_gone) << "the receiver may read it yet: " << names;
          EXPECT_EQ(completed, 1) << names;
        }
        EXPECT_FALSE(due.withdraws && (is_answered || is_gone)) << names;
      };
      for (const Event event : order) {
        names += std::to_string(static_cast<int>(event)) + " ";
        switch (event) {
          case Event::kSent:
          case Event::kFailed:
            has_ended = true;
            note(outgoing.OnCommandEnd(
                id.slot, event == Event::kSent ? Outcome::kDone : Outcome::kRefused, 0));
            break;
          case Event::kAnswered:
          case Event::kUnseen:
            if (const auto due =
                    outgoing.OnAnswer(kReceiver, id, Outcome::kDone,
                                      event == Event::kAnswered ? Seen::kYes : Seen::kNo)) {
              EXPECT_FALSE(is_answered) << names;
              is_answered = true;
              // What it brings about is noted with that known.
              note(*due);
            } else {
              EXPECT_TRUE(is_answered || freed == 1) << names;
            }
            break;
          case Event::kLate:
            outgoing.GiveUp(
                kMostMs, [](Rank) { return Presence::kHere; }, note);
            break;
          case Event::kGone:
            is_gone = has_ended;
            outgoing.GiveUp(
                0, [](Rank) { return Presence::kLost; }, note);
            break;
          case Event::kAbort:
            outgoing.Abort(note);
            break;
        }
      }
      EXPECT_EQ(completed, 1) << names;
      EXPECT_EQ(freed, 1) << names;
      EXPECT_FALSE(outgoing.HasIncomplete());
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_EQ(orders, 2 * 720);
}

TEST(OutgoingMessages, ALateOneKeepsItsMemoryAndIsWithdrawnAgainAndAgainUntilTheAnswer) {
  OutgoingMessages outgoing = Fresh();
  const LargeId id = *outgoing.TryAdd(AMessage());
  EXPECT_FALSE(outgoing.OnCommandEnd(id.slot, Outcome::kDone, 5).completes);
  std::vector<Due> dues;
  const auto look = [&](std::int64_t now) {
    dues.clear();
    outgoing.GiveUp(
        now, [](Rank) { return Presence::kHere; }, [&](const Due& due) { dues.push_back(due); });
  };
  look(14);
  EXPECT_TRUE(dues.empty());
  look(15);
  ASSERT_EQ(dues.size(), 1u);
  EXPECT_EQ(dues[0].completes, Outcome::kLate);
  EXPECT_TRUE(dues[0].withdraws);
  EXPECT_FALSE(dues[0].frees);
  look(16);
  EXPECT_TRUE(dues.empty());
  look(25);
  ASSERT_EQ(dues.size(), 1u);
  EXPECT_FALSE(dues[0].completes);
  EXPECT_TRUE(dues[0].withdraws);
  const auto due = outgoing.OnAnswer(kReceiver, id, Outcome::kLate, Seen::kNo);
  ASSERT_TRUE(due);
  EXPECT_TRUE(due->frees);
  EXPECT_TRUE(due->was_unseen) << "its credit is this rank's again";
  EXPECT_FALSE(due->completes);
}

TEST(OutgoingMessages, AnAnswerOfAnotherRankOrToAnEarlierMessageIsNonsense) {
  OutgoingMessages outgoing = Fresh();
  const LargeId first = *outgoing.TryAdd(AMessage());
  (void)outgoing.OnCommandEnd(first.slot, Outcome::kDone, 0);
  EXPECT_FALSE(outgoing.OnAnswer(Rank{2}, first, Outcome::kDone, Seen::kYes));
  EXPECT_FALSE(outgoing.OnAnswer(kReceiver, {kLargeSlots, 1}, Outcome::kDone, Seen::kYes));
  EXPECT_TRUE(outgoing.OnAnswer(kReceiver, first, Outcome::kDone, Seen::kYes));
  EXPECT_FALSE(outgoing.OnAnswer(kReceiver, first, Outcome::kDone, Seen::kYes));
  const LargeId second = *outgoing.TryAdd(AMessage());
  ASSERT_EQ(second.slot, first.slot);
  EXPECT_FALSE(outgoing.OnAnswer(kReceiver, first, Outcome::kDone, Seen::kYes));
}

TEST(OutgoingMessages, AReceiverThatTakesNoneHoldsHalfOfTheMemoryAtMost) {
  OutgoingMessages outgoing = Fresh();
  EXPECT_TRUE(outgoing.MayAdd(kReceiver, kBytes));
  (void)outgoing.TryAdd(AMessage(300));
  EXPECT_TRUE(outgoing.MayAdd(kReceiver, 200));
  EXPECT_FALSE(outgoing.MayAdd(kReceiver, 201));
  EXPECT_TRUE(outgoing.MayAdd(Rank{2}, 700));
}

TEST(OutgoingMessages, ThereAreAsManyAsSlots) {
  OutgoingMessages outgoing = Fresh();
  LargeId last;
  for (std::uint32_t i = 0; i < kLargeSlots; ++i) last = *outgoing.TryAdd(AMessage(1));
  EXPECT_FALSE(outgoing.TryAdd(AMessage(1)));
  EXPECT_EQ(outgoing.Cancel(last).bytes, 1u);
  EXPECT_TRUE(outgoing.TryAdd(AMessage(1)));
}

}  // namespace
}  // namespace llcl
