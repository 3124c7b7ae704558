#include "topo/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "topo/affinity.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

TEST(ThisMachine, HasThePusThatTheKernelSchedulesOn) {
  const absl::StatusOr<Topology> topology = ThisMachine();
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_TRUE(topology->this_machine());
  const PuSet mask = *AffinityMask(getpid());
  EXPECT_EQ(topology->allowed_pus(), mask.size());
  for (PuId pu : mask.pus()) EXPECT_TRUE(topology->Find(pu)->allowed);
  for (const Node& node : topology->nodes()) EXPECT_GT(node.memory_bytes, 0u);
}

TEST(ThisMachine, StaysWhereTheMainThreadsMaskPutIt) {
  const PuSet before = *AffinityMask(getpid());
  if (before.size() < 2) GTEST_SKIP() << "needs two allowed PUs";
  ASSERT_TRUE(SetAffinityMask(getpid(), PuSet({before.pus()[1]})).ok());
  const absl::StatusOr<Topology> topology = ThisMachine();
  ASSERT_TRUE(SetAffinityMask(getpid(), before).ok());
  EXPECT_EQ(topology->allowed_pus(), 1);
  EXPECT_TRUE(topology->Find(before.pus()[1])->allowed);
  EXPECT_FALSE(topology->Find(before.pus()[0])->allowed);
}

TEST(FromSynthetic, ReadsShapeMemoryAndCaches) {
  const Topology topology =
      Synthetic("pack:2 [numa(memory=1073741824)] l3:1(size=1048576) core:3 pu:2");
  EXPECT_EQ(topology.packages(), 2);
  EXPECT_EQ(topology.cores(), 6);
  EXPECT_EQ(topology.allowed_pus(), 12);
  EXPECT_EQ(topology.nodes()[1].memory_bytes, 1073741824u);
  EXPECT_FALSE(topology.this_machine());
  int l3 = 0;
  for (const Cache& cache : topology.caches()) {
    if (cache.level != 3) continue;
    ++l3;
    EXPECT_EQ(cache.size_bytes, 1048576u);
    EXPECT_EQ(cache.pus.size(), 6u);
  }
  EXPECT_EQ(l3, 2);
}

TEST(FromSynthetic, AMalformedStringIsRefusedAtTheWordThatIsWrong) {
  const auto message = [](std::string_view text) {
    const absl::Status status = FromSynthetic(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message("pack:2 [numa] kore:4 pu:2"), HasSubstr("hwloc stops at 'kore:4'"));
  EXPECT_THAT(message("hello"), HasSubstr("hwloc stops at 'hello'"));
  EXPECT_THAT(message("pack:2 core:0 pu:1"), HasSubstr("hwloc stops at 'core:0'"));
}

TEST(FromXml, AMissingFileAndAFileThatHwlocRefusesHaveDifferentErrors) {
  EXPECT_EQ(FromXml("/nonexistent/machine.xml").status().code(), absl::StatusCode::kNotFound);
  const std::string path = testing::TempDir() + "/not_a_topology.xml";
  std::ofstream(path) << "<topology version=\"3.0\"></topology>\n";
  const absl::Status status = FromXml(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path + ": hwloc"));
}

TEST(FromFlag, DistinguishesFilesDescriptionsAndThisMachine) {
  EXPECT_TRUE(FromFlag("")->this_machine());
  EXPECT_EQ(FromFlag("pack:3 core:1 pu:1")->packages(), 3);
  EXPECT_EQ(FromFlag("missing.xml").status().code(), absl::StatusCode::kNotFound);
}

TEST(Binding, IsRefusedByTheTopologyOfAnotherMachine) {
  const Topology elsewhere = Synthetic(kSandybridge);
  const Mapping mapping = *Plan(elsewhere, Policy::kCompact, 1);
  const absl::Status status = ScopedAffinity::Pin(elsewhere, mapping[0]).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another machine"));
}

}  // namespace
}  // namespace topo
