// llcl/executor/tags.h's own code under interleavings.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "llcl/executor/tags.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

using Tags = BasicTags<model::Atomic>;

struct Game {
  explicit Game(Tag count) : tags(count), taken(count, false) {}
  Tag Take() {
    const Tag tag = tags.TryTake();
    if (tag != kNullTag) {
      model::Require(!taken[tag], "a tag is one thread's");
      taken[tag] = true;
    }
    return tag;
  }
  void Free(Tag tag) {
    if (tag == kNullTag) return;
    taken[tag] = false;
    tags.Free(tag);
  }

  Tags tags;
  std::vector<bool> taken;
};

TEST(TagsModel, NoTagIsTwoThreadsAtOnceAndNoneIsLost) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>(3);
        // The first sees a head and its next; the others take both and give back one.
        return model::Program{{[=] { game->Free(game->Take()); },
                               [=] {
                                 const Tag one = game->Take();
                                 const Tag two = game->Take();
                                 game->Free(one);
                                 game->Free(two);
                               },
                               [=] { game->Free(game->Take()); }},
                              [=] {
                                for (int i = 0; i < 3; ++i) {
                                  model::Require(game->Take() != kNullTag, "all are free again");
                                }
                                model::Require(game->Take() == kNullTag, "and no more");
                              }};
      },
      {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(TagsModel, AllAreGivenOutBeforeNoneIs) {
  Tags tags(4);
  std::vector<bool> seen(4, false);
  for (int i = 0; i < 4; ++i) {
    const Tag tag = tags.TryTake();
    ASSERT_LT(tag, 4u);
    EXPECT_FALSE(seen[tag]);
    seen[tag] = true;
  }
  EXPECT_EQ(tags.TryTake(), kNullTag);
  tags.Free(2);
  EXPECT_EQ(tags.TryTake(), 2u);
}

}  // namespace
}  // namespace llcl
