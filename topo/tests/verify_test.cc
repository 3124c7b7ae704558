#include "topo/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topo/tests/machines.h"
#include "topo/threads.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

TEST(JudgeThread, ComparesTheMaskFirstAndThePlaceSecond) {
  const PuSet two({PuId{2}});
  const PuSet both({PuId{2}, PuId{3}});
  EXPECT_EQ(JudgeThread(two, two, PuId{2}), "");
  EXPECT_EQ(JudgeThread(PuSet(), both, PuId{3}), "");
  EXPECT_EQ(JudgeThread(two, both, PuId{2}), "asked for PU 2, may run on 2-3");
  EXPECT_EQ(JudgeThread(two, two, PuId{3}), "asked for PU 2, ran on 3");
}

TEST(Verify, ThreadsAndMemoryThatAreWhereTheyWereAskedToBeAreOk) {
  const Topology& here = Here();
  const Mapping mapping = *Plan(here, Policy::kCompact, here.allowed_pus());
  Verifier verifier(here, mapping);
  ASSERT_TRUE(
      RunThreads(here, mapping, [&](const Slot& slot) { verifier.ObserveThisThread(slot); }).ok());
  const auto array = Array<double>::AllocateSliced(here, mapping, 100'000);
  ASSERT_TRUE(array.ok()) << array.status();
  ASSERT_TRUE(FirstTouch(here, mapping, array->memory()).ok());
  verifier.AddMemory("a", array->memory());
  const VerifyReport report = verifier.Finish();
  EXPECT_TRUE(report.ok()) << report.ToString();
  EXPECT_THAT(report.ToString(), HasSubstr("where they were asked to be"));
  for (const ThreadFinding& finding : report.threads) EXPECT_EQ(finding.asked, finding.actual);
}

TEST(Verify, AThreadThatMovedItselfAndOneThatNeverCameAreNamed) {
  const Topology& here = Here();
  if (here.allowed_pus() < 2) GTEST_SKIP() << "needs two allowed PUs";
  const Mapping mapping = *Plan(here, Policy::kCompact, 2);
  Verifier verifier(here, mapping);
  {
    const auto wrong = ScopedAffinity::Pin(here, mapping[1]);
    ASSERT_TRUE(wrong.ok());
    verifier.ObserveThisThread(mapping[0]);
  }
  const VerifyReport report = verifier.Finish();
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.ToString(), HasSubstr("thread 0: asked for PU "));
  EXPECT_THAT(report.ToString(), HasSubstr("thread 1: never reported itself"));
}

TEST(Verify, MemoryAskedForOnAnotherNodeIsCaught) {
  // This machine may have one node: ask for one that it does not have.
  const Topology& here = Here();
  Verifier verifier(here, *Plan(here, Policy::kNone, 1));
  std::vector<std::byte> bytes(3 * BasePageBytes(), std::byte{1});
  verifier.AddMemory("b", bytes, Placement::OnNode(NodeId{static_cast<int>(here.nodes().size())}));
  const VerifyReport report = verifier.Finish();
  if (!report.notes.empty()) GTEST_SKIP() << report.notes[0];
  EXPECT_THAT(report.ToString(), HasSubstr("memory b: "));
  EXPECT_GE(report.memory[0].tally.misplaced, 3);
  EXPECT_EQ(report.memory[0].tally.first_misplaced, 0);
}

TEST(Verify, PolicyNoneAsksForNothingAndReportsWhereThreadsWere) {
  const Topology& here = Here();
  const Mapping mapping = *Plan(here, Policy::kNone, 2);
  Verifier verifier(here, mapping);
  ASSERT_TRUE(
      RunThreads(here, mapping, [&](const Slot& slot) { verifier.ObserveThisThread(slot); }).ok());
  const VerifyReport report = verifier.Finish();
  EXPECT_TRUE(report.ok()) << report.ToString();
  for (const ThreadFinding& finding : report.threads) EXPECT_NE(finding.actual, kAnyPu);
}

}  // namespace
}  // namespace topo
