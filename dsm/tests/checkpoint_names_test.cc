#include "dsm/checkpoint/checkpoint_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace dsm {
namespace {

TEST(CheckpointNames, HaveTheNumberBeforeTheRank) {
  EXPECT_EQ(CheckpointFile("a/b", 7, 3), "a/b.7.3");
  EXPECT_EQ(CheckpointNumber("b.7.3", "b", 3), 7u);
  EXPECT_EQ(CheckpointFile("b", 0, 3), "b.3") << "of version 0.1";
  EXPECT_EQ(CheckpointNumber("b.3", "b", 3), 0u);
  for (const char* const other :
       {"b.7.4", "b.7.13", "b.7.3.new", "b..3", "b.07.3", "b.0.3", "b.x.3", "b.-1.3", "b7.3",
        "bb.3", "b.7.", "b", "", "c.7.3", "b.99999999999999999999.3"}) {
    EXPECT_FALSE(CheckpointNumber(other, "b", 3)) << other;
  }
}

TEST(CheckpointNames, AreFoundInTheirFolder) {
  const std::string path = std::string(testing::TempDir()) + "/names-" + std::to_string(getpid());
  EXPECT_TRUE(CheckpointNumbers(path, 1).empty());
  for (const char* const end : {".10.1", ".9.1", ".1", ".11.0", ".12.1.new"}) {
    std::ofstream(path + end) << "x";
  }
  EXPECT_EQ(CheckpointNumbers(path, 1), (std::vector<std::uint64_t>{0, 9, 10}));
  for (const char* const end : {".10.1", ".9.1", ".1", ".11.0", ".12.1.new"}) {
    std::remove((path + end).c_str());
  }
  EXPECT_TRUE(CheckpointNumbers("/no/such/folder/a", 0).empty());
}

}  // namespace
}  // namespace dsm
