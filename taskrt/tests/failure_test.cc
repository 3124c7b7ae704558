// What goes wrong: devices that are lost or have less memory than they say, tasks that do not do
// what they said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

std::unique_ptr<Runtime> MakeRuntime(const std::vector<SimulatedDeviceOptions>& devices,
                                     bool checks_accesses = false, bool stops_at_errors = true) {
  RuntimeOptions options;
  options.stops_at_errors = stops_at_errors;
  options.pool.workers = 2;
  options.checks_accesses = checks_accesses;
  for (const SimulatedDeviceOptions& device : devices) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(device));
  }
  return *Runtime::Create(std::move(options));
}

TEST(Failure, TasksOfADeviceThatIsLostRunElsewhere) {
  for (const int kernels : {0, 1, 7}) {
    const auto runtime = MakeRuntime(
        {{.name = "sim:0", .kernels_until_lost = kernels}, {.name = "sim:1"}, {.name = "sim:2"}});
    const Kernel mix = Kernel("mix").OnSimulated(Mix).Flops(1e6);
    std::vector<std::vector<int>> values(40, std::vector<int>(Mixed::kInts, 1));
    std::vector<int> source(Mixed::kInts, 3);
    const Handle from = runtime->Register("source", TileOf(source));
    for (std::vector<int>& one : values) {
      runtime->Submit(mix,
                      {{from, Mode::kIn}, {runtime->Register("one", TileOf(one)), Mode::kInOut}});
    }
    // A task that had ended there may have left the only value of its block.
    const absl::Status done = runtime->Wait();
    if (!done.ok()) {
      EXPECT_EQ(done.code(), absl::StatusCode::kDataLoss) << done;
    } else {
      for (const auto& one : values) EXPECT_EQ(one, std::vector<int>(Mixed::kInts, 31 + 3 + 7));
    }
    EXPECT_TRUE(done.ok() || kernels > 0);
    EXPECT_EQ(runtime->counts().tasks, 40u);
    EXPECT_EQ(runtime->counts().tasks_on_devices, 40u);
  }
}

TEST(Failure, ABlockThatOnlyALostDeviceHadIsNamed) {
  const auto runtime = MakeRuntime({{.name = "sim:0", .kernels_until_lost = 1}, {.name = "sim:1"}});
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  std::vector<int> first(Mixed::kInts, 1), second = first, third = first;
  const Handle a = runtime->Register("first", TileOf(first)),
               b = runtime->Register("second", TileOf(second)),
               c = runtime->Register("third", TileOf(third));
  lwt::Event has_ended;
  const Access access = {a, Mode::kInOut};
  runtime->Submit(mix, {&access, 1}, {}, {.ended = &has_ended});  // On sim:0.
  has_ended.Wait();
  runtime->Submit(mix, {{b, Mode::kInOut}});
  runtime->Submit(mix, {{c, Mode::kInOut}});  // On sim:0, which is lost then: on sim:1.
  const absl::Status done = runtime->Wait();
  EXPECT_EQ(done.code(), absl::StatusCode::kDataLoss) << done;
  EXPECT_THAT(std::string(done.message()),
              HasSubstr("the newest value of first was only on sim:0, which is lost"));
  EXPECT_EQ(second, std::vector<int>(Mixed::kInts, 8));
  EXPECT_EQ(third, std::vector<int>(Mixed::kInts, 8));
}

// The tasks that have nothing to do with the block go on; a wait for it says that it is lost.
TEST(Failure, AWaitForALostBlockSaysSoWhereOtherTasksGoOn) {
  for (const Mode mode : {Mode::kIn, Mode::kInOut}) {
    const auto runtime =
        MakeRuntime({{.name = "sim:0", .kernels_until_lost = 1}}, false, /*stops_at_errors=*/false);
    const Kernel mix = Kernel("mix").OnSimulated(Mix).OnHost(Mix);
    std::vector<int> lost(Mixed::kInts, 1), good = lost;
    const Handle a = runtime->Register("lost", TileOf(lost)),
                 b = runtime->Register("good", TileOf(good));
    EXPECT_TRUE(
        runtime->Submit(mix, {{a, Mode::kInOut}}, {}, {.place = DevicePlace(0)}).Wait().ok());
    // The device is lost at this task, which runs on the host then.
    EXPECT_TRUE(
        runtime->Submit(mix, {{b, Mode::kInOut}}, {}, {.place = DevicePlace(0)}).Wait().ok());
    const absl::Status waited = runtime->WaitOn(a, mode);
    EXPECT_EQ(waited.code(), absl::StatusCode::kDataLoss) << waited;
    EXPECT_TRUE(runtime->WaitOn(b).ok());
    EXPECT_EQ(runtime->Wait().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(Failure, ReplicasOfOtherPlacesAreEnoughForALostDevicesBlocks) {
  const auto runtime = MakeRuntime({{.name = "sim:0", .kernels_until_lost = 1}, {.name = "sim:1"}});
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  std::vector<int> values(Mixed::kInts, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  runtime->Submit(mix, {{handle, Mode::kInOut}});  // On sim:0;
  ASSERT_TRUE(runtime->Wait().ok());               // now the host has it, too.
  for (int i = 0; i < 4; ++i) runtime->Submit(mix, {{handle, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 1 + 5 * 7));
}

TEST(Failure, WithoutAnotherPlaceTheLossIsReported) {
  const auto runtime = MakeRuntime({{.name = "sim:0", .kernels_until_lost = 0}});
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  std::vector<int> values(Mixed::kInts, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  runtime->Submit(mix, {{handle, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  EXPECT_THAT(
      std::string(done.message()),
      HasSubstr("task mix(inout values): sim:0 is lost; all devices that can run it are lost"));
  EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 1));
}

TEST(Failure, TheHostRunsWhatItCanWhenTheOnlyDeviceIsLost) {
  const auto runtime = MakeRuntime({{.kernels_until_lost = 0}});
  const Kernel mix = Kernel("mix").OnSimulated(Mix).OnHost(Mix);
  std::vector<int> values(Mixed::kInts, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  for (int i = 0; i < 3; ++i) runtime->Submit(mix, {{handle, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 22));
}

TEST(Failure, ADeviceWithLessMemoryThanItSaysIsUsedWithWhatThereIs) {
  constexpr std::uint64_t kBlock = Mixed::kInts * sizeof(int);
  Mixed expected(8), mixed(8);
  expected.ComputeAlone();
  const auto runtime = MakeRuntime({{.memory_bytes = 30 * kBlock, .taken_bytes = 20 * kBlock}});
  const absl::Status done = mixed.Compute(*runtime, OnSimulated(false));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  EXPECT_GT(runtime->counts().copies.h2d.copies, 36u);
}

TEST(Failure, ATaskThatWritesABlockThatItOnlyReadsIsReported) {
  const auto runtime = MakeRuntime({}, true);
  const Kernel honest = Kernel("honest").OnHost(Mix);
  const Kernel writes = Kernel("writes").OnHost([](std::span<const Tile> tiles, auto) {
    Ints(tiles[0])[Mixed::kInts - 1] = -1;
    return absl::OkStatus();
  });
  std::vector<int> a(Mixed::kInts, 1), b(Mixed::kInts, 1);
  const Handle read = runtime->Register("a", TileOf(a)),
               changed = runtime->Register("b", TileOf(b));
  runtime->Submit(honest, {{read, Mode::kIn}, {changed, Mode::kInOut}});
  EXPECT_TRUE(runtime->Wait().ok());
  runtime->Submit(writes, {{read, Mode::kIn}, {changed, Mode::kInOut}});
  EXPECT_THAT(
      std::string(runtime->Wait().message()),
      HasSubstr("task writes(in a, inout b): it has written a, which it said it only reads"));
}

TEST(Failure, AStatusOfATaskIsNoStatusOfItsDevice) {
  const auto runtime = MakeRuntime({{.name = "sim:0"}, {.name = "sim:1", .kernels_until_lost = 0}});
  int calls = 0;
  const auto refuses = [&](auto, auto) {
    ++calls;
    return absl::UnavailableError("the server is closed");
  };
  const Kernel on_device = Kernel("asks").OnSimulated(refuses);
  const Kernel on_host = Kernel("asks").OnHost(refuses);
  const Kernel mix = Kernel("mix").OnSimulated(Mix);
  std::vector<int> values(Mixed::kInts, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  runtime->Submit(on_device, {{handle, Mode::kIn}});  // On sim:0.
  EXPECT_EQ(runtime->Wait().message(), "task asks(in values): the server is closed");
  EXPECT_EQ(calls, 1);
  runtime->Submit(mix, {{handle, Mode::kInOut}});  // On sim:1, which is lost then: on sim:0.
  EXPECT_TRUE(runtime->Wait().ok());
  runtime->Submit(on_host, {{handle, Mode::kIn}});
  EXPECT_EQ(runtime->Wait().message(), "task asks(in values): the server is closed");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace taskrt
