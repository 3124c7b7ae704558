#include "taskrt/task/partials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace taskrt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Partials, TheHostHasOneForEachWorkerAndADeviceOne) {
  Partials partials(2, 3);
  EXPECT_EQ(partials.size(), 5u);
  EXPECT_EQ(partials.Take(kHost).index, 0u);
  EXPECT_EQ(partials.Take(kHost).index, 1u);
  EXPECT_EQ(partials.Take(kHost).index, 0u);
  EXPECT_EQ(partials.Take(1).index, 2u);
  EXPECT_EQ(partials.Take(3).index, 4u);
  EXPECT_EQ(partials.Take(3).index, 4u);
}

TEST(Partials, EachIsFirstUsedOnceUntilTheyAreClosed) {
  Partials partials(1, 2);
  EXPECT_TRUE(partials.Take(2).is_first);
  EXPECT_FALSE(partials.Take(2).is_first);
  EXPECT_TRUE(partials.Take(kHost).is_first);
  EXPECT_THAT(partials.Close(), ElementsAre(0, 2));
  EXPECT_THAT(partials.Close(), IsEmpty());
  EXPECT_TRUE(partials.Take(2).is_first);
  EXPECT_THAT(partials.Close(), ElementsAre(2));
}

TEST(Partials, ThoseWithoutAPlaceYetUseAllOfThem) {
  Partials partials(2, 2);
  std::set<std::size_t> used;
  for (int i = 0; i < 4; ++i) used.insert(partials.Take(kWhenReady).index);
  EXPECT_EQ(used.size(), 4u);
}

}  // namespace
}  // namespace taskrt
