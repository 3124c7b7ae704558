// A file that is not a whole checkpoint is refused, before any page is given out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "dsm/checkpoint/checkpoint_file.h"
#include "tools/random/mangle.h"
#include "tools/random/seeds.h"

namespace dsm {
namespace {

constexpr std::uint64_t kPageBytes = 64;

TEST(MangledCheckpoint, IsRefusedOrHasThePagesThatWereWritten) {
  const std::string file =
      std::string(testing::TempDir()) + "/checkpoint." + std::to_string(getpid());
  const CheckpointHeader header = {
      .ranks = 2, .rank = 1, .page_bytes = kPageBytes, .pages = 10, .dealing = 5, .number = 77};
  const std::vector<std::byte> pages(3 * kPageBytes, std::byte{9});
  CheckpointWriter writer;
  ASSERT_TRUE(writer.Open(file, header).ok());
  ASSERT_TRUE(writer.Add(PageNumber(2), pages).ok());
  ASSERT_TRUE(writer.Add(PageNumber(7), std::span(pages).first(kPageBytes)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(writer.Publish().ok());
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string whole = text.str();
  const std::uint64_t first = random_programs::FirstSeed();
  int whole_ones = 0;
  for (std::uint64_t i = 0; i < random_programs::Programs(4); ++i) {
    SCOPED_TRACE("VICINITY_RANDOM_SEED=" + std::to_string(first + i));
    mangle::Mangler mangler(first + i, {whole});
    for (int inputs = 0; inputs < 1000 && !HasFailure(); ++inputs) {
      const std::string input = mangler.Next();
      std::ofstream(file, std::ios::trunc) << input;
      int given = 0;
      const auto read =
          ReadCheckpoint(file, header, [&](PageNumber page, std::span<const std::byte> bytes) {
            EXPECT_LT(page.value(), 10u);
            EXPECT_EQ(bytes.size(), kPageBytes);
            ++given;
            return absl::OkStatus();
          });
      // The check sum is one of 64 bits: no change is taken for none.
      EXPECT_EQ(read.ok(), input == whole);
      EXPECT_EQ(given, input == whole ? 4 : 0);
      whole_ones += input == whole ? 1 : 0;
    }
  }
  EXPECT_GT(whole_ones, 0) << "inputs without a change are among them";
  std::remove(file.c_str());
}

}  // namespace
}  // namespace dsm
