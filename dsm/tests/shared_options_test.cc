// Options that are to be the same on all ranks: the sentence of a difference.
#include "dsm/shared_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace dsm {
namespace {

TEST(SharedOptions, RanksThatAgreeHaveASpace) {
  const std::vector<SharedOptions> all(3, SharedOptionsOf({.handlers = {[](auto&) {}}}, 4096));
  EXPECT_EQ(all[0].handlers, 1u);
  for (const int rank : {0, 1, 2}) EXPECT_EQ(CheckSame(all, rank), absl::OkStatus());
}

TEST(SharedOptions, ADifferentNumberOfHandlersIsNamedWithBothRanksAndNumbers) {
  const std::vector<SharedOptions> all = {{.handlers = 2}, {.handlers = 2}, {.handlers = 5}};
  EXPECT_EQ(
      CheckSame(all, 0).message(),
      "the ranks have different numbers of handlers (SpaceOptions::handlers): 0 has 2, 2 has 5");
  EXPECT_EQ(
      CheckSame(all, 2).message(),
      "the ranks have different numbers of handlers (SpaceOptions::handlers): 2 has 5, 0 has 2");
}

TEST(SharedOptions, DifferentSpacesAreNamedWithBothRanks) {
  const std::vector<SharedOptions> all = {
      {.bytes = 8192, .page_bytes = 4096, .base = 0x10000},
      {.bytes = 8192, .page_bytes = 8192, .base = 0x10000, .finds_races = 1, .handlers = 1}};
  EXPECT_EQ(CheckSame(all, 1).message(),
            "the ranks want different spaces: 1 has 8192 bytes at 0x10000 in pages of 8192, and "
            "finds races, 0 has 8192 bytes at 0x10000 in pages of 4096");
}

}  // namespace
}  // namespace dsm
