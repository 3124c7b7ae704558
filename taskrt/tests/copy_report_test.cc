// A plan before the run, and what is said after it.
#include "taskrt/trace/copy_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

std::unique_ptr<Runtime> MakeRuntime(bool only_plans, bool optimizes,
                                     std::uint64_t device_bytes = 0) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.pool.simulation = lwt::SimulationOptions{};
  options.mover.optimizes = optimizes;
  options.only_plans = only_plans;
  for (int i = 0; i < 2; ++i) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(
        SimulatedDeviceOptions{.memory_bytes = i == 0 ? 0 : device_bytes, .is_dry = true}));
  }
  return *Runtime::Create(std::move(options));
}

// Twice the same program, the second time with all of it at home before. Returns how many bodies
// have run.
int Submit(Runtime& runtime) {
  constexpr int kBlocks = 8;
  int ran = 0;
  std::vector<Kernel> kernels;
  for (const std::string_view name : cholesky::kNames) {
    const auto body = [&](auto, auto) {
      ++ran;
      return absl::OkStatus();
    };
    kernels.emplace_back(std::string(name));
    name == "gemm" ? kernels.back().OnSimulated(body) : kernels.back().OnHost(body);
  }
  std::vector<Handle> handles;
  for (std::size_t i = 0; i < cholesky::BlocksOf(kBlocks); ++i) {
    handles.push_back(runtime.Register("block", {nullptr, 1, 100, 100}));
  }
  const absl::Status done = runtime.Run([&](Runtime& rt) {
    absl::Status status;
    for (int round = 0; round < 2; ++round) {
      cholesky::ForEachTask(kBlocks, [&](const cholesky::Task& task) {
        std::vector<Access> accesses;
        for (const PlannedAccess& access : AccessesOf(task, kBlocks)) {
          accesses.push_back({handles[access.block], access.mode});
        }
        rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
      });
      status.Update(rt.Wait());
    }
    return status;
  });
  EXPECT_TRUE(done.ok()) << done;
  return ran;
}

TEST(Plan, OfTheSameSubmitsIsWhatTheRunCopiesAndNothingIsRunForIt) {
  for (const bool optimizes : {true, false}) {
    const auto plans = MakeRuntime(true, optimizes), runs = MakeRuntime(false, optimizes);
    EXPECT_EQ(Submit(*plans), 0);
    EXPECT_GT(Submit(*runs), 0);
    const auto plan = plans->Plan();
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->copies, runs->counts().copies);
    EXPECT_EQ(plan->least, runs->counts().least);
  }
}

TEST(Plan, ATaskThatNeverFitsIsReportedBeforeTheRun) {
  const auto plans = MakeRuntime(true, true, 250);
  Submit(*plans);
  const auto plan = plans->Plan();
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(plan.status().ToString(), HasSubstr("(gemm) needs 300 bytes"));
}

TEST(CopyReport, ComparesEachKindWithThePlanAndAllOfThemWithTheLeast) {
  const CopyCounts copies = {{960, 3'932'160}, {465, 1'904'640}, {0, 0}};
  EXPECT_EQ(ToText({.copies = copies, .least = {1425, 5'836'800}, .planned = {}}),
            "copies              number        bytes\n"
            "to devices             960      3.93 MB\n"
            "to the host            465      1.90 MB\n"
            "across devices           0          0 B\n"
            "all                   1425      5.84 MB\n"
            "the least             1425      5.84 MB\n");
  const std::string both = ToText({.copies = copies, .least = {}, .planned = copies});
  EXPECT_THAT(both, HasSubstr("   planned   planned bytes\n"));
  EXPECT_THAT(both, HasSubstr("960      3.93 MB       960         3.93 MB\n"));
}

}  // namespace
}  // namespace taskrt
