// frontier/ring.h's own code under interleavings.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "apps/simpath/frontier/ring.h"
#include "tools/model/interleavings.h"

namespace simpath {
namespace {

using Ring = BasicRing<model::Atomic, int>;

struct Game {
  explicit Game(std::size_t slots) : ring(slots) {}

  // Tries so often to pass on 1, 2, 3, ...
  void Produce(int tries) {
    for (int i = 0; i < tries; ++i) {
      int* const slot = ring.Free();
      if (slot == nullptr) continue;
      model::Require(*slot == 0, "a slot is free once it was released");
      *slot = ++produced;
      ring.Publish();
    }
  }
  void Consume(int tries) {
    for (int i = 0; i < tries; ++i) {
      int* const slot = ring.Filled();
      if (slot == nullptr) continue;
      consumed.push_back(*slot);
      *slot = 0;
      ring.Release();
    }
  }

  Ring ring;
  int produced = 0;
  std::vector<int> consumed;
};

TEST(RingModel, GivesWhatWasPublishedInItsOrder) {
  for (const std::size_t slots : {1, 2}) {
    bool was_full = false, was_empty = false;
    const model::Outcome outcome = model::ExploreAll([&] {
      const auto game = std::make_shared<Game>(slots);
      return model::Program{
          {[=] { game->Produce(4); }, [=] { game->Consume(4); }}, [=, &was_full, &was_empty] {
            const int taken = static_cast<int>(game->consumed.size());
            for (int i = 0; i < taken; ++i) {
              model::Require(game->consumed[static_cast<std::size_t>(i)] == i + 1, "in order");
            }
            model::Require(taken <= game->produced, "nothing else");
            model::Require(game->produced <= taken + static_cast<int>(slots),
                           "no more than has room");
            was_full = was_full || game->produced < 4;
            was_empty = was_empty || taken < 4;
            game->Consume(4);
            model::Require(static_cast<int>(game->consumed.size()) == game->produced,
                           "nothing lost");
          }};
    });
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.complete);
    EXPECT_TRUE(was_full && was_empty) << "both were met";
  }
}

}  // namespace
}  // namespace simpath
