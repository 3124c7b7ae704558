#include "taskrt/task/replicas.h"

#include <gtest/gtest.h>

namespace taskrt {
namespace {

TEST(Replicas, AReadBringsTheValueOnceAndAWriteLeavesItInOnePlace) {
  Replicas replicas;
  EXPECT_TRUE(replicas.IsOnlyAt(kHost));
  EXPECT_TRUE(replicas.NeedsCopy(2, Mode::kIn));
  EXPECT_TRUE(replicas.NeedsCopy(2, Mode::kInOut));
  EXPECT_TRUE(replicas.NeedsCopy(2, Mode::kCommutative));
  EXPECT_FALSE(replicas.NeedsCopy(2, Mode::kOut));
  EXPECT_FALSE(replicas.NeedsCopy(kHost, Mode::kIn));
  replicas.Arrived(2);
  EXPECT_FALSE(replicas.NeedsCopy(2, Mode::kIn));
  EXPECT_EQ(replicas.count(), 2);
  replicas.Written(2);
  EXPECT_TRUE(replicas.IsOnlyAt(2));
  EXPECT_TRUE(replicas.NeedsCopy(kHost, Mode::kIn));
  replicas.Arrived(kHost);
  replicas.Dropped(2);
  EXPECT_TRUE(replicas.IsOnlyAt(kHost));
}

TEST(Replicas, TheHostIsAskedFirstOrLast) {
  Replicas replicas;
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kHostFirst), kHost);
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kNearest), kHost);
  replicas.Arrived(3);
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kHostFirst), kHost);
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kNearest), 3);
  replicas.Written(3);
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kHostFirst), 3);
  EXPECT_EQ(replicas.SourceFor(kHost, SourceRule::kNearest), 3);
}

TEST(Replicas, OfSeveralDevicesTheNextOneIsAsked) {
  Replicas replicas(2);
  replicas.Arrived(5);
  replicas.Arrived(63);
  EXPECT_EQ(replicas.SourceFor(1, SourceRule::kNearest), 2);
  EXPECT_EQ(replicas.SourceFor(3, SourceRule::kNearest), 5);
  EXPECT_EQ(replicas.SourceFor(6, SourceRule::kNearest), 63);
  replicas.Dropped(63);
  EXPECT_EQ(replicas.SourceFor(62, SourceRule::kNearest), 2) << "around";
  EXPECT_EQ(replicas.SourceFor(63, SourceRule::kNearest), 2) << "the last device";
}

TEST(Replicas, ABlockIsWrittenBackFromItsWriterIfThatHasItStill) {
  Replicas replicas;
  replicas.Written(3);
  replicas.Arrived(1);
  EXPECT_EQ(replicas.SourceFor(kHost, SourceRule::kNearest), 3);
  replicas.Dropped(3);
  EXPECT_EQ(replicas.SourceFor(kHost, SourceRule::kNearest), 1);
}

}  // namespace
}  // namespace taskrt
