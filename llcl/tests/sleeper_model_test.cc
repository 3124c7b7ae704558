// llcl/executor/sleeper.h's own code under every interleaving, without a bound.
#include <gtest/gtest.h>

#include <memory>

#include "llcl/executor/sleeper.h"
#include "tools/model/interleavings.h"
#include "topo/spin_lock.h"

namespace llcl {
namespace {

// A progress thread that falls asleep, and threads that poll the device and leave.
struct Game {
  void FallAsleep() {
    lock.Lock();
    const IdleExecutor idle = {.device_wakes = true, .is_polled = sleeper.TakePolled()};
    is_armed = !idle.is_polled;
    sleeper.FallAsleep(SleepOf(idle));
    lock.Unlock();
  }
  void Poll(bool is_long) {
    if (sleeper.StartPolling() && lock.TryLock()) {
      sleeper.Leave([this] {
        is_armed = false;
        return true;
      });
      lock.Unlock();
    }
    model::Step();
    if (!sleeper.EndPolling(is_long ? Wait::kLong : Wait::kShort)) return;
    lock.Lock();
    is_woken = sleeper.GiveBack([this] { return is_armed = !has_something; }) || is_woken;
    lock.Unlock();
  }

  // By a thread that is none of those that poll.
  void Step() {
    if (!lock.TryLock()) return;
    is_readable = false;  // It has taken that, and left the rest to the next step.
    is_woken = sleeper.Step([this] { return is_armed = !has_something; }) || is_woken;
    lock.Unlock();
  }

  topo::BasicSpinLock<model::Atomic> lock;
  BasicSleeper<model::Atomic> sleeper;
  bool has_something = false;  // so that the device cannot be armed
  bool is_readable = false;    // so that an armed device wakes the thread
  bool is_armed = false, is_woken = false;
};

// Once no thread polls, the device wakes the progress thread, or it wakes soon by itself.
void RequireThatItWakes(const Game& game) {
  model::Require(!game.sleeper.has_pollers(), "all have ended");
  model::Require(game.sleeper.state() != Sleep::kLeft, "a device that was left is given back");
  model::Require(game.is_armed == (game.sleeper.state() == Sleep::kOnDevice),
                 "the device is armed while it is to wake the thread, and only then");
  model::Require(game.sleeper.state() != Sleep::kAwake || game.is_woken,
                 "a thread whose device cannot be armed is woken");
}

TEST(SleeperModel, ADeviceThatWasLeftIsGivenBackByTheLastThatPolls) {
  for (const bool has_something : {false, true}) {
    const model::Outcome outcome = model::ExploreAll([has_something] {
      auto game = std::make_shared<Game>();
      game->has_something = has_something;
      game->is_armed = true;
      game->sleeper.Set(Sleep::kOnDevice);
      return model::Program{{[=] { game->Poll(true); }, [=] { game->Poll(false); }},
                            [=] { RequireThatItWakes(*game); }};
    });
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.complete);
  }
}

TEST(SleeperModel, WhatAStepLeavesAtTheDeviceWakesTheThread) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto game = std::make_shared<Game>();
    game->has_something = game->is_readable = game->is_armed = true;
    game->sleeper.Set(Sleep::kOnDevice);
    return model::Program{{[=] { game->Step(); }, [=] { game->Poll(true); }}, [=] {
                            RequireThatItWakes(*game);
                            model::Require(game->is_readable || game->is_woken,
                                           "something at the device is not forgotten");
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(SleeperModel, AThreadThatFallsAsleepMeanwhileWakes) {
  for (const bool is_long : {false, true}) {
    const model::Outcome outcome = model::ExploreAll([is_long] {
      auto game = std::make_shared<Game>();
      return model::Program{{[=] { game->FallAsleep(); }, [=] { game->Poll(is_long); }},
                            [=] { RequireThatItWakes(*game); }};
    });
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.complete);
  }
}

}  // namespace
}  // namespace llcl
