#include "llcl/launch/place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace llcl {
namespace {

Place Somewhere() {
  return {.machine = "node7 0b5c",
          .network_namespace = "net:[1]",
          .process_namespace = "pid:[2]",
          .process = 42};
}

TEST(Place, ComesBackFromItsText) {
  const auto back = PlaceOf(ToText(Somewhere()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->machine, "node7 0b5c");
  EXPECT_EQ(back->network_namespace, "net:[1]");
  EXPECT_EQ(back->process_namespace, "pid:[2]");
  EXPECT_EQ(back->process, 42);
}

TEST(Place, IsNotMadeOfOtherText) {
  for (const char* text : {"", "a", "a\nb\nc", "a\nb\nc\n", "a\nb\nc\nx", "a\nb\nc\n-1",
                           "a\nb\nc\n0", "a\nb\nc\n7 ", "a\nb\nc\n7\n"}) {
    EXPECT_FALSE(PlaceOf(text)) << text;
  }
}

TEST(Place, OfThisProcessIsTogetherWithItself) {
  const Place here = ThisPlace();
  EXPECT_EQ(here.process, getpid());
  EXPECT_TRUE(AreTogether({here, here}));
}

TEST(Place, ContainersOfOneMachineAreNotTogether) {
  Place other_network = Somewhere(), other_processes = Somewhere();
  other_network.network_namespace = "net:[3]";
  other_processes.process_namespace = "pid:[3]";
  EXPECT_FALSE(SharesNetwork(Somewhere(), other_network));
  EXPECT_TRUE(SharesProcesses(Somewhere(), other_network));
  EXPECT_TRUE(SharesNetwork(Somewhere(), other_processes));
  EXPECT_FALSE(SharesProcesses(Somewhere(), other_processes));
  EXPECT_FALSE(AreTogether({Somewhere(), other_network}));
  EXPECT_FALSE(AreTogether({Somewhere(), other_processes}));
}

TEST(Place, WithoutANamespaceIsTogetherWithNobody) {
  Place unknown = Somewhere();
  unknown.network_namespace.clear();
  EXPECT_FALSE(SharesNetwork(unknown, unknown));
}

TEST(Place, OfAnotherMachineIsNotTogetherThoughItsNumbersAreTheSame) {
  Place other = Somewhere();
  other.machine = "node8 77aa";
  EXPECT_FALSE(SharesNetwork(Somewhere(), other));
  EXPECT_FALSE(SharesProcesses(Somewhere(), other));
}

TEST(Place, HostsAreNumberedByTheirFirstRanks) {
  Place other = Somewhere(), container = Somewhere();
  other.machine = "node8 77aa";
  container.process_namespace = "pid:[3]";
  const Place here = Somewhere();
  const std::vector<Place> places = {other, here, container, here, other, here};
  EXPECT_EQ(HostsOf(places), (std::vector{0, 1, 2, 1, 0, 1}));
  EXPECT_EQ(HostsOf(places, 2), (std::vector{0, 1, 2, 1, 0, 3}));
  EXPECT_EQ(HostsOf(places, 1), (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(HostsOf({}), std::vector<int>());
}

}  // namespace
}  // namespace llcl
