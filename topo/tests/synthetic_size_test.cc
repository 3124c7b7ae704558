#include "topo/synthetic_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace topo {
namespace {

// The word at which it is refused; empty: it is not.
std::string RefusedAt(std::string_view description) {
  const absl::Status status = CheckSyntheticSize(description);
  if (status.ok()) return "";
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  const std::size_t at = message.find("at '") + 4;
  return message.substr(at, message.find("':", at) - at);
}

TEST(SyntheticSize, MachinesAsTheyAreBuiltAreNotTooLarge) {
  EXPECT_EQ(RefusedAt("pack:4 [numa] core:8 pu:2(indexes=core:pack)"), "");
  EXPECT_EQ(RefusedAt("pack:64 [numa(memory=1TB)] l3:4(size=1073741824) core:32 pu:2"), "");
  EXPECT_EQ(RefusedAt("pack:16 die:4 [numa] core:64 pu:4"), "");
  EXPECT_EQ(RefusedAt("2 4 8"), "");
  EXPECT_EQ(RefusedAt("pack:1 pu:2(indexes=0,65535)"), "");
  EXPECT_EQ(RefusedAt(""), "");
}

TEST(SyntheticSize, SizesAreMultipliedBeforeAnyIsMade) {
  EXPECT_EQ(RefusedAt("pack:100000 core:1000 pu:2"), "pack:100000");
  EXPECT_EQ(RefusedAt("pack:1000 core:1000 pu:2"), "core:1000");
  EXPECT_EQ(RefusedAt("pack:128 core:128 pu:2"), "pu:2");
  EXPECT_EQ(RefusedAt("128 128 2"), "2");
  EXPECT_EQ(RefusedAt("pack:0x8000 pu:1"), "pack:0x8000");
  // Many siblings take hwloc longer than as many in a tree.
  EXPECT_EQ(RefusedAt("pack:8192 pu:1"), "pack:8192");
  EXPECT_EQ(RefusedAt("pack:4294967296 core:4294967296"), "pack:4294967296");
  EXPECT_EQ(RefusedAt("pack:99999999999999999999 pu:1"), "pack:99999999999999999999");
  EXPECT_EQ(RefusedAt("pack:-1 pu:1"), "pack:-1");
}

TEST(SyntheticSize, ANumberThatNoMachineHasIsRefused) {
  EXPECT_EQ(RefusedAt("pack:1 pu:2(indexes=0,65536)"), "pu:2(indexes=0,65536)");
  EXPECT_EQ(RefusedAt("pack:1 [numa(indexes=99999999999999999999 memory=1)] pu:2"),
            "[numa(indexes=99999999999999999999 memory=1)]");
  // Sizes of memory are no numbers of PUs.
  EXPECT_EQ(RefusedAt("pack:1 [numa(memory=99999999999)] pu:2"), "");
}

}  // namespace
}  // namespace topo
