#include "llcl/executor/counts_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace llcl {
namespace {

TEST(CountsLine, SaysWhatOneRankHasAskedForAndWhatCameOfIt) {
  EXPECT_EQ(CountsLine({.rank = 3,
                        .size = 8,
                        .conduit = "tcp",
                        .lived_ms = 12499,
                        .accepted = {{"read", 1200, 4928307}, {"atomic", 1}, {"answer", 0}},
                        .refused = {{"posted", 0}, {"full", 4}, {"no tag", 1000}},
                        .failed = {{"late", 2}},
                        .sleeps = 5,
                        .wakings = 1}),
            "llcl: rank 3 of 8: tcp, 12.4 s; 1,200 reads 4.6 MiB, 1 atomic, 0 answers; "
            "refused: 4 full, 1,000 no tag; failed: 2 late; 5 sleeps, 1 waking\n");
}

TEST(CountsLine, LeavesOutReasonsThatWereNotGiven) {
  EXPECT_EQ(CountsLine({.conduit = "smp", .refused = {{"full", 0}}, .failed = {{"late", 0}}}),
            "llcl: rank 0 of 1: smp, 0.0 s; 0 sleeps, 0 wakings\n");
}

TEST(CountsLine, GroupsDigitsAndCutsBytes) {
  const auto of = [](std::uint64_t count, std::uint64_t bytes) {
    const std::string line = CountsLine({.accepted = {{"read", count, bytes}}});
    const std::size_t from = line.find("; ") + 2;
    return line.substr(from, line.find("; ", from) - from);
  };
  EXPECT_EQ(of(999, 1023), "999 reads 1023 B");
  EXPECT_EQ(of(1000, 1024), "1,000 reads 1.0 KiB");
  EXPECT_EQ(of(1234567, 1024 * 1024 - 1), "1,234,567 reads 1,023.9 KiB");
  EXPECT_EQ(of(2, 1024 * 1024), "2 reads 1.0 MiB");
  EXPECT_EQ(of(UINT64_MAX, UINT64_MAX), "18,446,744,073,709,551,615 reads 15.9 EiB");
}

}  // namespace
}  // namespace llcl
