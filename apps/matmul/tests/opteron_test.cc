#include "apps/matmul/workers/opteron.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace matmul {
namespace {

TEST(OpteronTest, EachSocketHasFourCores) {
  const std::vector<int> sockets = SocketsOfCores();
  ASSERT_EQ(sockets.size(), 32u);
  for (int socket = 0; socket < kSockets; ++socket) {
    EXPECT_EQ(std::count(sockets.begin(), sockets.end(), socket), 4);
  }
}

TEST(OpteronTest, DistancesAreSymmetricAndLeastToOneself) {
  const std::vector<std::uint64_t> distances = SocketDistances();
  ASSERT_EQ(distances.size(), 64u);
  for (std::size_t from = 0; from < 8; ++from) {
    for (std::size_t to = 0; to < 8; ++to) {
      EXPECT_EQ(distances[8 * from + to], distances[8 * to + from]);
      EXPECT_EQ(distances[8 * from + to] == 10, from == to);
    }
  }
  EXPECT_EQ(*std::max_element(distances.begin(), distances.end()), 34u) << "four links";
}

}  // namespace
}  // namespace matmul
