#include "apps/bfs/fast/direction.h"

#include <gtest/gtest.h>

namespace bfs {
namespace {

constexpr DirectionOptions kOptions = {.alpha = 10, .beta = 4};

TEST(NextDirection, AGrowingFrontierWithManyEdgesIsSearchedBottomUp) {
  const LevelCounts counts = {.frontier = 5,
                              .next_frontier = 50,
                              .next_edges = 101,
                              .unreached = 900,
                              .unreached_edges = 1000};
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kBottomUp);
}

TEST(NextDirection, ARoadsFrontierStaysTopDownWhateverIsLeft) {
  LevelCounts counts = {.frontier = 50,
                        .next_frontier = 50,
                        .next_edges = 100,
                        .unreached = 60,
                        .unreached_edges = 120};
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kTopDown) << "it does not grow";
  counts = {.frontier = 5,
            .next_frontier = 50,
            .next_edges = 100,
            .unreached = 900,
            .unreached_edges = 1000};
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kTopDown) << "it has few edges";
}

TEST(NextDirection, BottomUpStaysWhileFewVerticesAreLeft) {
  const LevelCounts counts = {
      .direction = Direction::kBottomUp, .frontier = 1000, .next_frontier = 10, .unreached = 20};
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kBottomUp);
}

TEST(NextDirection, BottomUpEndsWhereAllThatIsLeftWouldBeLookedAtForAFew) {
  LevelCounts counts = {
      .direction = Direction::kBottomUp, .frontier = 1000, .next_frontier = 10, .unreached = 5000};
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kTopDown);
  counts.frontier = 10;
  EXPECT_EQ(NextDirection(counts, kOptions), Direction::kBottomUp) << "it does not shrink";
}

}  // namespace
}  // namespace bfs
