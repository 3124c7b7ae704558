// dsm/threads/handler_gate.h's own code under every interleaving of two threads, and
// those of three with up to 3 preemptions.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsm/threads/handler_gate.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

// Messages that come, and a thread that ends the space.
struct Game {
  void Message() {
    if (!gate.TryEnter()) {
      model::Require(is_ending, "only a gate that is shut drops a message");
      return;
    }
    model::Require(!is_gone, "no handler begins in a space that is gone");
    model::Step();
    model::Require(!is_gone, "the space stays until the handler has returned");
    gate.Leave();
  }
  void End() {
    is_ending = true;
    gate.Close();
    is_gone = true;
  }

  BasicHandlerGate<model::Atomic> gate;
  bool is_ending = false, is_gone = false;
};

std::function<model::Program()> WithMessages(int count) {
  return [count] {
    auto game = std::make_shared<Game>();
    model::Program program{{[=] { game->End(); }},
                           [=] { model::Require(!game->gate.TryEnter(), "the gate stays shut"); }};
    for (int i = 0; i < count; ++i) program.threads.push_back([=] { game->Message(); });
    return program;
  };
}

TEST(HandlerGateModel, NoHandlerRunsOnceTheGateIsShut) {
  const model::Outcome outcome = model::ExploreAll(WithMessages(1));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(HandlerGateModel, NorOneOfSeveral) {
  const model::Outcome outcome = model::ExploreAll(WithMessages(2), {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

}  // namespace
}  // namespace dsm
