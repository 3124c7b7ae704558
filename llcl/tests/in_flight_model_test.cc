// llcl/executor/in_flight.h's own code under every interleaving, without a bound.
#include <gtest/gtest.h>

#include <memory>

#include "llcl/executor/in_flight.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

// Threads that request, and one that closes the executor: once nothing is in flight, it is gone.
struct Game {
  void Request() {
    if (!in_flight.TryAccept()) {
      model::Require(is_closing, "only a gate that is shut refuses");
      return;
    }
    model::Require(!is_gone, "no thread is past the gate of an executor that is gone");
    model::Step();
    model::Require(!is_gone, "the executor stays until the operation has ended");
    in_flight.End();
  }
  void Close() {
    is_closing = true;
    in_flight.Close();
    if (in_flight.count() == 0) is_gone = true;
  }

  BasicInFlight<model::Atomic> in_flight;
  bool is_closing = false, is_gone = false;
};

TEST(InFlightModel, NoOperationIsInFlightOnceTheGateIsShutAndTheCountIsZero) {
  const model::Outcome outcome = model::ExploreAll([] {
    auto game = std::make_shared<Game>();
    return model::Program{
        {[=] { game->Request(); }, [=] { game->Request(); }, [=] { game->Close(); }}, [=] {
          model::Require(game->in_flight.count() == 0, "all have ended");
          model::Require(!game->in_flight.TryAccept(), "the gate stays shut");
        }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(InFlightModel, AnOperationThatWasGivenUpIsOverdueUntilItsMemoryIsReleased) {
  InFlight in_flight;
  ASSERT_TRUE(in_flight.TryAccept());
  in_flight.GiveUp();
  in_flight.End();
  EXPECT_EQ(in_flight.count(), 0u);
  EXPECT_EQ(in_flight.overdue(), 1u);
  in_flight.Release();
  in_flight.Release();
  EXPECT_EQ(in_flight.overdue(), 0u) << "a release that another thread has not yet counted";
}

}  // namespace
}  // namespace llcl
