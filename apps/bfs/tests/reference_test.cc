#include "apps/bfs/reference.h"

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

TEST(DepthsFrom, AVertexWithoutEdgesReachesItself) {
  const graph::Csr csr =
      graph::BuildCsr({.vertices = 2, .edges = {}, .terminals = {}, .max_length = {}});
  EXPECT_EQ(DepthsFrom(csr, 1), (std::vector<std::int32_t>{kUnreached, 0}));
}

}  // namespace
}  // namespace bfs
