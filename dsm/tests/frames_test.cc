#include "dsm/cache/frames.h"

#include <gtest/gtest.h>

#include <utility>

namespace dsm {
namespace {

constexpr PageNumber Page(std::uint64_t number) { return PageNumber(number); }

Frames Make(std::uint64_t most) {
  auto frames = Frames::Make(PageCount(most));
  EXPECT_TRUE(frames.ok()) << frames.status();
  return *std::move(frames);
}

TEST(Frames, WithoutABoundThereIsAlwaysRoom) {
  const Frames frames = Make(0);
  EXPECT_TRUE(frames.has_room(PageCount(1 << 30)));
}

TEST(Frames, TheOldestGoesFirst) {
  Frames frames = Make(3);
  for (const std::uint64_t page : {7u, 5u, 9u}) frames.Add(Page(page));
  EXPECT_FALSE(frames.has_room(PageCount(1)));
  EXPECT_EQ(frames.Take(), Page(7));
  EXPECT_FALSE(frames.has_room(PageCount(1))) << "it is in somebody's hands";
  frames.Free();
  EXPECT_TRUE(frames.has_room(PageCount(1)));
  frames.Add(Page(2));
  EXPECT_EQ(frames.Take(), Page(5));
  frames.PutBack(Page(5));
  EXPECT_EQ(frames.Take(), Page(9));
  EXPECT_EQ(frames.Take(), Page(2));
  EXPECT_EQ(frames.Take(), Page(5)) << "what was put back is the youngest";
  EXPECT_EQ(frames.waiting(), 0u);
  EXPECT_EQ(frames.used(), PageCount(3));
}

TEST(Frames, GoesRoundForEver) {
  Frames frames = Make(2);
  frames.Add(Page(0));
  for (std::uint64_t page = 1; page < 1000; ++page) {
    frames.Add(Page(page));
    EXPECT_EQ(frames.Take(), Page(page - 1));
    frames.Free();
  }
  EXPECT_EQ(frames.used(), PageCount(1));
}

}  // namespace
}  // namespace dsm
