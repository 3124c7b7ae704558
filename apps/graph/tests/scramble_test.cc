#include "apps/graph/scramble.h"

#include <gtest/gtest.h>

#include <vector>

namespace graph {
namespace {

TEST(Scramble, EachVertexHasOneNameAndItsInverseFindsItAgain) {
  for (int scale = 1; scale <= 16; ++scale) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Scramble scramble(scale, seed);
      const Vertex vertices = Vertex{1} << scale;
      std::vector<bool> used(vertices);
      for (Vertex vertex = 0; vertex < vertices; ++vertex) {
        const Vertex name = scramble(vertex);
        ASSERT_LT(name, vertices);
        ASSERT_FALSE(used[name]) << "scale " << scale << ", seed " << seed;
        used[name] = true;
        ASSERT_EQ(scramble.Inverse(name), vertex);
      }
    }
  }
}

TEST(Scramble, TheInverseHoldsAtScalesTooLargeToTryAll) {
  for (int scale = 17; scale <= 31; ++scale) {
    const Scramble scramble(scale, 7);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Vertex vertex = static_cast<Vertex>(Mix(i)) >> (32 - scale);
      ASSERT_LT(scramble(vertex), Vertex{1} << scale);
      ASSERT_EQ(scramble.Inverse(scramble(vertex)), vertex) << "scale " << scale;
    }
  }
}

TEST(Scramble, ABitOfAVertexChangesEachBitOfItsNameAboutEverySecondTime) {
  constexpr int kScale = 20;
  constexpr int kTrials = 4096;
  const Scramble scramble(kScale, 1);
  for (int in = 0; in < kScale; ++in) {
    std::vector<int> changes(kScale);
    for (std::uint64_t i = 0; i < kTrials; ++i) {
      const Vertex vertex = static_cast<Vertex>(Mix(i)) >> (32 - kScale);
      const Vertex change = scramble(vertex) ^ scramble(vertex ^ Vertex{1} << in);
      for (int out = 0; out < kScale; ++out) changes[out] += change >> out & 1;
    }
    for (int out = 0; out < kScale; ++out) {
      EXPECT_GT(changes[out], kTrials / 4) << in << " to " << out;
      EXPECT_LT(changes[out], kTrials * 3 / 4) << in << " to " << out;
    }
  }
}

TEST(Scramble, SeedsChooseDifferentNames) {
  const Scramble one(20, 1);
  const Scramble two(20, 2);
  int equal = 0;
  for (Vertex vertex = 0; vertex < 1000; ++vertex) equal += one(vertex) == two(vertex) ? 1 : 0;
  EXPECT_LT(equal, 5);
}

}  // namespace
}  // namespace graph
