// Which tiles share memory, against what all of their bytes say.
#include "taskrt/task/overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace taskrt {
namespace {

std::byte memory[4096];

Tile TileAt(std::uint64_t at, std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t stride) {
  return {memory + at, rows, row_bytes, stride};
}

bool ShareABytes(const Tile& a, const Tile& b) {
  std::set<const std::byte*> bytes;
  for (std::uint64_t row = 0; row < a.rows; ++row) {
    for (std::uint64_t i = 0; i < a.row_bytes; ++i) bytes.insert(a.data + row * a.stride + i);
  }
  for (std::uint64_t row = 0; row < b.rows; ++row) {
    for (std::uint64_t i = 0; i < b.row_bytes; ++i) {
      if (bytes.contains(b.data + row * b.stride + i)) return true;
    }
  }
  return false;
}

TEST(Overlap, TilesBetweenEachOthersRowsShareNothing) {
  EXPECT_FALSE(Overlap(TileAt(0, 8, 8, 16), TileAt(8, 8, 8, 16)));
  EXPECT_TRUE(Overlap(TileAt(0, 8, 9, 16), TileAt(8, 8, 8, 16)));
  EXPECT_TRUE(Overlap(TileAt(0, 8, 8, 16), TileAt(16 * 7, 8, 8, 16)));
}

TEST(Overlap, RowsThatGoOnBehindTheStrideAreSeen) {
  // Begins in the middle of the first row and ends in the second, where the other one is.
  EXPECT_TRUE(Overlap(TileAt(0, 3, 4, 16), TileAt(12, 2, 8, 16)));
  EXPECT_FALSE(Overlap(TileAt(0, 1, 4, 16), TileAt(12, 2, 8, 16)));
}

TEST(Overlap, ATileOfNothingAndATileNowhereShareNothing) {
  EXPECT_FALSE(Overlap(TileAt(0, 4, 0, 16), TileAt(0, 4, 4, 16)));
  EXPECT_FALSE(Overlap({nullptr, 4, 4, 4}, {nullptr, 4, 4, 4}));
}

TEST(Overlap, IsWhatAllBytesSay) {
  std::mt19937 random(1);
  const auto draw = [&](unsigned most) { return random() % most; };
  int overlaps = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t stride = 4 + draw(12);
    const auto any = [&] {
      const std::uint64_t its = draw(3) == 0 ? 4 + draw(12) : stride;
      return TileAt(draw(80), 1 + draw(5), 1 + draw(static_cast<unsigned>(its)), its);
    };
    const Tile a = any(), b = any();
    EXPECT_EQ(Overlap(a, b), ShareABytes(a, b));
    overlaps += Overlap(a, b) ? 1 : 0;
  }
  EXPECT_GT(overlaps, 1000);
  EXPECT_LT(overlaps, 19000);
}

TEST(Tiles, ATileThatSharesMemoryIsFoundAmongAllOthers) {
  std::mt19937 random(2);
  const auto draw = [&](unsigned most) { return random() % most; };
  for (int round = 0; round < 200; ++round) {
    Tiles<int> tiles;
    std::vector<Tile> added;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t stride = 1 + draw(200);
      const Tile tile =
          TileAt(draw(3000), 1 + draw(5), 1 + draw(static_cast<unsigned>(stride)), stride);
      bool overlaps = false;
      for (const Tile& other : added) overlaps = overlaps || Overlap(tile, other);
      const auto found = tiles.OneThatOverlaps(tile);
      ASSERT_EQ(found.has_value(), overlaps);
      if (found) {
        EXPECT_TRUE(Overlap(added[static_cast<std::size_t>(*found)], tile));
        continue;
      }
      tiles.Add(tile, static_cast<int>(added.size()));
      added.push_back(tile);
    }
    for (const Tile& tile : added) {
      EXPECT_TRUE(tiles.OneThatOverlaps(tile));
      tiles.Remove(tile);
      EXPECT_FALSE(tiles.OneThatOverlaps(tile));
    }
  }
}

}  // namespace
}  // namespace taskrt
