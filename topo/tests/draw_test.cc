#include "topo/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "topo/describe.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Every element that opens closes, in order.
void ExpectWellFormed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
  const std::regex_iterator<std::string::const_iterator> end;
  for (std::regex_iterator it(svg.begin(), svg.end(), tag); it != end; ++it) {
    const auto& match = *it;
    if (match[1] == "/") {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), match[2]);
      open.pop_back();
    } else if (match[3] != "/") {
      open.push_back(match[2]);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(DrawSvg, ShowsEveryPackageNodeCoreAndPuOnce) {
  const std::string svg = DrawSvg(Synthetic(kSandybridge));
  ExpectWellFormed(svg);
  EXPECT_EQ(Count(svg, "class=\"package\""), 4);
  EXPECT_EQ(Count(svg, "class=\"node\""), 4);
  EXPECT_EQ(Count(svg, "class=\"core\""), 32);
  EXPECT_EQ(Count(svg, "class=\"pu\""), 64);
  EXPECT_EQ(Count(svg, ">PU 63<"), 1);
}

TEST(DrawSvg, PutsEachThreadOnItsPu) {
  const Topology machine = Synthetic(kSandybridge);
  const std::string svg = DrawSvg(machine, *Plan(machine, Policy::kScatter, 5));
  EXPECT_EQ(Count(svg, "class=\"thread\""), 5);
  EXPECT_EQ(Count(svg, ">t4<"), 1);
}

TEST(DrawSvg, SharedPusAndForbiddenOnesShow) {
  MachineDescription machine{.source = "<odd & machine>"};
  machine.nodes = {{.id = NodeId{0}, .memory_bytes = 1 << 20},
                   {.id = NodeId{1}, .memory_bytes = 1 << 20, .tier = MemoryTier::kFar}};
  machine.pus = {{.id = PuId{0}, .near = {NodeId{0}}},
                 {.id = PuId{1}, .core = 1, .allowed = false, .near = {NodeId{0}}}};
  const Topology topology(machine);
  const std::string svg = DrawSvg(
      topology,
      *Plan(topology, Policy::kCompact, 3, {.oversubscribe = PlanOptions::Oversubscribe::kAllow}));
  ExpectWellFormed(svg);
  EXPECT_THAT(svg, HasSubstr(">t0 +2<"));
  EXPECT_THAT(svg, HasSubstr("&lt;odd &amp; machine"));
  EXPECT_EQ(Count(svg, "class=\"forbidden\""), 1);
  EXPECT_EQ(Count(svg, "class=\"node\""), 2);
}

TEST(DrawSvg, FourPackagesOfWhichThreeWouldFitAreTwoAndTwo) {
  const std::string svg = DrawSvg(Synthetic(kSandybridge));
  const double width = std::stod(svg.substr(svg.find("viewBox=\"0 0 ") + 13));
  EXPECT_LT(width, 700);
  EXPECT_GT(width, 500);
}

TEST(DescribeTree, HasALineForEachPart) {
  const std::string text = DescribeTree(Synthetic("pack:2 [numa(memory=1GB)] core:2 pu:2"));
  EXPECT_THAT(text, HasSubstr("2 packages, 2 NUMA nodes, 4 cores, 8 PUs\n"));
  EXPECT_THAT(text, HasSubstr("      core 3: PU 6,7\n"));
  EXPECT_EQ(Count(text, "\n"), 1 + 2 + 2 + 4);
}

TEST(FormatBytes, UsesTheLargestUnitThatLeavesAtLeastOne) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(32768), "32 KiB");
  EXPECT_EQ(FormatBytes(137438953472), "128 GiB");
  EXPECT_EQ(FormatBytes(11502952448), "10.7 GiB");
}

}  // namespace
}  // namespace topo
