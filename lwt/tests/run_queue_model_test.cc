// lwt/queue/run_queue.h's own code under every interleaving of up to 4 preemptions (larger programs
// of fewer, down to 2): deque and inbox as one order of threads.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lwt/queue/run_queue.h"
#include "tools/model/interleavings.h"

namespace lwt {
namespace {

struct NoFence {
  static void Light() {}
  static void Heavy() {}
};
using Queue = BasicRunQueue<model::Atomic, NoFence>;

struct Game {
  Game() : queue(4), links(8), taken(8, 0) {}
  void Push(std::uintptr_t item) { queue.Push({item, item * 10}); }
  void Put(std::uintptr_t item) {
    links[item].entry = {item, item * 10};
    queue.Put(links[item]);
  }
  void Pop() {
    Entry entry;
    if (queue.Pop(entry)) Count(entry);
  }
  void Steal() {
    Entry entry;
    if (queue.Take(entry) == Take::kTaken) Count(entry);
  }
  void Count(const Entry& entry) {
    model::Require(entry.hint == entry.item * 10, "the item's own hint");
    model::Require(++taken[entry.item] == 1, "nobody takes an item twice");
  }
  void CheckAllWereTaken(std::uintptr_t last) {
    Entry entry;
    while (queue.Pop(entry)) Count(entry);
    for (std::uintptr_t item = 1; item <= last; ++item) {
      model::Require(taken[item] == 1, "no item is lost");
    }
  }

  Queue queue;
  std::vector<InboxLink> links;
  std::vector<int> taken;
};

TEST(RunQueueModel, AThreadThatAThiefPutIsNeitherLostNorRunTwice) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        game->Push(1);
        return model::Program{{[=] {
                                 game->Pop();
                                 game->Pop();
                                 game->Pop();
                               },
                               [=] {
                                 game->Put(2);
                                 game->Steal();
                               },
                               [=] { game->Put(3); }},
                              [=] { game->CheckAllWereTaken(3); }};
      },
      {.preemptions = 2});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(RunQueueModel, NoThiefTakesAThreadThatIsBeingLeft) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        game->Put(1);
        auto is_left = std::make_shared<bool>(false);
        return model::Program{{[=] {
                                 Entry next;
                                 game->links[2].entry = {2, 20};
                                 *is_left = false;
                                 if (game->queue.StartRotation(game->links[2], next)) {
                                   game->Count(next);
                                   *is_left = true;
                                   game->queue.FinishRotation();
                                 } else {
                                   *is_left = true;
                                   game->Put(2);
                                 }
                               },
                               [=] {
                                 game->Steal();
                                 game->Steal();
                                 model::Require(game->taken[2] == 0 || *is_left, "it was left");
                               },
                               [=] { game->Put(3); }},
                              [=] { game->CheckAllWereTaken(3); }};
      },
      {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(RunQueueModel, APeekedEntryWasAtTheTailAtSomeTime) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        game->Push(1);
        return model::Program{{[=] {
                                 game->Put(2);
                                 game->Put(3);
                                 game->Steal();
                               },
                               [=] {
                                 Entry entry;
                                 if (!game->queue.Peek(entry)) return;
                                 model::Require(entry.hint >= 10 && entry.hint <= 30, "a hint");
                               }},
                              [=] { game->CheckAllWereTaken(3); }};
      },
      {.preemptions = 4});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// The order of the five operations, one after the other.
class RunQueueOrder : public testing::Test {
 protected:
  std::uintptr_t Pop() {
    Entry entry;
    return game_.queue.Pop(entry) ? entry.item : 0;
  }
  std::uintptr_t Take() {
    Entry entry;
    return game_.queue.Take(entry) == lwt::Take::kTaken ? entry.item : 0;
  }
  std::uint64_t Peek() {
    Entry entry;
    return game_.queue.Peek(entry) ? entry.hint : 0;
  }
  Game game_;
};

TEST_F(RunQueueOrder, TheOwnerGetsTheNewestAndTheThiefTheOldest) {
  for (std::uintptr_t item : {1, 2, 3}) game_.Push(item);
  EXPECT_EQ(Take(), 1u);
  EXPECT_EQ(Pop(), 3u);
  EXPECT_EQ(Pop(), 2u);
  EXPECT_EQ(Pop(), 0u);
  EXPECT_EQ(Take(), 0u);
}

TEST_F(RunQueueOrder, TheLastThatWasPutIsTakenFirstAndPoppedLast) {
  game_.Push(1);
  game_.Put(2);
  game_.Put(3);
  EXPECT_EQ(Peek(), 30u);
  EXPECT_EQ(Take(), 3u);
  game_.Put(4);
  EXPECT_EQ(Pop(), 1u);
  EXPECT_EQ(Pop(), 2u);
  EXPECT_EQ(Pop(), 4u);
}

TEST_F(RunQueueOrder, ARotationPutsOneAndPopsTheOldest) {
  Entry next;
  game_.links[3].entry = {3, 30};
  EXPECT_FALSE(game_.queue.StartRotation(game_.links[3], next));
  game_.Put(1);
  game_.Put(2);
  ASSERT_TRUE(game_.queue.StartRotation(game_.links[3], next));
  game_.queue.FinishRotation();
  EXPECT_EQ(next.item, 1u);
  EXPECT_EQ(Peek(), 30u);
  EXPECT_EQ(Pop(), 2u);
  EXPECT_EQ(Pop(), 3u);
  EXPECT_EQ(Pop(), 0u);
}

TEST_F(RunQueueOrder, PeekTakesNothing) {
  game_.Push(1);
  game_.Push(2);
  EXPECT_EQ(Peek(), 10u);
  EXPECT_EQ(Peek(), 10u);
  EXPECT_EQ(Take(), 1u);
  EXPECT_EQ(Peek(), 20u);
}

TEST_F(RunQueueOrder, ItGrowsAndKeepsTheOrder) {
  // Not on this stack: AddressSanitizer aligns what it puts there to less.
  const auto own = std::make_unique<Queue>(4);
  Queue& queue = *own;
  for (std::uintptr_t item = 1; item <= 100; ++item) {
    ASSERT_TRUE(queue.HasRoom() || queue.Grow());
    queue.Push({item, item});
  }
  Entry entry;
  ASSERT_EQ(queue.Take(entry), lwt::Take::kTaken);
  EXPECT_EQ(entry.item, 1u);
  for (std::uintptr_t item = 100; item >= 2; --item) {
    ASSERT_TRUE(queue.Pop(entry));
    EXPECT_EQ(entry.item, item);
  }
  EXPECT_FALSE(queue.Pop(entry));
}

}  // namespace
}  // namespace lwt
