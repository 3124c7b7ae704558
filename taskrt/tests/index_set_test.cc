#include "taskrt/task/index_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace taskrt {
namespace {

TEST(IndexSet, IsASet) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    IndexSet set;
    std::set<SubmitIndex> expected;
    for (int i = 0; i < 40; ++i) {
      const SubmitIndex index = random() % 50;
      set.Add(index);
      expected.insert(index);
      std::size_t intervals = 0;
      for (SubmitIndex one = 0; one < 52; ++one) {
        ASSERT_EQ(set.Has(one), expected.contains(one));
        intervals += expected.contains(one) && !(one > 0 && expected.contains(one - 1));
      }
      ASSERT_EQ(set.intervals(), intervals);
    }
  }
}

}  // namespace
}  // namespace taskrt
