#include "llcl/start/binding.h"

#include <gtest/gtest.h>

#include <string>

#include "topo/discover.h"

namespace llcl {
namespace {

topo::Topology Machine(const char* description) {
  auto machine = topo::FromSynthetic(description);
  EXPECT_TRUE(machine.ok()) << machine.status();
  return *std::move(machine);
}

std::string Bound(const char* description, Binding binding, int ranks) {
  const auto sets = BindRanks(Machine(description), binding, ranks);
  if (!sets.ok()) return std::string(sets.status().message());
  std::string text;
  for (const topo::PuSet& pus : *sets) text += (text.empty() ? "" : " ") + pus.ToString();
  return text;
}

// Two nodes of two cores of two PUs: node 0 has the PUs 0 to 3, its first core 0 and 1.
constexpr const char* kMachine = "pack:2 [numa] core:2 pu:2";

TEST(Binding, NoneHasNoSets) { EXPECT_EQ(Bound(kMachine, Binding::kNone, 8), ""); }

TEST(Binding, ACoreIsOneRanksWithAllItsThreads) {
  EXPECT_EQ(Bound(kMachine, Binding::kCore, 2), "0-1 2-3");
  EXPECT_EQ(Bound(kMachine, Binding::kCore, 4), "0-1 2-3 4-5 6-7");
  EXPECT_EQ(Bound(kMachine, Binding::kCore, 5),
            "5 ranks, but there are 4 cores to bind them to; --bind=none lets ranks share cores");
}

TEST(Binding, ANodesRanksFollowEachOther) {
  EXPECT_EQ(Bound(kMachine, Binding::kNuma, 1), "0-3");
  EXPECT_EQ(Bound(kMachine, Binding::kNuma, 2), "0-3 4-7");
  EXPECT_EQ(Bound(kMachine, Binding::kNuma, 5), "0-3 0-3 0-3 4-7 4-7");
}

TEST(Binding, HasANameOfThree) {
  EXPECT_EQ(*ParseBinding("numa"), Binding::kNuma);
  EXPECT_EQ(ParseBinding("socket").status().message(), "'socket': expected none, core or numa");
}

}  // namespace
}  // namespace llcl
