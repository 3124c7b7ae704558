#include "dsm/cache/frames.h"

#include <gtest/gtest.h>

#include <utility>

namespace dsm {
namespace {

Frames Make(std::uint64_t most) {
  auto frames = Frames::Make(most);
  EXPECT_TRUE(frames.ok()) << frames.status();
  return *std::move(frames);
}

TEST(Frames, WithoutABoundThereIsAlwaysRoom) {
  const Frames frames = Make(0);
  EXPECT_FALSE(frames.is_bounded());
  EXPECT_TRUE(frames.has_room(1 << 30));
}

TEST(Frames, TheOldestGoesFirst) {
  Frames frames = Make(3);
  for (const std::uint64_t page : {7u, 5u, 9u}) frames.Add(page);
  EXPECT_FALSE(frames.has_room(1));
  EXPECT_EQ(frames.Take(), 7u);
  EXPECT_FALSE(frames.has_room(1)) << "it is in somebody's hands";
  frames.Free();
  EXPECT_TRUE(frames.has_room(1));
  frames.Add(2);
  EXPECT_EQ(frames.Take(), 5u);
  frames.PutBack(5);
  EXPECT_EQ(frames.Take(), 9u);
  EXPECT_EQ(frames.Take(), 2u);
  EXPECT_EQ(frames.Take(), 5u) << "what was put back is the youngest";
  EXPECT_EQ(frames.waiting(), 0u);
  EXPECT_EQ(frames.used(), 3u);
}

TEST(Frames, GoesRoundForEver) {
  Frames frames = Make(2);
  frames.Add(0);
  for (std::uint64_t page = 1; page < 1000; ++page) {
    frames.Add(page);
    EXPECT_EQ(frames.Take(), page - 1);
    frames.Free();
  }
  EXPECT_EQ(frames.used(), 1u);
}

}  // namespace
}  // namespace dsm
