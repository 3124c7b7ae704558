#include "apps/program/flags.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

topo::Topology MachineWith(const char* description) { return *topo::FromSynthetic(description); }

TEST(AddFlagsTest, EachFillsItsTextAndItsHelpEndsWithTheRemark) {
  CLI::App app;
  std::string policy, workers, topology, json, svg;
  AddPolicyFlag(app, policy, " (default scatter)");
  AddThreadsFlag(app, workers, " (default 2)", "--workers");
  AddTopologyFlag(app, topology);
  AddOutputFlags(app, json, svg, "draw a clock");
  app.parse("--policy=all --workers=1,2 --topology=m.xml --json=- --svg=clock.svg");
  EXPECT_THAT((std::vector{policy, workers, topology, json, svg}),
              ElementsAre("all", "1,2", "m.xml", "-", "clock.svg"));
  EXPECT_THAT(app.help(), HasSubstr("or all (default scatter)"));
  EXPECT_THAT(app.help(), HasSubstr("every allowed PU (default 2)"));
  EXPECT_THAT(app.help(), HasSubstr("draw a clock"));
}

TEST(ParsePoliciesTest, AllIsThePapersFourWithNoneFirst) {
  EXPECT_THAT(*ParsePolicies("all"),
              ElementsAre(topo::Policy::kNone, topo::Policy::kScatter, topo::Policy::kCompact,
                          topo::Policy::kCompactPlus));
}

TEST(ParsePoliciesTest, AListKeepsItsOrderAndNamesEachOnce) {
  EXPECT_THAT(*ParsePolicies("compact+,scatter,compact+"),
              ElementsAre(topo::Policy::kCompactPlus, topo::Policy::kScatter));
}

TEST(ParsePoliciesTest, AWordThatIsNoPolicyIsNamed) {
  EXPECT_THAT(std::string(ParsePolicies("scatter,dense").status().message()), HasSubstr("dense"));
  EXPECT_FALSE(ParsePolicies("").ok());
  EXPECT_FALSE(ParsePolicies("scatter,").ok());
}

TEST(ParseThreadsTest, NothingMeansWhatTheMachineDoesAtOnce) {
  EXPECT_THAT(*ParseThreads("", MachineWith("pack:2 core:3 pu:1"), Oversubscribe::kRefuse),
              ElementsAre(6));
}

TEST(ParseThreadsTest, AllIsThePowersOfTwoAndEveryPu) {
  EXPECT_THAT(*ParseThreads("all", MachineWith("core:6 pu:2"), Oversubscribe::kRefuse),
              ElementsAre(1, 2, 4, 8, 12));
  EXPECT_THAT(*ParseThreads("all", MachineWith("core:8 pu:1"), Oversubscribe::kRefuse),
              ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(*ParseThreads("all", MachineWith("core:1 pu:1"), Oversubscribe::kRefuse),
              ElementsAre(1));
}

TEST(ParseThreadsTest, AListIsSortedAndNamesEachOnce) {
  EXPECT_THAT(*ParseThreads("4,1,4", MachineWith("core:4 pu:1"), Oversubscribe::kRefuse),
              ElementsAre(1, 4));
}

TEST(ParseThreadsTest, MoreThreadsThanPusNeedPermission) {
  const topo::Topology two = MachineWith("core:2 pu:1");
  const auto refused = ParseThreads("3", two, Oversubscribe::kRefuse);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("3 threads on 2 allowed PUs need --oversubscribe"));
  EXPECT_THAT(*ParseThreads("3", two, Oversubscribe::kAllow), ElementsAre(3));
}

TEST(ParseThreadsTest, AWordThatIsNoCountIsRefusedByName) {
  for (const char* text : {"0", "-1", "two", "1.5", "99999999999", "1,,2", "2x", " 2"}) {
    const auto refused = ParseThreads(text, MachineWith("core:2 pu:1"), Oversubscribe::kAllow);
    EXPECT_FALSE(refused.ok()) << text;
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("is not a number")) << text;
  }
}

TEST(PlanMappingsTest, EachPolicyHasEachCountAndIsUnboundOnAnotherMachine) {
  const topo::Topology other = MachineWith("pack:2 core:2 pu:1");
  const auto mappings = PlanMappings("scatter,none", "1,4", other);
  ASSERT_TRUE(mappings.ok()) << mappings.status();
  std::vector<std::pair<topo::Policy, int>> found;
  for (const topo::Mapping& mapping : *mappings) {
    found.emplace_back(mapping.policy(), mapping.size());
    EXPECT_FALSE(mapping.binds());
  }
  using topo::Policy;
  EXPECT_THAT(found, ElementsAre(std::pair(Policy::kScatter, 1), std::pair(Policy::kScatter, 4),
                                 std::pair(Policy::kNone, 1), std::pair(Policy::kNone, 4)));
  EXPECT_THAT(std::string(PlanMappings("scatter", "5", other).status().message()),
              HasSubstr("5 threads on 4 allowed PUs are too many"));
  EXPECT_FALSE(PlanMappings("dense", "1", other).ok());
  EXPECT_TRUE(PlanMappings("compact", "1", *topo::ThisMachine())->front().binds());
}

}  // namespace
}  // namespace program
