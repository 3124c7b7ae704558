#include "apps/graph/serialized.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/random/seeds.h"

namespace graph {
namespace {

// One arc 0 -> 1 of two vertices, in the layout of gapbs' writer.h (sbeamer/gapbs b5e3e19).
std::string OneArc() {
  std::string bytes(1, '\1');
  const auto word = [&](std::uint64_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), 8);
  };
  const auto id = [&](std::uint32_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  };
  word(1), word(2);
  word(0), word(1), word(1), id(1);
  word(0), word(0), word(1), id(0);
  return bytes;
}

TEST(Serialized, AnArcStandsInBothCopiesOfTheRows) {
  const auto rows = SerializedRows::Of("g.sg", OneArc());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(EdgesOf(*rows, false).edges, (std::vector<Edge>{{0, 1}}));
  EdgeList list = {.vertices = 2,
                   .direction = Direction::kDirected,
                   .edges = {{0, 1}},
                   .terminals = {},
                   .max_length = {}};
  EXPECT_EQ(*Serialize(list), OneArc());
}

TEST(Serialized, DamagedRowsAreRefused) {
  const auto error = [](std::string bytes) {
    return std::string(SerializedRows::Of("g", bytes).status().message());
  };
  std::string named = OneArc() + std::string("vicinity-ids-01\0", 16);
  for (const std::uint64_t word : {0ull, ~0ull, 0ull}) {
    named.append(reinterpret_cast<const char*>(&word), 8);
  }
  EXPECT_EQ(
      error(named),
      "g: byte 97: found an id above 9223372036854775808, expected the end of the file, or the "
      "ids of its vertices");
  EXPECT_EQ(error("\1"), "g: byte 0: found 1 bytes, expected a header of 17 bytes");
  EXPECT_EQ(error(OneArc().substr(0, 60)),
            "g: byte 60: found the end of the file, expected 2 rows of 1 neighbors, as the header "
            "announces");
  EXPECT_EQ(error(OneArc() + "x"),
            "g: byte 73: found 1 byte, expected the end of the file, or the ids of its vertices");
  std::string bytes = OneArc();
  bytes[41] = 2;
  EXPECT_EQ(error(bytes), "g: byte 41: found vertex 2, expected a vertex from 0 to 1");
  bytes[41] = 0;
  EXPECT_EQ(
      error(bytes),
      "g: byte 17: found arcs that do not stand in both copies of the rows, expected all arcs "
      "in both");
  bytes = OneArc();
  bytes[25] = 3;
  EXPECT_EQ(error(bytes),
            "g: byte 17: found offsets that do not ascend, expected offsets that ascend");
}

TEST(Serialized, RandomListsComeBackWithTheirIds) {
  const std::uint64_t first = random_programs::FirstSeed();
  std::printf("lists from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(300); ++seed) {
    std::mt19937_64 random(seed);
    EdgeList list;
    list.vertices = 1 + random() % 9;
    if (random() % 2 == 0) list.direction = Direction::kDirected;
    for (std::uint64_t i = random() % 20; i > 0; --i) {
      const auto vertex = [&] { return static_cast<Vertex>(random() % list.vertices); };
      list.edges.push_back({vertex(), vertex()});
    }
    const bool has_weights = random() % 2 == 0;
    for (std::size_t i = 0; has_weights && i < list.edges.size(); ++i) {
      list.weights.push_back(static_cast<double>(random() % 100) - 50);
    }
    if (random() % 3 == 0) {
      list.ids = Ids(random() % 2);
    } else if (random() % 2 == 0) {
      std::vector<std::uint64_t> ids;
      for (std::uint64_t v = 0; v < list.vertices; ++v) ids.push_back(v * v + 5);
      list.ids = Ids(ids);
    }
    if (random() % 4 == 0) list.left_vertices = 1 + random() % list.vertices;
    const std::string bytes = *Serialize(list);
    const auto rows = SerializedRows::Of("g", bytes);
    ASSERT_TRUE(rows.ok()) << rows.status() << ", seed " << seed;
    EdgeList back = EdgesOf(*rows, true);
    const auto sorted = [&](EdgeList all) {
      std::vector<std::tuple<Vertex, Vertex, double>> edges;
      for (std::size_t i = 0; i < all.edges.size(); ++i) {
        auto [from, to] = all.edges[i];
        if (list.direction == Direction::kUndirected && from > to) std::swap(from, to);
        edges.emplace_back(from, to, all.weights.empty() ? 0 : all.weights[i]);
      }
      std::sort(edges.begin(), edges.end());
      return edges;
    };
    ASSERT_EQ(sorted(back), sorted(list)) << "seed " << seed;
    ASSERT_EQ(back.ids, list.ids) << "seed " << seed;
    ASSERT_EQ(back.left_vertices, list.left_vertices) << "seed " << seed;
    ASSERT_EQ(back.vertices, list.vertices) << "seed " << seed;
    ASSERT_EQ(back.direction, list.direction) << "seed " << seed;
  }
}

}  // namespace
}  // namespace graph
