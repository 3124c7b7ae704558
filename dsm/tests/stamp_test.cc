#include "dsm/home/stamp.h"

#include <gtest/gtest.h>

namespace dsm {
namespace {

TEST(Stamp, WhatNobodyChangedIsNotStale) {
  EXPECT_FALSE(Stamp().MakesStale(0, 1));
  EXPECT_FALSE(Stamp(4, 1).MakesStale(0, 5)) << "it was dropped, or fetched, after that";
}

TEST(Stamp, WhatAnotherChangedInTheEpochIsStaleAndOnesOwnChangesAreNot) {
  EXPECT_TRUE(Stamp(5, 1).MakesStale(0, 5));
  EXPECT_FALSE(Stamp(5, 0).MakesStale(0, 5));
  EXPECT_TRUE(Stamp::ByMany(5).MakesStale(0, 5));
}

TEST(Stamp, ChangesOfALaterEpochCountAlready) {
  EXPECT_TRUE(Stamp(6, 1).MakesStale(0, 5));
  EXPECT_TRUE(Stamp(6, 0).MakesStale(0, 5)) << "what was before it is no longer known";
}

TEST(Stamp, ChangesOfOneEpochAreOfOneWriterOrOfMany) {
  EXPECT_EQ(Stamp().With(Stamp(3, 2)), Stamp(3, 2));
  EXPECT_EQ(Stamp(3, 2).With(Stamp(3, 2)), Stamp(3, 2));
  EXPECT_EQ(Stamp(3, 2).With(Stamp(3, 0)), Stamp::ByMany(3));
  EXPECT_EQ(Stamp::ByMany(3).With(Stamp(3, 0)), Stamp::ByMany(3));
}

TEST(Stamp, ALateChangeOfAnEarlierEpochDoesNotHideALaterOne) {
  EXPECT_EQ(Stamp(4, 1).With(Stamp(3, 2)), Stamp(4, 1));
  EXPECT_EQ(Stamp(3, 1).With(Stamp(4, 2)), Stamp(4, 2));
}

TEST(Stamp, EpochsOfYearsAreToldApart) {
  const std::uint64_t late = (std::uint64_t{1} << 48) - 1;
  EXPECT_TRUE(Stamp(late, 65534).MakesStale(0, late));
  EXPECT_FALSE(Stamp(late, 65534).MakesStale(65534, late));
  EXPECT_FALSE(Stamp(late - (std::uint64_t{1} << 32), 1).MakesStale(0, late));
}

}  // namespace
}  // namespace dsm
