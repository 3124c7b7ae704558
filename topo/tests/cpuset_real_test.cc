// A cpuset for real: needs a process that some PU and some NUMA node of the
// machine are forbidden to; numa_guest_test runs this in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "topo/memory.h"
#include "topo/resident.h"
#include "topo/tests/machines.h"
#include "topo/verify.h"

namespace topo {
namespace {

class CpusetReal : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Node& node : Here().nodes())
      (node.allowed ? allowed_ : forbidden_).push_back(node.id);
    if (forbidden_.empty()) GTEST_SKIP() << "needs a cpuset that forbids a NUMA node";
  }
  std::vector<NodeId> allowed_, forbidden_;
};

TEST_F(CpusetReal, ForbiddenPusAreSeenAndNeverPlanned) {
  EXPECT_LT(Here().allowed_pus(), static_cast<int>(Here().pus().size()));
  const Mapping mapping = *Plan(Here(), Policy::kScatter, Here().allowed_pus());
  ASSERT_TRUE(RunThreads(Here(), mapping, [](const Slot&) {}).ok());
  EXPECT_FALSE(Plan(Here(), Policy::kScatter, Here().allowed_pus() + 1).ok());
}

TEST_F(CpusetReal, AForbiddenNodeIsRefusedByNumberBeforeTheKernelIsAsked) {
  const absl::Status status =
      Memory::Allocate(Here(), 1, Placement::OnNode(forbidden_[0])).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(status.message(), "NUMA node " + std::to_string(ToInt(forbidden_[0])) +
                                  " is forbidden to this process by its cpuset");
}

TEST_F(CpusetReal, ANodeMaskThatTheKernelShrinksIsReported) {
  // A topology that believes every node is allowed, as one from before the
  // cpuset was tightened would.
  MachineDescription stale{.source = "stale", .this_machine = true};
  for (const Node& node : Here().nodes()) {
    stale.nodes.push_back(node);
    stale.nodes.back().allowed = true;
  }
  for (const Pu& pu : Here().pus()) stale.pus.push_back(pu);
  const absl::Status status =
      Memory::Allocate(Topology(stale), 1, Placement::Interleave({allowed_[0], forbidden_[0]}))
          .status();
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("the kernel allowed only OS nodes"));
}

TEST_F(CpusetReal, SlicesLieOnAllowedMemoryEvenForThreadsOfOtherNodes) {
  const Mapping mapping = *Plan(Here(), Policy::kCompact, Here().allowed_pus());
  const auto array = Array<char>::AllocateSliced(Here(), mapping, 64 * BasePageBytes());
  ASSERT_TRUE(array.ok()) << array.status();
  std::memset(array->data(), 1, array->size());
  Verifier verifier(Here(), *Plan(Here(), Policy::kNone, 1));
  verifier.AddMemory("a", array->memory());
  for (const MemoryFinding& finding : verifier.Finish().memory) EXPECT_EQ(finding.problem, "");
}

}  // namespace
}  // namespace topo
