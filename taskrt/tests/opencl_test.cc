// Real tasks on OpenCL's devices: here PoCL's, which are this machine's processors with memory that
// is not the tasks'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <vector>

#include "taskrt/opencl/device.h"
#include "taskrt/runtime.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

class OpenCl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Before the library is loaded. Two devices with a thread each.
    setenv("POCL_CACHE_DIR", testing::TempDir().c_str(), 1);
    setenv("POCL_DEVICES", "pthread pthread", 1);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
  }
  void SetUp() override {
    if (const auto devices = OpenClDevices(2); !devices.ok()) {
      GTEST_SKIP() << devices.status().message();
    } else if (devices->size() < 2) {
      GTEST_SKIP() << "OpenCL has one device here";
    }
  }

  static std::unique_ptr<Runtime> MakeRuntime(int devices, const MoverOptions& mover = {},
                                              bool traces = false) {
    RuntimeOptions options;
    options.traces = traces;
    options.pool.workers = 2;
    options.mover = mover;
    options.devices = *OpenClDevices(devices);
    auto runtime = Runtime::Create(std::move(options));
    EXPECT_TRUE(runtime.ok()) << runtime.status();
    return *std::move(runtime);
  }
};

constexpr std::size_t kInts = Mixed::kInts;

// Mix, in OpenCL C.
constexpr char kMix[] = R"(
  __kernel void mix1(__global uint* c) {
    const int i = get_global_id(0);
    c[i] = c[i] + 7;
  }
  __kernel void mix2(__global const uint* a, __global uint* c) {
    const int i = get_global_id(0);
    c[i] = c[i] * 31 + a[i] + 7;
  }
  __kernel void mix3(__global const uint* a, __global const uint* b, __global uint* c) {
    const int i = get_global_id(0);
    c[i] = (c[i] * 31 + a[i]) * 31 + b[i] + 7;
  })";
MakeKernel OnOpenCl(bool only_gemm) {
  return [=](cholesky::Kernel which, int accesses) {
    Kernel kernel{std::string(NameOf(which))};
    if (only_gemm && accesses < 3) return kernel.OnHost(Mix);
    return kernel.OnOpenCl(
        {.function = "mix" + std::to_string(accesses), .source = kMix, .global = {kInts}});
  };
}

// Compares with what one thread computes.
RuntimeCounts RunMixed(Runtime& runtime, int count, bool only_gemm) {
  Mixed expected(count), mixed(count);
  expected.ComputeAlone();
  const absl::Status done = mixed.Compute(runtime, OnOpenCl(only_gemm));
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(mixed.blocks(), expected.blocks());
  return runtime.counts();
}

void ExpectCopies(const RuntimeCounts& counts, std::uint64_t in, std::uint64_t out,
                  std::uint64_t across) {
  EXPECT_EQ(counts.copies.h2d.copies, in);
  EXPECT_EQ(counts.copies.d2h.copies, out);
  EXPECT_EQ(counts.copies.d2d.copies, across);
}

TEST_F(OpenCl, CopiesAsTable3Says) {
  const RuntimeCounts counts = RunMixed(*MakeRuntime(1), 32, true);
  ExpectCopies(counts, 960, 465, 0);
  EXPECT_EQ(counts.tasks_on_devices, 4960u);
}

TEST_F(OpenCl, CopiesAsTable5SaysBetweenTwoDevices) {
  ExpectCopies(RunMixed(*MakeRuntime(2), 32, true), 1451, 465, 2248);
}

TEST_F(OpenCl, WithAllOnTheDeviceEachBlockGoesAndComesOnce) {
  ExpectCopies(RunMixed(*MakeRuntime(1), 16, false), 136, 136, 0);
}

constexpr char kAdd1[] = R"(
  __kernel void add1(__global int* nothing, __global int* to) { to[get_global_id(0)] += 1; })";

TEST_F(OpenCl, ABlockWithoutBytesIsAnArgument) {
  const auto runtime = MakeRuntime(2);
  const Handle empty = runtime->Register("empty", Tile{});
  std::vector<int> numbers(kInts, 1);
  const Handle block = runtime->Register("numbers", TileOf(numbers));
  const Kernel add1 =
      Kernel("add1").OnOpenCl({.function = "add1", .source = kAdd1, .global = {kInts}});
  for (int i = 0; i < 4; ++i) {
    runtime->Submit(add1, {{empty, Mode::kInOut}, {block, Mode::kInOut}});
  }
  const absl::Status done = runtime->Wait();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(numbers, std::vector<int>(kInts, 5));
}

TEST_F(OpenCl, InShortMemoryTheResultIsTheSame) {
  const MoverOptions short_memory = {.device_bytes = 9 * kInts * sizeof(int)};
  const RuntimeCounts counts = RunMixed(*MakeRuntime(2, short_memory), 8, false);
  EXPECT_GT(counts.copies.h2d.copies, 36u);
}

TEST_F(OpenCl, RowsThatLieApartGoAndComeAndNothingBetweenThemIsTouched) {
  constexpr int kRows = 3, kColumns = 4, kStride = 7;
  std::vector<int> matrix(kRows * kStride);
  std::iota(matrix.begin(), matrix.end(), 0);
  const std::vector<int> before = matrix;
  const auto runtime = MakeRuntime(1);
  const Handle part =
      runtime->Register("part", {reinterpret_cast<std::byte*>(matrix.data() + 2), kRows,
                                 kColumns * sizeof(int), kStride * sizeof(int)});
  const Kernel scale = Kernel("scale").OnOpenCl(
      {.function = "scale",
       .source = "__kernel void scale(__global int* a, int factor, short more) {"
                 "  const int at = get_global_id(1) * 4 + get_global_id(0);"
                 "  a[at] = a[at] * factor + more;"
                 "}",
       .global = {kColumns, kRows},
       .local = {kColumns, 1},
       .scalar_bytes = {sizeof(int), sizeof(short)}});
  std::byte scalars[sizeof(int) + sizeof(short)];
  const int factor = 100;
  const short more = 5;
  std::memcpy(scalars, &factor, sizeof(factor));
  std::memcpy(scalars + sizeof(factor), &more, sizeof(more));
  runtime->Submit(scale, {{part, Mode::kInOut}}, scalars);
  ASSERT_TRUE(runtime->Wait().ok());
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kStride; ++column) {
      const auto at = static_cast<std::size_t>(row * kStride + column);
      const bool is_part = column >= 2 && column < 2 + kColumns;
      EXPECT_EQ(matrix[at], is_part ? before[at] * factor + more : before[at]) << at;
    }
  }
}

TEST_F(OpenCl, SourceThatDoesNotCompileIsReportedWithTheCompilersMessage) {
  std::vector<int> values = {1};
  const auto runtime = MakeRuntime(1);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel wrong = Kernel("wrong").OnOpenCl(
      {.function = "wrong", .source = "__kernel void wrong(__global int* a) { a[0] = nonsense; }"});
  runtime->Submit(wrong, {{handle, Mode::kInOut}});
  const absl::Status status = runtime->Wait();
  EXPECT_THAT(std::string(status.message()), HasSubstr("task wrong(inout values): wrong: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("nonsense"));
  EXPECT_EQ(values[0], 1);
}

TEST_F(OpenCl, AFunctionThatIsNotThereOrHasOtherArgumentsIsReported) {
  std::vector<int> values = {1};
  const auto runtime = MakeRuntime(1);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel absent = Kernel("absent").OnOpenCl({.function = "mix9", .source = kMix});
  runtime->Submit(absent, {{handle, Mode::kInOut}});
  EXPECT_THAT(std::string(runtime->Wait().message()), HasSubstr("mix9: no such function"));
  const Kernel other = Kernel("other").OnOpenCl({.function = "mix2", .source = kMix});
  runtime->Submit(other, {{handle, Mode::kInOut}});
  EXPECT_THAT(std::string(runtime->Wait().message()), HasSubstr("other arguments"));
}

TEST_F(OpenCl, ABinaryRunsAsItsSourceDoes) {
  const auto devices = OpenClDevices(1);
  const absl::StatusOr<std::string> binary =
      OpenClBinary(*devices->front(), {.function = "mix1", .source = kMix});
  ASSERT_TRUE(binary.ok()) << binary.status();
  const std::string path = testing::TempDir() + "/mix.bin";
  std::ofstream(path, std::ios::binary) << *binary;
  std::vector<int> values(kInts, 1);
  const auto runtime = MakeRuntime(1);
  const Handle handle = runtime->Register("values", TileOf(values));
  const Kernel kernel = Kernel("mix").OnOpenCl(
      {.function = "mix1", .binary_file = path, .global = {kInts}, .units = 2});
  for (int i = 0; i < 3; ++i) runtime->Submit(kernel, {{handle, Mode::kInOut}});
  const absl::Status done = runtime->Wait();
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(kInts, 22));
  const Kernel none = Kernel("none").OnOpenCl({.function = "mix1", .binary_file = path + "2"});
  runtime->Submit(none, {{handle, Mode::kInOut}});
  EXPECT_THAT(std::string(runtime->Wait().message()), HasSubstr("cannot be read"));
}

TEST_F(OpenCl, ABlockThatTheDeviceCannotHoldIsNamed) {
  auto devices = *OpenClDevices(1);
  const std::uint64_t bytes = devices[0]->memory_bytes() + 1;
  RuntimeOptions options;
  options.devices = std::move(devices);
  const auto runtime = *Runtime::Create(std::move(options));
  // It is never read: the task ends before.
  static std::byte byte;
  const Handle handle = runtime->Register("huge", {&byte, 1, bytes, bytes});
  const Kernel kernel = Kernel("touch").OnOpenCl({.function = "mix1", .source = kMix});
  runtime->Submit(kernel, {{handle, Mode::kOut}});
  const absl::Status status = runtime->Wait();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("task touch(out huge)"));
}

// The device's spans of `trace` by what they are of: tasks, or copies to the device.
std::vector<TraceEvent> AtDevice(const Trace& trace, Place place, TraceEvent::Kind kind) {
  std::vector<TraceEvent> events;
  for (const TraceEvent& event : trace.events) {
    if (event.to == place && event.kind == kind) events.push_back(event);
  }
  return events;
}

TEST_F(OpenCl, ATraceHasTheDevicesOwnTimesInWhichAQueueDoesOneAfterTheOther) {
  constexpr std::size_t kTasks = 40, kLong = 50'000;
  const Kernel adds = Kernel("adds").OnOpenCl(
      {.function = "adds",
       .source = "__kernel void adds(__global const volatile uint* from, __global uint* to) {"
                 "  for (int i = 0; i < 50000; ++i) to[0] += from[i];"
                 "}"});
  const auto runtime = MakeRuntime(2, {}, true);
  std::vector<int> from(kLong, 1);
  std::vector<std::vector<int>> to(kTasks, std::vector<int>(1));
  const Handle shared = runtime->Register("from", TileOf(from));
  for (std::vector<int>& one : to) {
    runtime->Submit(adds, {{shared, Mode::kIn},
                           {runtime->Register("to", TileOf(one)),  //
                            Mode::kInOut}});
  }
  const absl::Status done = runtime->Wait();
  ASSERT_TRUE(done.ok()) << done;
  const Trace trace = runtime->trace();
  for (const TraceEvent& event : trace.events) {
    EXPECT_LE(event.asked.ns, event.span.begin_ns) << event.name;
    EXPECT_LE(event.span.begin_ns, event.span.end_ns) << event.name;
    EXPECT_LE(event.span.end_ns, event.seen.ns) << event.name;
  }
  for (const Place place : {1, 2}) {
    const std::vector<TraceEvent> tasks = AtDevice(trace, place, TraceEvent::Kind::kTask);
    const std::vector<TraceEvent> copies = AtDevice(trace, place, TraceEvent::Kind::kCopy);
    EXPECT_EQ(tasks.size(), kTasks / 2);
    EXPECT_EQ(copies.size(), kTasks / 2 + 1);
    // What is learned of a clock meanwhile may move a few; by the host's times they all overlap.
    std::size_t overlap = 0, overlap_by_host = 0;
    for (const std::vector<TraceEvent>& queue : {tasks, copies}) {
      for (std::size_t i = 1; i < queue.size(); ++i) {
        overlap += queue[i - 1].span.end_ns > queue[i].span.begin_ns;
        overlap_by_host += queue[i - 1].seen.ns > queue[i].asked.ns;
      }
    }
    EXPECT_GT(overlap_by_host, 1u);
    EXPECT_LE(overlap, overlap_by_host / 2);
    std::size_t before = 0, all = 0;
    for (const TraceEvent& copy : copies) {
      for (const TraceEvent& task : tasks) {
        if (task.submit_index != copy.submit_index) continue;
        ++all;
        before += copy.span.end_ns <= task.span.begin_ns;
      }
    }
    EXPECT_GE(before, all - all / 4);
  }
}

TEST_F(OpenCl, TimesAreReportedOnceAndOnlyWhereTheyAreRecorded) {
  const auto devices = *OpenClDevices(2);
  devices[1]->RecordTimes();
  std::vector<int> values(1000, 1);
  for (const auto& device : devices) {
    const auto memory = device->Allocate(values.size() * sizeof(int));
    ASSERT_TRUE(memory.ok()) << memory.status();
    const auto copied = device->CopyIn(TileOf(values), *memory, kDone);
    ASSERT_TRUE(copied.ok()) << copied.status();
    ASSERT_TRUE(device->Wait(*copied).ok());
    EXPECT_EQ(device->SpanOf(*copied).has_value(), device == devices[1]);
    EXPECT_FALSE(device->SpanOf(*copied).has_value());
    device->Free(*memory);
  }
}

}  // namespace
}  // namespace taskrt
