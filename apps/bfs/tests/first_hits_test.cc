#include "apps/bfs/fast/first_hits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bfs {
namespace {

TEST(FirstHits, EveryWayFindsThoseOfTheScalarOne) {
  std::mt19937_64 random(1);
  const FirstHits fastest = FastestFirstHits();
  std::uint64_t found = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::uint64_t> frontier(1 + random() % 40);
    for (std::uint64_t& word : frontier) word = random() & random();
    graph::Vertex first[64];
    for (graph::Vertex& vertex : first) {
      vertex = static_cast<graph::Vertex>(random() % (frontier.size() * 64));
    }
    const std::uint64_t candidates = random() % 4 == 0 ? ~std::uint64_t{0} : random() & random();
    const std::uint64_t hits = FirstHitsScalar(first, frontier.data(), candidates);
    ASSERT_EQ(fastest(first, frontier.data(), candidates), hits) << "round " << i;
    found |= hits;
  }
  EXPECT_EQ(found, ~std::uint64_t{0});
}

TEST(FirstHits, OnlyCandidatesAreHit) {
  const std::vector<std::uint64_t> frontier = {0b100};
  graph::Vertex first[64] = {};
  first[3] = first[63] = 2;
  const std::uint64_t last = std::uint64_t{1} << 63;
  for (const FirstHits hits : {&FirstHitsScalar, FastestFirstHits()}) {
    EXPECT_EQ(hits(first, frontier.data(), ~std::uint64_t{0}), last | 0b1000);
    EXPECT_EQ(hits(first, frontier.data(), last), last);
    EXPECT_EQ(hits(first, frontier.data(), 0), 0u);
  }
}

}  // namespace
}  // namespace bfs
