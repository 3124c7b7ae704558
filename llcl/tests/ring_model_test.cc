// llcl/executor/ring.h's own code under interleavings.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "llcl/executor/ring.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

using Ring = BasicRing<model::Atomic, int>;

// Producers push numbers; a consumer that must be woken sleeps on `doorbell`.
struct Game {
  explicit Game(std::size_t capacity) : ring(capacity), popped(16, 0) {}

  void Push(int command) {
    while (true) {
      switch (ring.TryPush(command)) {
        case Push::kPushed:
          return;
        case Push::kMustWakeIt:
          doorbell.Store(1, std::memory_order_release);
          doorbell.WakeAll();
          return;
        case Push::kFull:
          refused = true;
          return;
      }
    }
  }
  bool Pop() {
    int command = 0;
    if (!ring.TryPop(command)) return false;
    model::Require(command > 0, "what was pushed");
    model::Require(++popped[static_cast<std::size_t>(command)] == 1, "once");
    order.push_back(command);
    return true;
  }
  // Pops so many, sleeping where there is nothing.
  void PopAll(int count) {
    for (int left = count; left > 0;) {
      if (Pop()) {
        --left;
        continue;
      }
      if (!ring.StartSleep()) {
        ring.WaitUntilFilled();
        continue;
      }
      doorbell.WaitWhile(0);
      doorbell.Store(0, std::memory_order_relaxed);
      ring.EndSleep();
    }
  }

  Ring ring;
  model::Atomic<int> doorbell{0};
  std::vector<int> popped;
  std::vector<int> order;
  bool refused = false;
};

void ExpectHolds(const std::function<model::Program()>& make, const model::Limits& limits) {
  const model::Outcome outcome = model::ExploreAll(make, limits);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(RingModel, EachCommandIsPoppedOnceAndAProducersInTheirOrder) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>(4);
        return model::Program{{[=] {
                                 game->Push(1);
                                 game->Push(2);
                               },
                               [=] { game->Push(3); },
                               [=] {
                                 for (int i = 0; i < 4; ++i) game->Pop();
                               }},
                              [=] {
                                while (game->Pop()) {
                                }
                                model::Require(game->order.size() == 3, "nothing is lost");
                                int last = 0;
                                for (const int command : game->order) {
                                  if (command == 3) continue;
                                  model::Require(command > last, "in order");
                                  last = command;
                                }
                              }};
      },
      {.preemptions = 3});
}

TEST(RingModel, AFullRingRefusesAndAnEmptiedPlaceIsUsedAgain) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>(2);
        return model::Program{{[=] {
                                 game->Push(1);
                                 game->Push(2);
                                 game->Push(3);
                               },
                               [=] {
                                 game->Pop();
                                 game->Pop();
                               }},
                              [=] {
                                while (game->Pop()) {
                                }
                                const std::size_t pushed = game->refused ? 2 : 3;
                                model::Require(game->order.size() == pushed,
                                               "all that were accepted");
                              }};
      },
      {.preemptions = 4});
}

// A consumer that no producer wakes is a deadlock, which the explorer reports.
TEST(RingModel, ASleepingConsumerIsAlwaysWoken) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>(4);
        return model::Program{{[=] { game->PopAll(3); },
                               [=] {
                                 game->Push(1);
                                 game->Push(2);
                               },
                               [=] { game->Push(3); }},
                              [] {}};
      },
      {.preemptions = 2});
}

// So the explorer does find a lost wake-up: here the consumer looks at the ring, and
// then sleeps without StartSleep.
TEST(RingModel, AConsumerThatSleepsUnannouncedIsFoundOut) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>(4);
        return model::Program{{[=] {
                                 if (!game->ring.empty()) return;
                                 game->doorbell.WaitWhile(0);
                               },
                               [=] { game->Push(1); }},
                              [] {}};
      },
      {.preemptions = 2});
  EXPECT_NE(outcome.failure, "");
}

TEST(RingModel, OnlyTheFirstPushAfterTheConsumerFellAsleepWakesIt) {
  Ring ring(4);
  ASSERT_TRUE(ring.StartSleep());
  EXPECT_EQ(ring.TryPush(1), Push::kMustWakeIt);
  EXPECT_EQ(ring.TryPush(2), Push::kPushed);
  EXPECT_FALSE(ring.EndSleep()) << "the first has ended it";
  EXPECT_FALSE(ring.StartSleep()) << "there are two commands";
  int command = 0;
  ASSERT_TRUE(ring.TryPop(command));
  ASSERT_TRUE(ring.TryPop(command));
  EXPECT_EQ(command, 2);
  ASSERT_TRUE(ring.StartSleep());
  EXPECT_TRUE(ring.EndSleep()) << "nobody came";
  EXPECT_EQ(ring.TryPush(3), Push::kPushed);
}

TEST(RingModel, HoldsAsManyAsItSays) {
  Ring ring(8);
  for (int i = 1; i <= 8; ++i) EXPECT_EQ(ring.TryPush(i), Push::kPushed);
  EXPECT_EQ(ring.TryPush(9), Push::kFull);
  int command = 0;
  ASSERT_TRUE(ring.TryPop(command));
  EXPECT_EQ(ring.TryPush(9), Push::kPushed);
}

}  // namespace
}  // namespace llcl
