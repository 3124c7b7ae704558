#include "dsm/home/page_version.h"

#include <gtest/gtest.h>

namespace dsm {
namespace {

TEST(PageVersion, AnUnchangedPageIsNotStale) {
  EXPECT_FALSE(PageVersion().MakesStale(0, 1));
  EXPECT_FALSE(PageVersion(4, 1).MakesStale(0, 5)) << "it was dropped, or fetched, after that";
}

TEST(PageVersion, APageThatAnotherRankChangedInTheEpochIsStaleAndOwnChangesAreNot) {
  EXPECT_TRUE(PageVersion(5, 1).MakesStale(0, 5));
  EXPECT_FALSE(PageVersion(5, 0).MakesStale(0, 5));
  EXPECT_TRUE(PageVersion::ByMany(5).MakesStale(0, 5));
}

TEST(PageVersion, ChangesOfALaterEpochCountAlready) {
  EXPECT_TRUE(PageVersion(6, 1).MakesStale(0, 5));
  EXPECT_TRUE(PageVersion(6, 0).MakesStale(0, 5)) << "what was before it is no longer known";
}

TEST(PageVersion, ChangesOfOneEpochAreOfOneWriterOrOfMany) {
  EXPECT_EQ(PageVersion().With(PageVersion(3, 2)), PageVersion(3, 2));
  EXPECT_EQ(PageVersion(3, 2).With(PageVersion(3, 2)), PageVersion(3, 2));
  EXPECT_EQ(PageVersion(3, 2).With(PageVersion(3, 0)), PageVersion::ByMany(3));
  EXPECT_EQ(PageVersion::ByMany(3).With(PageVersion(3, 0)), PageVersion::ByMany(3));
}

TEST(PageVersion, ALateChangeOfAnEarlierEpochDoesNotHideALaterOne) {
  EXPECT_EQ(PageVersion(4, 1).With(PageVersion(3, 2)), PageVersion(4, 1));
  EXPECT_EQ(PageVersion(3, 1).With(PageVersion(4, 2)), PageVersion(4, 2));
}

TEST(PageVersion, EpochsOfYearsAreDistinct) {
  const std::uint64_t late = (std::uint64_t{1} << 48) - 1;
  EXPECT_TRUE(PageVersion(late, 65534).MakesStale(0, late));
  EXPECT_FALSE(PageVersion(late, 65534).MakesStale(65534, late));
  EXPECT_FALSE(PageVersion(late - (std::uint64_t{1} << 32), 1).MakesStale(0, late));
}

}  // namespace
}  // namespace dsm
