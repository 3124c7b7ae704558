#include "apps/bfs/validation/reference.h"

#include <gtest/gtest.h>

#include <vector>

namespace bfs {
namespace {

TEST(DepthsFrom, AreTheLengthsOfShortestPaths) {
  // 0 - 1 - 2 - 3, a shortcut 0 - 2, and 4 - 5 apart.
  const graph::Csr csr = graph::BuildCsr({.vertices = 6,
                                          .edges = {{0, 1}, {1, 2}, {2, 3}, {0, 2}, {4, 5}},
                                          .terminals = {},
                                          .max_length = {}});
  EXPECT_EQ(DepthsFrom(csr, 0), (std::vector<std::int32_t>{0, 1, 1, 2, kUnreached, kUnreached}));
  EXPECT_EQ(DepthsFrom(csr, 5),
            (std::vector<std::int32_t>{kUnreached, kUnreached, kUnreached, kUnreached, 1, 0}));
}

// The rows of a directed graph have out-neighbors: 3 > 2 > 1 > 0.
TEST(DepthsFrom, ArcsAreFollowedAlongTheRows) {
  const graph::Csr chain = {.offsets = {0, 0, 1, 2, 3}, .neighbors = {0, 1, 2}};
  EXPECT_EQ(DepthsFrom(chain, 3), (std::vector<std::int32_t>{3, 2, 1, 0}));
  EXPECT_EQ(DepthsFrom(chain, 0),
            (std::vector<std::int32_t>{0, kUnreached, kUnreached, kUnreached}));
}

TEST(DepthsFrom, AVertexWithoutEdgesReachesItself) {
  const graph::Csr csr =
      graph::BuildCsr({.vertices = 2, .edges = {}, .terminals = {}, .max_length = {}});
  EXPECT_EQ(DepthsFrom(csr, 1), (std::vector<std::int32_t>{kUnreached, 0}));
}

}  // namespace
}  // namespace bfs
