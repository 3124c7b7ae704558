// Without optimization each task of a device copies what it reads, into memory that other tasks
// there have read from: only when they have ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lwt/thread.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

constexpr int kTasks = 6;

// A value: what tasks came to that read one block on one device.
struct Reads {
  int at_once = 0;  // the most
  std::uint64_t copies = 0;
};

Reads ReadsOf(bool optimizes) {
  RuntimeOptions options;
  options.pool.workers = 2;
  options.pool.simulation = lwt::SimulationOptions{};
  options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  options.mover.optimizes = optimizes;
  auto runtime = Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  Reads reads;
  int inside = 0;
  const Kernel kernel = Kernel("reads").OnSimulated([&](auto, auto) {
    reads.at_once = std::max(reads.at_once, ++inside);
    // Others that may begin do.
    for (int i = 0; i < 100; ++i) (void)lwt::Yield();
    --inside;
    return absl::OkStatus();
  });
  std::vector<std::byte> memory(64);
  const Handle block = (*runtime)->Register("block", {memory.data(), 1, 64, 64});
  const absl::Status done = (*runtime)->Run([&](Runtime& rt) {
    for (int i = 0; i < kTasks; ++i) rt.Submit(kernel, {{block, Mode::kIn}});
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  reads.copies = (*runtime)->counts().copies.h2d.copies;
  return reads;
}

TEST(ExclusiveBlocks, OneTaskAtATimeReadsABlockThatTheNextCopiesInAgain) {
  const Reads reads = ReadsOf(false);
  EXPECT_EQ(reads.at_once, 1);
  EXPECT_EQ(reads.copies, static_cast<std::uint64_t>(kTasks));
}

TEST(ExclusiveBlocks, SeveralTasksReadABlockThatIsCopiedOnce) {
  const Reads reads = ReadsOf(true);
  EXPECT_GT(reads.at_once, 1);
  EXPECT_EQ(reads.copies, 1u);
}

}  // namespace
}  // namespace taskrt
