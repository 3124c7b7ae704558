// The CUDA back end: on a driver without a GPU, and on the real one where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "taskrt/block.h"
#include "taskrt/cuda/device.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/cuda/times.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/fake_cuda.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

// Mix, of so many blocks.
FakeCuda::Body MixOf(std::size_t blocks) {
  return {std::vector<std::size_t>(blocks, sizeof(cuda::DevicePointer)),
          [](const FakeLaunch& launch) {
            std::vector<Tile> tiles;
            for (void* const argument : launch.arguments) {
              auto* const data = *static_cast<std::byte**>(argument);
              tiles.push_back({data, 1, Mixed::kInts * sizeof(int), Mixed::kInts * sizeof(int)});
            }
            (void)Mix(tiles, {});
          }};
}
FakeCuda MixingCuda() {
  FakeCuda fake;
  for (const std::size_t blocks : {1, 2, 3}) {
    fake.functions["mix" + std::to_string(blocks)] = MixOf(blocks);
  }
  return fake;
}

MakeKernel OnCuda(bool only_gemm) {
  return [=](cholesky::Kernel which, int accesses) {
    Kernel kernel{std::string(NameOf(which))};
    if (only_gemm && accesses < 3) return kernel.OnHost(Mix);
    return kernel.OnCuda({.function = "mix" + std::to_string(accesses), .image = "fake"});
  };
}

std::unique_ptr<Runtime> MakeRuntime(FakeCuda& fake, int devices, const MoverOptions& mover = {},
                                     bool traces = false) {
  auto found = CudaDevicesOf(FakeDriver(fake), devices);
  EXPECT_TRUE(found.ok()) << found.status();
  RuntimeOptions options;
  options.pool.workers = 2;
  options.mover = mover;
  options.traces = traces;
  options.devices = *std::move(found);
  return *Runtime::Create(std::move(options));
}

void ExpectAllGivenBack(const FakeCuda& fake) {
  EXPECT_EQ(fake.allocations, 0);
  EXPECT_EQ(fake.pinned, 0);
  EXPECT_EQ(fake.program_pins, 0);
  EXPECT_EQ(fake.events, 0);
  EXPECT_EQ(fake.streams, 0);
  EXPECT_EQ(fake.modules, 0);
  EXPECT_EQ(fake.contexts, 0);
}

RuntimeCounts RunMixed(int devices, int count, bool only_gemm, const MoverOptions& mover = {}) {
  FakeCuda fake = MixingCuda();
  Mixed expected(count), mixed(count);
  expected.ComputeAlone();
  RuntimeCounts counts;
  {
    const auto runtime = MakeRuntime(fake, devices, mover);
    const absl::Status done = mixed.Compute(*runtime, OnCuda(only_gemm));
    EXPECT_TRUE(done.ok()) << done;
    counts = runtime->counts();
  }
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  ExpectAllGivenBack(fake);
  EXPECT_EQ(fake.timing_events, 0) << "nobody has asked for a trace";
  return counts;
}

void ExpectCopies(const RuntimeCounts& counts, std::uint64_t in, std::uint64_t out,
                  std::uint64_t across) {
  EXPECT_EQ(counts.copies.h2d.copies, in);
  EXPECT_EQ(counts.copies.d2h.copies, out);
  EXPECT_EQ(counts.copies.d2d.copies, across);
}

TEST(Cuda, CopiesAsTable3Says) { ExpectCopies(RunMixed(1, 32, true), 960, 465, 0); }

TEST(Cuda, CopiesAsTable5SaysBetweenTwoDevices) {
  ExpectCopies(RunMixed(2, 32, true), 1451, 465, 2248);
}

TEST(Cuda, InShortMemoryTheResultIsTheSame) {
  const RuntimeCounts counts =
      RunMixed(2, 8, false, {.device_bytes = 9 * Mixed::kInts * sizeof(int)});
  EXPECT_GT(counts.copies.h2d.copies, 36u);
}

TEST(Cuda, ALibrarysCallsGoToAStreamOfTheDevice) {
  FakeCuda fake;
  std::vector<int> values(Mixed::kInts, 1);
  {
    const auto runtime = MakeRuntime(fake, 1);
    void* seen = nullptr;
    const Kernel library = Kernel("library").OnCudaStream([&](auto tiles, auto, void* stream) {
      seen = stream;
      return Mix(tiles, {});
    });
    const Handle handle = runtime->Register("values", TileOf(values));
    runtime->Submit(library, {{handle, Mode::kOut}});
    ASSERT_TRUE(runtime->Wait().ok());
    EXPECT_NE(seen, nullptr);
    const Kernel fails = Kernel("fails").OnCudaStream(
        [](auto, auto, void*) { return absl::InternalError("the library says no"); });
    runtime->Submit(fails, {{handle, Mode::kInOut}});
    EXPECT_THAT(std::string(runtime->Wait().message()),
                HasSubstr("task fails(inout values): the library says no"));
  }
  ExpectAllGivenBack(fake);
}

// A kernel on the block, whose memory is its own.
void ExpectAKernelAdds(Runtime& runtime, std::size_t ints) {
  Block<int> block(runtime, "own", 1, ints);
  const Kernel adds =
      Kernel("adds").OnCuda({.function = "adds", .image = "fake", .scalar_bytes = {8}});
  const std::uint64_t count = ints;
  for (int i = 0; i < 2; ++i) {
    runtime.Submit(adds, {{block.handle, Mode::kInOut}}, std::as_bytes(std::span(&count, 1)));
  }
  const auto values = block.Read();
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0], 2);
  EXPECT_EQ((*values)[ints - 1], 2);
}

TEST(Cuda, ALargeBlocksOwnMemoryIsPinnedForAllDevices) {
  FakeCuda fake;
  fake.functions["adds"] = {{sizeof(cuda::DevicePointer), 8}, [](const FakeLaunch& launch) {
                              auto* const ints = *static_cast<int**>(launch.arguments[0]);
                              const auto count = *static_cast<std::uint64_t*>(launch.arguments[1]);
                              for (std::uint64_t i = 0; i < count; ++i) ++ints[i];
                            }};
  constexpr std::size_t kLarge = 300'000, kSmall = 1000;
  std::optional<Block<int>> longer;
  {
    const auto runtime = MakeRuntime(fake, 2);
    ExpectAKernelAdds(*runtime, kSmall);
    EXPECT_EQ(fake.direct_copies, 0);
    ExpectAKernelAdds(*runtime, kLarge);
    EXPECT_EQ(fake.direct_copies, 2);
    EXPECT_EQ(fake.program_pins, 0) << "the block has ended";
    fake.refuses_pins = true;
    ExpectAKernelAdds(*runtime, kLarge);
    EXPECT_EQ(fake.direct_copies, 2);
    fake.refuses_pins = false;
    std::vector<int> other(kLarge);
    {
      Block<int> moved(*runtime, "moved", 1, kLarge);
      ASSERT_TRUE(runtime->Resize(moved.handle, TileOf(other)).ok());
    }
    EXPECT_EQ(fake.program_pins, 0) << "its own memory has gone";
    longer.emplace(*runtime, "longer than its runtime", 1, kLarge);
    EXPECT_EQ(fake.program_pins, 1);
  }
  ExpectAllGivenBack(fake);
}

TEST(Cuda, AKernelThatCannotBeLoadedOrFoundIsReported) {
  FakeCuda fake;
  std::vector<int> values(Mixed::kInts, 1);
  const auto runtime = MakeRuntime(fake, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel broken = Kernel("broken").OnCuda({.function = "f", .image = "nonsense"});
  runtime->Submit(broken, {{handle, Mode::kInOut}});
  EXPECT_THAT(std::string(runtime->Wait().message()), HasSubstr("loading f on cuda:0 (fake)"));
  const Kernel absent = Kernel("absent").OnCuda({.function = "f", .image = "fake"});
  runtime->Submit(absent, {{handle, Mode::kInOut}});
  EXPECT_THAT(std::string(runtime->Wait().message()), HasSubstr("named symbol not found"));
}

TEST(Cuda, WhenADeviceIsLostAnotherGoesOn) {
  FakeCuda fake = MixingCuda();
  std::vector<int> values(Mixed::kInts, 1);
  const auto runtime = MakeRuntime(fake, 1);
  const Kernel mix = Kernel("mix").OnCuda({.function = "mix1", .image = "fake"}).OnHost(Mix);
  const Handle handle = runtime->Register("values", TileOf(values));
  runtime->Submit(mix, {{handle, Mode::kInOut}});
  ASSERT_TRUE(runtime->Wait().ok());
  fake.lost_after = 0;
  for (int i = 0; i < 3; ++i) runtime->Submit(mix, {{handle, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(Mixed::kInts, 1 + 4 * 7));
}

TEST(Cuda, ATraceHasTheDevicesOwnTimes) {
  constexpr std::size_t kTasks = 40;
  constexpr int kStreams = 8, kInFlight = 2 * kStreams;
  constexpr auto kLong = std::chrono::microseconds(100);
  FakeCuda fake;
  fake.ahead_ns = 123'456'789'012'345;
  fake.functions["takes long"] = {{sizeof(cuda::DevicePointer)}, [&](const FakeLaunch&) {
                                    const auto end = std::chrono::steady_clock::now() + kLong;
                                    while (std::chrono::steady_clock::now() < end) {
                                    }
                                  }};
  Trace trace;
  {
    const auto runtime = MakeRuntime(fake, 1, {}, true);
    fake.begins_after = kInFlight;  // The host has asked for all of them before it sees an end.
    const Kernel kernel = Kernel("takes long").OnCuda({.function = "takes long", .image = "fake"});
    std::vector<std::vector<int>> values(kTasks, std::vector<int>(Mixed::kInts));
    for (std::vector<int>& one : values) {
      runtime->Submit(kernel, {{runtime->Register("values", TileOf(one)), Mode::kInOut}});
    }
    const absl::Status done = runtime->Wait();
    EXPECT_TRUE(done.ok()) << done;
    trace = runtime->trace();
  }
  ExpectAllGivenBack(fake);
  std::vector<TraceEvent> tasks, copies;
  for (const TraceEvent& event : trace.events) {
    EXPECT_LE(event.asked.ns, event.span.begin_ns);
    EXPECT_LE(event.span.end_ns, event.seen.ns);
    if (event.to != kHost && event.kind == TraceEvent::Kind::kTask) tasks.push_back(event);
    if (event.to != kHost && event.kind == TraceEvent::Kind::kCopy) copies.push_back(event);
  }
  EXPECT_EQ(tasks.size(), kTasks);
  EXPECT_EQ(copies.size(), kTasks);
  // What is learned of a clock meanwhile may move a few.
  constexpr std::int64_t kMoved = 25'000;
  std::size_t moved = 0;
  for (std::size_t i = 1; i < copies.size(); ++i) {
    moved += copies[i - 1].span.end_ns > copies[i].span.begin_ns;
  }
  EXPECT_LE(moved, copies.size() / 4) << "one stream";
  const auto most = [&](auto begin_of, auto end_of) {
    std::ptrdiff_t found = 0;
    for (const TraceEvent& at : tasks) {
      found = std::max(found, std::count_if(tasks.begin(), tasks.end(), [&](const TraceEvent& one) {
                         return begin_of(one) <= begin_of(at) && begin_of(at) < end_of(one);
                       }));
    }
    return found;
  };
  EXPECT_LE(most([](const TraceEvent& event) { return event.span.begin_ns; },
                 [](const TraceEvent& event) { return event.span.end_ns - kMoved; }),
            kStreams);
  EXPECT_GT(most([](const TraceEvent& event) { return event.asked.ns; },
                 [](const TraceEvent& event) { return event.seen.ns; }),
            kInFlight - 1);
  for (const TraceEvent& task : tasks) {
    EXPECT_GE(task.span.end_ns - task.span.begin_ns, 99'000) << "to half a microsecond";
    for (const TraceEvent& copy : copies) {
      if (copy.submit_index != task.submit_index) continue;
      EXPECT_LE(copy.span.end_ns - kMoved, task.span.begin_ns);
    }
  }
}

TEST(Cuda, AfterALongTimeTimesAreAsExactAsAtFirst) {
  FakeCuda fake;
  const cuda::Driver& driver = FakeDriver(fake);
  {
    const auto times = cuda::Times::Create(driver);
    ASSERT_NE(times, nullptr);
    cuda::Stream stream = nullptr;
    driver.StreamCreate(&stream, cuda::kStreamNonBlocking);
    cuda::Event events[2] = {};
    for (cuda::Event& event : events) driver.EventCreate(&event, cuda::kEventDefault);
    std::int64_t now_ns = times->BaseFor(0).seen_ns;
    for (int day = 0; day < 3; ++day) {
      constexpr std::int64_t kDay = 86'400'000'000'000, kPassed = 1'003'000'000;
      const cuda::Times::Base& base = times->BaseFor(now_ns);
      for (const cuda::Event event : events) {
        driver.EventRecord(event, stream);
        while (driver.EventQuery(event) == cuda::kNotReady) {
        }
        fake.ahead_ns += kPassed;
      }
      const auto span = times->Read(base, events[0], events[1]);
      ASSERT_TRUE(span.has_value());
      // And what the host took.
      EXPECT_GE(span->end_ns - span->begin_ns, kPassed - 250);
      EXPECT_LE(span->end_ns - span->begin_ns, kPassed + 2'000'000);
      fake.ahead_ns += kDay;
      now_ns += kDay;
    }
    EXPECT_EQ(&times->BaseFor(0), &times->BaseFor(0)) << "it is not old";
    for (const cuda::Event event : events) driver.EventDestroy(event);
    driver.StreamDestroy(stream);
  }
  EXPECT_EQ(fake.events, 0);
  EXPECT_EQ(fake.streams, 0);
}

TEST(Cuda, WithoutADeviceThatIsSaid) {
  FakeCuda fake;
  fake.devices = 0;
  EXPECT_EQ(CudaDevicesOf(FakeDriver(fake), 1).status().message(), "no CUDA: there is no device");
}

TEST(Cuda, TheRealDriverIsFoundOrReportedInOneSentence) {
  const auto devices = CudaDevices(1);
  if (!devices.ok()) {
    EXPECT_EQ(devices.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(devices.status().message()), HasSubstr("no CUDA: "));
    GTEST_SKIP() << devices.status().message();
  }
  // What goes there comes back.
  std::vector<int> values(1000, 7), back(1000);
  Device& device = *devices->front();
  const auto memory = device.Allocate(values.size() * sizeof(int));
  ASSERT_TRUE(memory.ok()) << memory.status();
  const auto in = device.CopyIn(TileOf(values), *memory, kDone);
  ASSERT_TRUE(in.ok()) << in.status();
  const auto out = device.CopyOut(*memory, TileOf(back), *in);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(device.Wait(*out).ok());
  device.Free(*memory);
  EXPECT_EQ(back, values);
}

}  // namespace
}  // namespace taskrt
