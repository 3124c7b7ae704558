// The paper's tables 3 and 5, and what the rules give beyond them.
#include "taskrt/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using cholesky::Kernel;
using testing::HasSubstr;

// The place of a task: `place(task, number among those that may be offloaded)`.
using Placement = std::function<Place(const cholesky::Task&, int)>;

std::vector<PlannedTask> Tasks(int count, bool only_gemm, const Placement& place) {
  std::vector<PlannedTask> tasks;
  int offloaded = 0;
  cholesky::ForEachTask(count, [&](const cholesky::Task& task) {
    const bool goes = !only_gemm || task.kernel == Kernel::kGemm;
    tasks.push_back({std::string(NameOf(task.kernel)), AccessesOf(task, count),
                     goes ? place(task, offloaded++) : kHost});
  });
  return tasks;
}

Placement RoundRobin(int devices) {
  return [=](const cholesky::Task&, int number) { return 1 + number % devices; };
}

// The owner of the block that is changed, in blocks dealt out in two dimensions.
Placement Owner(int rows, int columns) {
  return [=](const cholesky::Task& task, int) {
    const int row = task.kernel == Kernel::kTrsm ? task.k : task.j, column = task.i;
    return 1 + row % rows * columns + column % columns;
  };
}

std::vector<PlannedBlock> Blocks(int count) {
  return std::vector<PlannedBlock>(cholesky::BlocksOf(count), {.bytes = 1});
}

CopyCounts Plan(int count, const std::vector<PlannedTask>& tasks, const PlanOptions& options = {}) {
  const auto counts = PlanCopies(Blocks(count), tasks, options);
  EXPECT_TRUE(counts.ok()) << counts.status();
  return counts.ok() ? *counts : CopyCounts();
}

// Bytes are as many, of blocks of one byte.
CopyCounts Counts(std::uint64_t h2d, std::uint64_t d2h, std::uint64_t d2d) {
  return {{h2d, h2d}, {d2h, d2h}, {d2d, d2d}};
}

TEST(Plan, TheOrderOfProgram2Has5984TasksOn528Blocks) {
  int tasks = 0, gemms = 0;
  cholesky::ForEachTask(32, [&](const cholesky::Task& task) {
    ++tasks;
    gemms += task.kernel == Kernel::kGemm;
  });
  EXPECT_EQ(tasks, 5984);
  EXPECT_EQ(gemms, 4960);
  EXPECT_EQ(cholesky::BlocksOf(32), 528u);
}

TEST(Plan, Table3) {
  const auto tasks = Tasks(32, true, RoundRobin(1));
  EXPECT_EQ(Plan(32, tasks), Counts(960, 465, 0));
  EXPECT_EQ(Plan(32, tasks, {.optimizes = false}), Counts(14'880, 4'960, 0));
}

TEST(Plan, Table3sClosedFormsForOtherSizes) {
  for (const int n : {2, 4, 8, 16, 64}) {
    const auto back = static_cast<std::uint64_t>((n - 1) * (n - 2) / 2);
    const auto panels = static_cast<std::uint64_t>(n * (n - 1) / 2 - 1);
    EXPECT_EQ(Plan(n, Tasks(n, true, RoundRobin(1))), Counts(panels + back, back, 0)) << n;
  }
}

TEST(Plan, Table5) {
  EXPECT_EQ(Plan(32, Tasks(32, true, RoundRobin(2))), Counts(1451, 465, 2248));
  EXPECT_EQ(Plan(32, Tasks(32, true, RoundRobin(4))), Counts(2418, 465, 3372));
  EXPECT_EQ(Plan(32, Tasks(32, true, RoundRobin(8))), Counts(4234, 465, 3934));
}

TEST(Plan, FromTheNearestDeviceTheHostSendsEachBlockOnce) {
  const PlanOptions nearest = {.source = SourceRule::kNearest};
  EXPECT_EQ(Plan(32, Tasks(32, true, RoundRobin(2)), nearest), Counts(960, 465, 2739));
  EXPECT_EQ(Plan(32, Tasks(32, true, RoundRobin(4)), nearest), Counts(960, 465, 4830));
}

TEST(Plan, TheOwnerOfABlockComputesItAndFewMove) {
  EXPECT_EQ(Plan(32, Tasks(32, true, Owner(1, 2))).copies(), 1889u);
  EXPECT_EQ(Plan(32, Tasks(32, true, Owner(2, 2))).copies(), 2352u);
  const PlanOptions nearest = {.source = SourceRule::kNearest};
  EXPECT_EQ(Plan(32, Tasks(32, true, Owner(1, 2)), nearest), Counts(960, 465, 464));
  EXPECT_EQ(Plan(32, Tasks(32, true, Owner(2, 2)), nearest), Counts(960, 465, 927));
}

TEST(Plan, WithAllKernelsThereEachBlockGoesAndComesOnce) {
  EXPECT_EQ(Plan(32, Tasks(32, false, RoundRobin(1))), Counts(528, 528, 0));
  const PlanOptions nearest = {.source = SourceRule::kNearest};
  EXPECT_EQ(Plan(32, Tasks(32, false, Owner(1, 2)), nearest), Counts(528, 528, 496));
  EXPECT_EQ(Plan(32, Tasks(32, false, Owner(2, 2)), nearest), Counts(528, 528, 992));
}

TEST(Plan, WithoutShortageTheRulesCopyTheLeast) {
  for (const auto& tasks : {Tasks(12, true, RoundRobin(1)), Tasks(12, true, RoundRobin(3)),
                            Tasks(12, true, Owner(2, 2)), Tasks(12, false, RoundRobin(5)),
                            Tasks(12, false, Owner(1, 2))}) {
    const CopyCount least = LeastCopies(Blocks(12), tasks);
    for (const SourceRule source : {SourceRule::kHostFirst, SourceRule::kNearest}) {
      const CopyCounts counts = Plan(12, tasks, {.source = source});
      EXPECT_EQ(counts.copies(), least.copies);
      EXPECT_EQ(counts.h2d.bytes + counts.d2h.bytes + counts.d2d.bytes, least.bytes);
    }
  }
}

TEST(Plan, InShortMemoryTheBlockThatIsUsedLastGoesFirstAndHalfIsCopiedOfLru) {
  const auto tasks = Tasks(32, false, RoundRobin(1));
  const PlanOptions lru = {.device_bytes = 264, .eviction = Eviction::kLeastRecently};
  EXPECT_EQ(Plan(32, tasks, lru).h2d.copies, 4142u);
  EXPECT_EQ(Plan(32, tasks, {.device_bytes = 264}).h2d.copies, 1808u);
  const std::uint64_t ahead = Plan(32, tasks, {.device_bytes = 264, .look_ahead = 200}).h2d.copies;
  EXPECT_GT(ahead, 1808u);
  EXPECT_LT(ahead, 4142u);
}

TEST(Plan, ATaskThatCannotFitIsNamed) {
  const auto tasks = Tasks(8, true, RoundRobin(1));
  EXPECT_TRUE(PlanCopies(Blocks(8), tasks, {.device_bytes = 3}).ok());
  const auto refused = PlanCopies(Blocks(8), tasks, {.device_bytes = 2}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.ToString(), HasSubstr("(gemm) needs 3 bytes at once on a device that has 2"));
}

TEST(Plan, BlocksThatAreNoneAndBlocksTwiceAreRefused) {
  const std::vector<PlannedBlock> blocks = {{1}, {1}};
  const std::vector<PlannedTask> none = {{"a", {{.block = 2}}, kHost}};
  EXPECT_THAT(PlanCopies(blocks, none, {}).status().ToString(), HasSubstr("block 2, of 2"));
  const std::vector<PlannedTask> twice = {{"b", {{.block = 1}, {.block = 1}}, kHost}};
  EXPECT_THAT(PlanCopies(blocks, twice, {}).status().ToString(), HasSubstr("block 1 twice"));
  const std::vector<PlannedTask> far = {{"c", {{.block = 1}}, 64}};
  EXPECT_THAT(PlanCopies(blocks, far, {}).status().ToString(), HasSubstr("place 64, of 64"));
}

TEST(Plan, ABlockThatIsWrittenWithoutBeingReadDoesNotCome) {
  const std::vector<PlannedBlock> blocks = {{100}};
  const std::vector<PlannedTask> tasks = {{"fill", {{0, Mode::kOut}}, 1}};
  const auto counts = PlanCopies(blocks, tasks, {});
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, (CopyCounts{{0, 0}, {1, 100}, {0, 0}}));
}

}  // namespace
}  // namespace taskrt
