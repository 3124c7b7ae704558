// lwt/queue/deque.h's own code under every interleaving of up to 5 preemptions (larger programs of
// fewer, down to 2; a program of one thief and one item has no bound), with stores seen at once and
// with stores kept back as x86 does.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lwt/queue/deque.h"
#include "tools/model/interleavings.h"
#include "tools/model/store_buffers.h"

namespace lwt {
namespace {

struct NoFence {
  static void Light() {}
  static void Heavy() {}
};

// A deque and the taker of each item. Items are 1, 2, ...; an item's hint is ten times it.
template <template <typename> class AtomicT, typename Fence>
struct Game {
  Game() : deque(4), taken(32, 0) {}

  void Push(std::uintptr_t item) {
    model::Require(deque.HasRoom() || deque.Grow(), "there is room");
    pushed = item;
    deque.Push({item, item * 10});
  }
  void Pop() {
    Entry entry;
    if (deque.Pop(entry)) Count(entry);
  }
  void Steal() {
    Entry entry;
    if (deque.TakeOldest(entry) == Take::kTaken) Count(entry);
  }
  void Count(const Entry& entry) {
    model::Require(entry.item >= 1 && entry.item <= pushed, "an item that was pushed");
    model::Require(entry.hint == entry.item * 10, "the item's own hint");
    model::Require(++taken[entry.item] == 1, "nobody takes an item twice");
  }
  // Once all have ended: what is left is popped, and then every item was taken.
  void CheckNoneIsLost() {
    Entry entry;
    while (deque.Pop(entry)) Count(entry);
    for (std::uintptr_t item = 1; item <= pushed; ++item) {
      model::Require(taken[item] == 1, "no item is lost");
    }
  }

  BasicDeque<AtomicT, Fence> deque;
  std::vector<int> taken;
  std::uintptr_t pushed = 0;
};

using PlainGame =
    Game<model::Atomic, NoFence>;  // Where stores are seen at once, fences do nothing.

template <typename G>
model::Program Play(std::function<void(G&)> before, std::function<void(G&)> owner,
                    std::vector<std::function<void(G&)>> thieves) {
  auto game = std::make_shared<G>();
  before(*game);
  model::Program program;
  program.threads.push_back([=] { owner(*game); });
  for (const auto& thief : thieves) program.threads.push_back([=] { thief(*game); });
  program.check = [=] { game->CheckNoneIsLost(); };
  return program;
}

void ExpectHolds(const std::function<model::Program()>& make, const model::Limits& limits = {}) {
  const model::Outcome outcome = model::ExploreAll(make, limits);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
  EXPECT_GT(outcome.interleavings, 20);
}

template <typename G>
void PushTwo(G& game) {
  game.Push(1);
  game.Push(2);
}

TEST(DequeModel, AThiefAndTheOwnerNeverBothTakeTheLastItem) {
  ExpectHolds([] {
    return Play<PlainGame>([](PlainGame& game) { game.Push(1); },
                           [](PlainGame& game) { game.Pop(); },
                           {[](PlainGame& game) { game.Steal(); }});
  });
}

TEST(DequeModel, AnOwnerThatPushesAgainWhereAThiefIsGivesItTheRightItem) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(PushTwo<PlainGame>,
                               [](PlainGame& game) {
                                 game.Pop();
                                 game.Push(3);
                                 game.Pop();
                                 game.Pop();
                               },
                               {[](PlainGame& game) {
                                 game.Steal();
                                 game.Steal();
                               }});
      },
      {.preemptions = 4});
}

TEST(DequeModel, TwoThievesAndTheOwnerShareTwoItems) {
  ExpectHolds(
      [] {
        const auto steal = [](PlainGame& game) { game.Steal(); };
        return Play<PlainGame>(PushTwo<PlainGame>,
                               [](PlainGame& game) {
                                 game.Pop();
                                 game.Pop();
                               },
                               {steal, steal});
      },
      {.preemptions = 3});
}

TEST(DequeModel, NoItemIsLostWhereTheOwnerGrowsTheRingUnderAThief) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(PushTwo<PlainGame>,
                               [](PlainGame& game) {
                                 for (std::uintptr_t item = 3; item <= 6; ++item) game.Push(item);
                                 game.Pop();
                               },
                               {[](PlainGame& game) {
                                 game.Steal();
                                 game.Steal();
                               }});
      },
      {.preemptions = 3});
}

TEST(DequeModel, ASlotIsNotUsedAgainBeforeItsThiefHasReadIt) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(
            [](PlainGame& game) {
              for (std::uintptr_t item = 1; item <= 3; ++item)
                game.Push(item);  // full but for the slack
            },
            [](PlainGame& game) {
              for (std::uintptr_t item = 4; item <= 8; ++item) game.Push(item);
            },
            {[](PlainGame& game) {
              game.Steal();
              game.Steal();
            }});
      },
      {.preemptions = 3});
}

TEST(DequeModel, APeekedHintIsAWholeHintOfSomeItem) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(PushTwo<PlainGame>,
                               [](PlainGame& game) {
                                 game.Pop();
                                 game.Pop();
                                 game.Push(3);
                               },
                               {[](PlainGame& game) {
                                 Entry entry;
                                 if (!game.deque.Peek(entry)) return;
                                 model::Require(
                                     entry.hint >= 10 && entry.hint <= 30 && entry.hint % 10 == 0,
                                     "a hint that an item had");
                               }});
      },
      {.preemptions = 5});
}

TEST(DequeModel, PopIfTakesOnlyTheItemItNames) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(PushTwo<PlainGame>,
                               [](PlainGame& game) {
                                 model::Require(!game.deque.PopIf(1), "1 is not the newest");
                                 if (game.deque.PopIf(2)) game.Count({2, 20});
                                 model::Require(!game.deque.PopIf(2), "2 is gone");
                               },
                               {[](PlainGame& game) {
                                 game.Steal();
                                 game.Steal();
                               }});
      },
      {.preemptions = 3});
}

TEST(DequeModel, TryPopIfTakesItOnceOrLeavesIt) {
  ExpectHolds(
      [] {
        return Play<PlainGame>(
            [](PlainGame& game) { game.Push(1); },
            [](PlainGame& game) {
              if (game.deque.TryPopIf(1)) {
                game.Count({1, 10});
              } else if (game.deque.PopIf(1)) {
                game.Count({1, 10});
              }
            },
            {[](PlainGame& game) { game.Steal(); }, [](PlainGame& game) { game.Steal(); }});
      },
      {.preemptions = 4});
}

// Two threads at the last item, each with a store that the other must see.
template <typename Fence>
model::Outcome LastItemWithStoreBuffers() {
  using G = Game<model::BufferedAtomic, Fence>;
  return model::ExploreAll(
      [] {
        return model::WithStoreBuffers(Play<G>([](G& game) { game.Push(1); },
                                               [](G& game) {
                                                 if (game.deque.TryPopIf(1)) game.Count({1, 10});
                                                 game.Push(2);
                                                 game.Pop();
                                               },
                                               {[](G& game) {
                                                 game.Steal();
                                                 game.Steal();
                                               }}));
      },
      {.preemptions = 2});
}

TEST(DequeUnderStoreBuffers, TwoFullFencesKeepTheLastItemSafe) {
  const model::Outcome outcome = LastItemWithStoreBuffers<model::BufferedFence>();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(DequeUnderStoreBuffers, AMembarrierOfTheThiefAloneKeepsItSafe) {
  const model::Outcome outcome = LastItemWithStoreBuffers<model::BufferedMembarrier>();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(DequeUnderStoreBuffers, WithoutTheFencesAnItemIsTakenTwice) {
  EXPECT_NE(LastItemWithStoreBuffers<NoFence>().failure, "");
}

}  // namespace
}  // namespace lwt
