#include "apps/program/terminal.h"

#include <gtest/gtest.h>

namespace program {
namespace {

TEST(TimeLeft, IsRoundedAndSaidOnceItIsKnown) {
  EXPECT_EQ(TimeLeft(1, 0.5), "") << "too early";
  EXPECT_EQ(TimeLeft(100, 0.001), "") << "too little is done";
  EXPECT_EQ(TimeLeft(10, 0.2), ", about 40 s left");
  EXPECT_EQ(TimeLeft(60, 0.1), ", about 9 min left");
  EXPECT_EQ(TimeLeft(3600, 0.25), ", about 3 h left");
  EXPECT_EQ(TimeLeft(10, 1), ", about 0 s left");
}

}  // namespace
}  // namespace program
