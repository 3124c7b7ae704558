// llcl/smp/mailbox.h's own code under interleavings.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "llcl/smp/mailbox.h"
#include "tools/model/interleavings.h"
#include "topo/atomic.h"

namespace llcl {
namespace {

// One sender, one receiver that sleeps where there is nothing.
struct Game {
  using Lane = BasicLane<model::Atomic, 32>;

  // False: no room.
  bool Send(std::uint64_t value) {
    if (!lane.Write(std::as_bytes(std::span(&value, 1)))) return false;
    if (sleep.MustWake()) {
      doorbell.Store(1, std::memory_order_release);
      doorbell.WakeAll();
    }
    return true;
  }
  bool Receive() {
    std::uint64_t value = 0;
    const auto place = [&](std::size_t) { return std::as_writable_bytes(std::span(&value, 1)); };
    const Lane::Found found = lane.Read(8, place);
    model::Require(found != Lane::Found::kNonsense, "what was sent is a message");
    if (found != Lane::Found::kMessage) return false;
    received.push_back(value);
    return true;
  }
  void ReceiveAll(std::size_t count, bool announces_sleep) {
    while (received.size() < count) {
      if (Receive()) continue;
      if (announces_sleep) {
        sleep.StartSleep();
        if (!lane.empty()) {
          sleep.EndSleep();
          continue;
        }
      } else if (!lane.empty()) {
        continue;
      }
      doorbell.WaitWhile(0);
      doorbell.Store(0, std::memory_order_relaxed);
      sleep.EndSleep();
    }
  }

  Lane lane{};
  BasicSleepWord<model::Atomic> sleep{};
  model::Atomic<int> doorbell{0};
  std::vector<std::uint64_t> received;
};

model::Outcome ExploreSleep(bool announces_sleep) {
  return model::ExploreAll(
      [=] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] { game->ReceiveAll(2, announces_sleep); },
             [=] { model::Require(game->Send(1) && game->Send(2), "there is room for two"); }},
            [=] {
              model::Require(game->received == std::vector<std::uint64_t>{1, 2},
                             "all, in their order");
            }};
      },
      {.preemptions = 3});
}

TEST(MailboxModel, ASleepingReceiverIsAlwaysWoken) {
  const model::Outcome outcome = ExploreSleep(true);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(MailboxModel, AReceiverThatSleepsUnannouncedIsFoundOut) {
  EXPECT_NE(ExploreSleep(false).failure, "");
}

TEST(MailboxModel, AFullLaneRefusesAndItsPlacesAreUsedAgain) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        auto sent = std::make_shared<std::vector<std::uint64_t>>();
        return model::Program{{[=] {
                                 for (std::uint64_t i = 1; i <= 4; ++i) {
                                   if (game->Send(i)) sent->push_back(i);
                                 }
                               },
                               [=] {
                                 for (int i = 0; i < 3; ++i) (void)game->Receive();
                               }},
                              [=] {
                                while (game->Receive()) {
                                }
                                model::Require(game->received == *sent,
                                               "what was accepted arrives");
                                model::Require(sent->size() >= 2, "two have room");
                              }};
      },
      {.preemptions = 4});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

using RealLane = BasicLane<topo::Atomic, 4096>;

TEST(Mailbox, MessagesOfAllSizesArriveWholeAroundTheEnd) {
  const auto lane = std::make_unique<RealLane>();
  std::mt19937 random(1);
  std::vector<std::byte> got;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> message(random() % 1000);
    for (std::byte& byte : message) byte = static_cast<std::byte>(random());
    ASSERT_TRUE(lane->Write(message));
    ASSERT_EQ(lane->Read(1000,
                         [&](std::size_t bytes) {
                           got.resize(bytes);
                           return std::span(got);
                         }),
              RealLane::Found::kMessage);
    ASSERT_EQ(got, message);
  }
}

TEST(Mailbox, ALengthThatCannotBeIsNonsense) {
  const auto lane = std::make_unique<RealLane>();
  const std::vector<std::byte> message(100);
  ASSERT_TRUE(lane->Write(message));
  EXPECT_EQ(lane->Read(99, [](std::size_t) { return std::span<std::byte>(); }),
            RealLane::Found::kNonsense);
}

}  // namespace
}  // namespace llcl
