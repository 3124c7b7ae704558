// llcl/executor/batches.h's own code under every interleaving with at most four preemptions.
#include <gtest/gtest.h>

#include <memory>

#include "llcl/executor/batches.h"
#include "tools/model/interleavings.h"
#include "topo/spin_lock.h"

namespace llcl {
namespace {

// Threads receive and handle batches, and another thread marks.
struct Game {
  void Handle(int number) {
    lock.Lock();
    const int turn = batches.Begin();
    has_begun[number] = true;
    lock.Unlock();
    model::Step();
    has_ended[number] = true;
    batches.End(turn);
  }
  void Mark() {
    bool began_before[2];
    lock.Lock();
    for (int i = 0; i < 2; ++i) began_before[i] = has_begun[i];
    batches.Mark();
    lock.Unlock();
    if (!batches.IsHandled()) return;
    for (int i = 0; i < 2; ++i) {
      model::Require(!began_before[i] || has_ended[i], "a batch from before the mark is handled");
    }
  }

  topo::BasicSpinLock<model::Atomic> lock;
  BasicBatches<model::Atomic> batches;
  bool has_begun[2] = {}, has_ended[2] = {};
};

TEST(BatchesModel, WhatBeganBeforeAMarkHasEndedOnceThatIsSaid) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] { game->Handle(0); }, [=] { game->Handle(1); }, [=] { game->Mark(); }}, [=] {
              model::Require(game->batches.IsHandled(), "all have ended");
              // Also by a second turn.
              game->batches.Mark();
              model::Require(game->batches.IsHandled(), "all have ended");
            }};
      },
      {.preemptions = 4});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

}  // namespace
}  // namespace llcl
