#include "dsm/notices.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace dsm {
namespace {

using Notices = std::vector<Notice>;

TEST(Notices, NeighborsOfOneWriterAreOne) {
  EXPECT_EQ(Merged({{4, 5, 1}, {2, 4, 1}, {7, 8, 1}}), (Notices{{2, 5, 1}, {7, 8, 1}}));
}

TEST(Notices, WhatTwoHaveWrittenIsManys) {
  EXPECT_EQ(Merged({{0, 10, 1}, {4, 6, 2}}),
            (Notices{{0, 4, 1}, {4, 6, kManyWriters}, {6, 10, 1}}));
  EXPECT_EQ(Merged({{0, 2, 1}, {0, 2, 1}}), (Notices{{0, 2, 1}}));
}

TEST(Notices, NothingIsNothing) {
  EXPECT_TRUE(Merged({}).empty());
  EXPECT_TRUE(Merged({{3, 3, 1}}).empty());
}

TEST(Notices, CopiesThatOnlyTheirHolderHasChangedStay) {
  const Notices notices = {{0, 2, 1}, {2, 4, 0}, {6, 7, kManyWriters}};
  EXPECT_EQ(ChangedByOthers(std::vector<std::uint64_t>{0, 1, 2, 5, 6}, notices, 0),
            (std::vector<std::uint64_t>{0, 1, 6}));
  EXPECT_TRUE(ChangedByOthers({}, notices, 0).empty());
  EXPECT_TRUE(ChangedByOthers(std::vector<std::uint64_t>{0, 1}, {}, 0).empty());
}

TEST(Notices, PagesBecomeRanges) {
  EXPECT_EQ(AsRanges(std::vector<std::uint64_t>{1, 2, 3, 7, 9, 10}),
            (std::vector<PageRange>{{1, 4}, {7, 8}, {9, 11}}));
  EXPECT_TRUE(AsRanges({}).empty());
}

TEST(Notices, SayOfEachPageWhatAllSaid) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    Notices notices;
    std::map<std::uint64_t, std::int64_t> expected;
    for (unsigned i = random() % 8; i > 0; --i) {
      const std::uint64_t first = random() % 20, last = first + random() % 6;
      const std::int64_t writer = static_cast<std::int64_t>(random() % 3);
      notices.push_back({first, last, writer});
      for (std::uint64_t page = first; page < last; ++page) {
        const auto [at, is_new] = expected.emplace(page, writer);
        if (!is_new && at->second != writer) at->second = kManyWriters;
      }
    }
    std::map<std::uint64_t, std::int64_t> got;
    std::uint64_t behind = 0;
    for (const Notice& notice : Merged(notices)) {
      EXPECT_GE(notice.first, behind);
      EXPECT_LT(notice.first, notice.last);
      behind = notice.last;
      for (std::uint64_t page = notice.first; page < notice.last; ++page) got[page] = notice.writer;
    }
    EXPECT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace dsm
