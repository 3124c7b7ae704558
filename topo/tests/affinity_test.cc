// Pinning on the machine that runs the test.
#include "topo/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "topo/tests/machines.h"
#include "topo/threads.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

Mapping AllOf(const Topology& topology) {
  return *Plan(topology, Policy::kCompact, topology.allowed_pus());
}

TEST(ScopedAffinity, PutsTheThreadOnItsPuAndGivesBackTheMaskItFound) {
  const Topology& here = Here();
  const PuSet before = *AffinityMask(0);
  const Mapping mapping = AllOf(here);
  for (const Slot& slot : mapping.slots()) {
    {
      const auto pin = ScopedAffinity::Pin(here, slot);
      ASSERT_TRUE(pin.ok()) << pin.status();
      EXPECT_EQ(PuId{sched_getcpu()}, slot.pu);
      EXPECT_EQ(AffinityMask(0)->ToString(), std::to_string(ToInt(slot.pu)));
    }
    EXPECT_EQ(*AffinityMask(0), before);
  }
}

TEST(ScopedAffinity, ScopesNestAndTheCurrentSlotFollows) {
  const Topology& here = Here();
  const Mapping mapping = AllOf(here);
  EXPECT_EQ(CurrentSlot(), nullptr);
  {
    const auto outer = ScopedAffinity::Pin(here, mapping[0]);
    ASSERT_TRUE(outer.ok());
    EXPECT_EQ(*CurrentSlot(), mapping[0]);
    {
      const auto inner = ScopedAffinity::Pin(here, mapping[mapping.size() - 1]);
      ASSERT_TRUE(inner.ok());
      EXPECT_EQ(*CurrentSlot(), mapping[mapping.size() - 1]);
    }
    EXPECT_EQ(*CurrentSlot(), mapping[0]);
    EXPECT_EQ(PuId{sched_getcpu()}, mapping[0].pu);
  }
  EXPECT_EQ(CurrentSlot(), nullptr);
}

TEST(ScopedAffinity, LevelNodeLeavesTheThreadAllPusOfItsNode) {
  const Topology& here = Here();
  const Mapping mapping = AllOf(here);
  const auto pin = ScopedAffinity::Pin(here, mapping[0], Level::kNode);
  ASSERT_TRUE(pin.ok());
  int on_node = 0;
  for (const Slot& slot : mapping.slots()) on_node += slot.node == mapping[0].node;
  EXPECT_EQ(AffinityMask(0)->size(), on_node);
}

TEST(PusOf, LevelsAreNestedOnASimulatedMachine) {
  const Topology machine = Synthetic(kSandybridge);
  const Slot slot = (*Plan(machine, Policy::kCompact, 64))[0];
  EXPECT_EQ(PusOf(machine, slot, Level::kPu).ToString(), "0");
  EXPECT_EQ(PusOf(machine, slot, Level::kCore).ToString(), "0,32");
  EXPECT_EQ(PusOf(machine, slot, Level::kNode).ToString(), "0-7,32-39");
}

TEST(ScopedAffinity, PolicyNoneBindsNothingAndStillHasASlot) {
  const Topology& here = Here();
  const Mapping mapping = *Plan(here, Policy::kNone, 1);
  const PuSet before = *AffinityMask(0);
  const auto pin = ScopedAffinity::Pin(here, mapping[0]);
  ASSERT_TRUE(pin.ok());
  EXPECT_EQ(*AffinityMask(0), before);
  EXPECT_EQ(*CurrentSlot(), mapping[0]);
}

TEST(SetAffinityMask, APuThatDoesNotExistIsRefusedAndAShrunkMaskIsReported) {
  const PuSet before = *AffinityMask(0);
  const absl::Status none = SetAffinityMask(0, PuSet({PuId{4000}}));
  EXPECT_THAT(std::string(none.message()), HasSubstr("cannot bind a thread to PU 4000"));
  EXPECT_EQ(*AffinityMask(0), before);
  PuSet more = before;
  more.Insert(PuId{4000});
  const absl::Status shrunk = SetAffinityMask(0, more);
  EXPECT_EQ(shrunk.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(shrunk.message()),
              HasSubstr("the kernel allowed only " + before.ToString()));
}

TEST(ScopedAffinity, AFailedPinLeavesTheThreadAsItWas) {
  // A topology that claims a PU which this machine does not have.
  MachineDescription machine{.source = "a wrong description", .this_machine = true};
  machine.nodes = {{.id = NodeId{0}, .memory_bytes = 1}};
  machine.pus = {{.id = PuId{4000}, .near = {NodeId{0}}}};
  const Topology wrong(machine);
  const PuSet before = *AffinityMask(0);
  EXPECT_FALSE(ScopedAffinity::Pin(wrong, (*Plan(wrong, Policy::kCompact, 1))[0]).ok());
  EXPECT_EQ(*AffinityMask(0), before);
  EXPECT_EQ(CurrentSlot(), nullptr);
}

TEST(PuSet, PrintsRangesAsTheKernelDoes) {
  EXPECT_EQ(PuSet().ToString(), "nothing");
  EXPECT_EQ(PuSet({PuId{0}, PuId{1}, PuId{2}, PuId{64}, PuId{200}, PuId{201}}).ToString(),
            "0-2,64,200-201");
}

TEST(RunThreads, EachSlotRunsOnceOnItsOwnPuUnderItsName) {
  const Topology& here = Here();
  const Mapping mapping = AllOf(here);
  std::vector<int> runs(mapping.size(), 0);
  const absl::Status status = RunThreads(here, mapping, [&](const Slot& slot) {
    ++runs[slot.thread];
    EXPECT_EQ(PuId{sched_getcpu()}, slot.pu);
    EXPECT_EQ(*CurrentSlot(), slot);
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_EQ(std::string(name), "topo-" + std::to_string(slot.thread));
  });
  EXPECT_TRUE(status.ok()) << status;
  for (int count : runs) EXPECT_EQ(count, 1);
}

TEST(RunThreads, AnExceptionReachesTheCallerAfterAllHaveEnded) {
  const Topology& here = Here();
  const Mapping mapping =
      *Plan(here, Policy::kNone, 3, {.oversubscribe = PlanOptions::Oversubscribe::kAllow});
  std::atomic<int> ended = 0;
  EXPECT_THROW(RunThreads(here, mapping,
                          [&](const Slot& slot) {
                            ++ended;
                            if (slot.thread == 1) throw std::runtime_error("one");
                          })
                   .IgnoreError(),
               std::runtime_error);
  EXPECT_EQ(ended, 3);
}

TEST(RunThreads, NoBodyRunsWhenAThreadCannotBePinned) {
  const Topology elsewhere = Synthetic("pack:1 core:2 pu:1");
  std::atomic<int> runs = 0;
  const absl::Status status =
      RunThreads(elsewhere, *Plan(elsewhere, Policy::kCompact, 2), [&](const Slot&) { ++runs; });
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(runs, 0);
}

TEST(RunThreads, ADescribedMachinesTableRunsUnbound) {
  const Topology described = Synthetic("pack:4 [numa] core:2 pu:1");
  const Mapping mapping = Plan(described, Policy::kScatter, 8)->Unbound();
  EXPECT_FALSE(mapping.binds());
  std::vector<Slot> seen(8);
  const PuSet before = *AffinityMask(0);
  const absl::Status status = RunThreads(described, mapping, [&](const Slot& slot) {
    seen[static_cast<std::size_t>(slot.thread)] = *CurrentSlot();
    EXPECT_EQ(*AffinityMask(0), before);
  });
  ASSERT_TRUE(status.ok()) << status;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(ToInt(seen[static_cast<std::size_t>(i)].node), i % 4);
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].ordinal, i / 4);
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].pu, kAnyPu);
  }
}

TEST(RunThreads, NoBodyRunsWhenAThreadCannotBeStarted) {
  // Stacks larger than the address space: the system refuses every new thread.
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_getattr_default_np(&huge);
  pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::atomic<int> runs = 0;
  const absl::Status status =
      RunThreads(Here(), *Plan(Here(), Policy::kNone, 1), [&](const Slot&) { ++runs; });
  pthread_setattr_default_np(&usual);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot start thread 0 of 1"));
  EXPECT_EQ(runs, 0);
}

TEST(ScopedAffinityDeathTest, EndingOnAnotherThreadIsABrokenContract) {
  EXPECT_DEATH(
      {
        const Mapping mapping = AllOf(Here());
        auto pin = std::make_unique<absl::StatusOr<ScopedAffinity>>(
            ScopedAffinity::Pin(Here(), mapping[0]));
        std::thread([&] { pin.reset(); }).join();
      },
      "ends on another thread than it began on");
}

}  // namespace
}  // namespace topo
