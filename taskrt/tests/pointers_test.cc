// Which block a host pointer means, and what the words of a task do to it.
#include "taskrt/ompc/pointers/pointers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace taskrt {
namespace {

using Fit = Pointers<int>::Fit;

TEST(Pointers, APointerIntoABlockIsThatBlock) {
  Pointers<int> pointers;
  pointers.Add(100, 50, 1);
  EXPECT_EQ(pointers.Find(99), nullptr);
  EXPECT_EQ(pointers.Find(100)->value, 1);
  EXPECT_EQ(pointers.Find(149)->value, 1);
  EXPECT_EQ(pointers.Find(150), nullptr);
  EXPECT_EQ(pointers.Locate(120, 30)->fit, Fit::kInside);
  EXPECT_EQ(pointers.Locate(120, 0)->fit, Fit::kInside);
}

TEST(Pointers, APointerOfUnknownSizeIsItselfAlone) {
  Pointers<int> pointers;
  pointers.Add(100, 0, 1);
  EXPECT_EQ(pointers.Find(100)->value, 1);
  EXPECT_EQ(pointers.Find(101), nullptr);
  EXPECT_EQ(pointers.Locate(100, 0)->fit, Fit::kInside);
  EXPECT_EQ(pointers.Locate(101, 8)->fit, Fit::kNew);
}

TEST(Pointers, AMapThatBeginsWhereABlockDoesAndIsLargerMakesItGrow) {
  Pointers<int> pointers;
  pointers.Add(100, 0, 1);
  pointers.Add(200, 10, 2);
  EXPECT_EQ(pointers.Locate(100, 100)->fit, Fit::kGrows);
  EXPECT_EQ(pointers.Locate(200, 11)->known->value, 2);
  EXPECT_EQ(pointers.Locate(200, 11)->fit, Fit::kGrows);
  EXPECT_EQ(pointers.Locate(200, 10)->fit, Fit::kInside);
}

TEST(Pointers, BlocksThatShareMemoryAreReportedWithBothRanges) {
  Pointers<int> pointers;
  pointers.Add(0x100, 0x50, 1);
  pointers.Add(0x200, 0, 2);
  EXPECT_EQ(pointers.Locate(0x120, 0x40).status().message(),
            "the block [0x120, 0x160) shares memory with [0x100, 0x150) and is no part of it");
  EXPECT_EQ(pointers.Locate(0xf0, 0x11).status().message(),
            "the block [0xf0, 0x101) shares memory with [0x100, 0x150) and is no part of it");
  EXPECT_EQ(pointers.Locate(0x100, 0x101).status().message(),
            "the block [0x100, 0x201) shares memory with 0x200 and is no part of it");
  EXPECT_EQ(pointers.Locate(0xf0, 0x10)->fit, Fit::kNew);
}

TEST(Pointers, ARemovedPointerIsNotKnown) {
  Pointers<int> pointers;
  pointers.Remove(pointers.Add(100, 50, 1));
  EXPECT_EQ(pointers.Find(100), nullptr);
  EXPECT_EQ(pointers.Locate(120, 40)->fit, Fit::kNew);
}

TEST(PointerUse, OutIsReadTooUnlessAllOfItOnlyComesBack) {
  EXPECT_EQ(ModeOf({.in = true}), Mode::kIn);
  EXPECT_EQ(ModeOf({.out = true}), Mode::kInOut) << "as the paper's programs mean it";
  EXPECT_EQ(ModeOf({.in = true, .out = true}), Mode::kInOut);
  EXPECT_EQ(ModeOf({.out = true, .to_host = true, .is_map_whole = true}), Mode::kOut);
  EXPECT_EQ(ModeOf({.to_host = true, .is_map_whole = true}), Mode::kOut);
  EXPECT_EQ(ModeOf({.out = true, .to_host = true}), Mode::kInOut) << "the rest of it stays";
  EXPECT_EQ(ModeOf({.out = true, .to_device = true}), Mode::kInOut);
  EXPECT_EQ(ModeOf({.to_device = true}), Mode::kIn);
  EXPECT_EQ(ModeOf({.to_device = true, .to_host = true, .is_map_whole = true}), Mode::kInOut);
  EXPECT_EQ(ModeOf({.in = true, .to_host = true, .is_map_whole = true}), Mode::kInOut);
}

}  // namespace
}  // namespace taskrt
