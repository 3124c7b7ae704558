#include "llcl/launch/refusals.h"

#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

// The line, or a dash.
std::string Say(Refusals& refusals, std::int64_t now_ms) {
  return refusals.Add("host:1", "why", now_ms).value_or("-");
}

TEST(Refusals, EachOfTheFirstHasALine) {
  Refusals refusals;
  for (int i = 0; i < Refusals::kNamed; ++i) {
    EXPECT_EQ(Say(refusals, 5), "turned away host:1: why");
  }
  EXPECT_EQ(refusals.Rest(), std::nullopt);
  EXPECT_EQ(refusals.count(), Refusals::kNamed);
}

TEST(Refusals, TheNextHaveALineASecondThatCountsThem) {
  Refusals refusals;
  for (int i = 0; i < Refusals::kNamed; ++i) (void)Say(refusals, 5000);
  const struct {
    std::int64_t now_ms;
    const char* line;
  } table[] = {
      {5000, "-"},
      {5999, "-"},
      {6000, "turned away host:1: why; and 2 others since the last line"},
      {6001, "-"},
      {9000, "turned away host:1: why; and 1 others since the last line"},
      {10000, "turned away host:1: why"},
  };
  for (const auto& row : table) EXPECT_EQ(Say(refusals, row.now_ms), row.line) << row.now_ms;
  EXPECT_EQ(refusals.Rest(), std::nullopt);
}

TEST(Refusals, AFloodIsCountedAtTheEnd) {
  Refusals refusals;
  int lines = 0;
  // 30,000 in 30 seconds.
  for (int i = 0; i < 30000; ++i) lines += Say(refusals, i) == "-" ? 0 : 1;
  EXPECT_EQ(lines, Refusals::kNamed + 29);
  EXPECT_EQ(refusals.Rest(), "turned away 992 more, 30000 in all");
}

}  // namespace
}  // namespace llcl
