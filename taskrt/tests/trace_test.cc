// What is recorded of runs on simulated devices, and what the writers make of it.
#include "taskrt/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/trace/timeline_svg.h"
#include "taskrt/trace/trace_json.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = TraceEvent::Kind;

std::uint64_t Count(const Trace& trace, Kind kind) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.events.begin(), trace.events.end(),
                    [&](const TraceEvent& event) { return event.kind == kind; }));
}

enum class Workers { kSimulated, kReal };

// A Cholesky factorization without numbers: gemm on the devices, the rest on the host.
class Traced {
 public:
  explicit Traced(int devices, bool optimizes = true, int count = 12,
                  const SimulatedDeviceOptions& device = {.is_dry = true},
                  Workers workers = Workers::kSimulated) {
    RuntimeOptions options;
    options.pool.workers = 4;
    if (workers == Workers::kSimulated) options.pool.simulation = lwt::SimulationOptions{};
    options.mover.optimizes = optimizes;
    options.traces = true;
    for (int i = 0; i < devices; ++i) {
      SimulatedDeviceOptions numbered = device;
      numbered.name = "sim:" + std::to_string(i);
      options.devices.push_back(std::make_unique<SimulatedDevice>(numbered));
    }
    auto runtime = *Runtime::Create(std::move(options));
    std::vector<Kernel> kernels;
    for (const std::string_view name : cholesky::kNames) {
      kernels.emplace_back(std::string(name)).Flops(2e7);
      const auto body = [](auto, auto) { return absl::OkStatus(); };
      name == "gemm" ? kernels.back().OnSimulated(body) : kernels.back().OnHost(body);
    }
    std::vector<Handle> handles;
    for (std::size_t i = 0; i < cholesky::BlocksOf(count); ++i) {
      handles.push_back(runtime->Register("block" + std::to_string(i), {nullptr, 1, 4096, 4096}));
    }
    const absl::Status done = runtime->Run([&](Runtime& rt) {
      cholesky::ForEachTask(count, [&](const cholesky::Task& task) {
        std::vector<Access> accesses;
        for (const PlannedAccess& access : AccessesOf(task, count)) {
          accesses.push_back({handles[access.block], access.mode});
        }
        rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses);
      });
      return rt.Wait();
    });
    EXPECT_TRUE(done.ok()) << done;
    counts = runtime->counts();
    trace = runtime->trace();
    end_ns = runtime->pool().simulated_ns();
  }
  RuntimeCounts counts;
  Trace trace;
  double end_ns = 0;
};

TEST(Trace, EachTaskAndEachCopyThatWasCountedIsInIt) {
  for (const bool optimizes : {true, false}) {
    const Traced run(2, optimizes);
    EXPECT_EQ(Count(run.trace, Kind::kTask), run.counts.tasks);
    CopyCounts copies;
    for (const TraceEvent& event : run.trace.events) {
      if (event.kind != Kind::kCopy) continue;
      CopyCount& count = copies.Of(event.from, event.to);
      ++count.copies;
      count.bytes += event.bytes;
    }
    EXPECT_EQ(copies, run.counts.copies);
    EXPECT_GT(Count(run.trace, Kind::kAllocate), 0u);
  }
}

TEST(Trace, OnRealWorkersToo) {
  const Traced run(2, true, 12, {.is_dry = true}, Workers::kReal);
  EXPECT_EQ(Count(run.trace, Kind::kTask), run.counts.tasks);
  EXPECT_EQ(Count(run.trace, Kind::kCopy), run.counts.copies.copies());
  for (const TraceEvent& event : run.trace.events) {
    EXPECT_GE(event.asked.ns, 0);
    EXPECT_LE(event.asked.ns, event.span.begin_ns);
    EXPECT_LE(event.span.end_ns, event.seen.ns);
    EXPECT_LT(event.asked.worker, run.trace.workers);
  }
}

TEST(Trace, IsEmptyUnlessItWasAskedFor) {
  const auto runtime = *Runtime::Create({});
  std::vector<std::byte> bytes(8);
  const Handle handle = runtime->Register("bytes", {bytes.data(), 1, 8, 8});
  const Kernel nothing = Kernel("nothing").OnHost([](auto, auto) { return absl::OkStatus(); });
  runtime->Submit(nothing, {{handle, Mode::kInOut}});
  EXPECT_TRUE(runtime->Wait().ok());
  EXPECT_TRUE(runtime->trace().events.empty());
}

TEST(Trace, ADeviceDoesOneKernelAtATimeAndAKernelComesAfterItsCopies) {
  const Traced run(2);
  std::vector<std::int64_t> busy_until(2);
  std::map<SubmitIndex, std::int64_t> begins;
  for (const TraceEvent& event : run.trace.events) {
    EXPECT_LE(event.span.begin_ns, event.span.end_ns);
    EXPECT_LE(static_cast<double>(event.span.end_ns), run.end_ns);
    EXPECT_LE(event.asked.ns, event.span.begin_ns);
    EXPECT_LE(event.span.end_ns, event.seen.ns);
    if (event.kind != Kind::kTask || event.to == kHost) continue;
    begins[event.submit_index] = event.span.begin_ns;
    std::int64_t& until = busy_until[static_cast<std::size_t>(event.to - 1)];
    EXPECT_LE(until, event.span.begin_ns);
    until = event.span.end_ns;
    // 2e7 operations at 1e13 a second, and the latency.
    EXPECT_EQ(event.span.end_ns - event.span.begin_ns, 12'000);
  }
  for (const TraceEvent& event : run.trace.events) {
    const auto kernel = begins.find(event.submit_index);
    if (event.kind != Kind::kCopy || event.to == kHost || kernel == begins.end()) continue;
    EXPECT_LE(event.span.end_ns, kernel->second);
  }
}

TEST(Trace, AnAllocationHoldsUpItsWorkerAndWhatIsFreeTakesNoTime) {
  const Traced run(1);
  for (const TraceEvent& event : run.trace.events) {
    if (event.kind != Kind::kAllocate) continue;
    EXPECT_GE(event.span.end_ns - event.span.begin_ns, 180'000);
    EXPECT_GE(event.asked.worker, 0);
  }
  const Traced free(1, true, 12,
                    {.link_bytes_per_s = std::numeric_limits<double>::infinity(),
                     .allocation_s = 0,
                     .is_dry = true});
  for (const TraceEvent& event : free.trace.events) {
    if (event.kind == Kind::kTask) continue;
    EXPECT_EQ(event.span.end_ns, event.span.begin_ns);
  }
}

nlohmann::json Parse(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  EXPECT_TRUE(json.is_object()) << text.substr(0, 1000);
  return json["traceEvents"];
}

TEST(ChromeTrace, HasASliceForEachEventInRowsWithNamesWhereNothingOverlaps) {
  const Traced run(2);
  std::uint64_t slices = 0;
  std::map<std::pair<int, int>, std::string> rows;
  std::set<std::string> processes;
  std::map<std::pair<int, int>, double> free_from;
  const nlohmann::json events = Parse(ToChromeTrace(run.trace));
  for (const nlohmann::json& event : events) {
    if (event["name"] == "thread_name") {
      rows[{event["pid"], event["tid"]}] = event["args"]["name"];
    } else if (event["name"] == "process_name") {
      processes.insert(event["args"]["name"].get<std::string>());
    }
  }
  for (const nlohmann::json& event : events) {
    if (event["ph"] != "X") continue;
    ++slices;
    const std::pair<int, int> row(event["pid"], event["tid"]);
    ASSERT_TRUE(rows.contains(row));
    EXPECT_GE(event["ts"].get<double>(), free_from[row] - 1e-3) << rows[row];
    free_from[row] = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_EQ(slices, run.trace.events.size());
  EXPECT_EQ(processes, (std::set<std::string>{"host", "sim:0", "sim:1"}));
  EXPECT_EQ((rows[{0, 3}]), "worker 3");
  EXPECT_EQ((rows[{1, 0}]), "kernels");
  EXPECT_EQ((rows[{2, 1}]), "copies in");
  EXPECT_EQ((rows[{2, 2}]), "copies out");
  EXPECT_EQ((rows[{1, 3}]), "from other devices");
}

TraceEvent HostTask(const std::string& name, std::int64_t begin, std::int64_t end) {
  return {
      .name = name, .submit_index = 7, .asked = {0, begin}, .span = {begin, end}, .seen = {0, end}};
}

TEST(ChromeTrace, TimesAreMicrosecondsToTheNanosecondHoweverLateTheyAre) {
  const Trace trace = {.workers = 1,
                       .devices = {},
                       .events = {HostTask("late", 123'456'789'012'345, 123'456'789'012'346)}};
  EXPECT_THAT(ToChromeTrace(trace), HasSubstr(R"("ts":123456789012.345,"dur":0.001)"));
}

TEST(ChromeTrace, NamesMayHaveAnyCharacters) {
  const std::string name = "a \"b\\c\" <d>\n&\x01 µ";
  Trace trace = {.workers = 1, .devices = {name}, .events = {HostTask(name, 0, 5)}};
  int found = 0;
  for (const nlohmann::json& event : Parse(ToChromeTrace(trace))) {
    found += event["name"] == name;
    found +=
        event.contains("args") && event["args"].contains("name") && event["args"]["name"] == name;
  }
  EXPECT_EQ(found, 2);
  const std::string svg = ToSvg(trace, {.title = name});
  EXPECT_THAT(svg, HasSubstr("a &quot;b\\c&quot; &lt;d&gt;&amp; µ"));
  EXPECT_THAT(svg, Not(HasSubstr("<d>")));
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Timeline, HasTheColorsOfTable6AndARowForEachWorkerAndDevice) {
  const std::string svg = ToSvg(Traced(2).trace, {.title = "two devices", .time = "virtual time"});
  for (const char* entry :
       {">potrf<", ">trsm<", ">syrk<", ">gemm<", ">task end<", ">copy to a device<",
        ">copy to the host<", ">copy across devices<", ">allocation<", "virtual time, ms", ">03<",
        ">04 sim:0<", ">05 sim:1<", "<title>two devices</title>"}) {
    EXPECT_EQ(CountOf(svg, entry), 1) << entry;
  }
  for (const char* color :
       {"#ffffff", "#3fbf5f", "#ffe14d", "#4d8dff", "#9a9a9a", "#ff9a2e", "#ff9ecb", "#ff4040"}) {
    EXPECT_GE(CountOf(svg, std::string("<path fill=\"") + color), 1) << color;
  }
  EXPECT_EQ(CountOf(svg, "<path "), CountOf(svg, "/>") - CountOf(svg, "<rect ")) << "well-formed";
}

TEST(Timeline, ATaskIsAsWideAsItIsLong) {
  const Trace trace = {
      .workers = 1, .devices = {}, .events = {HostTask("potrf", 0, 400), HostTask("x", 400, 1000)}};
  // 1000 pixels are left of 1088 for all of it.
  const std::string svg = ToSvg(trace, {.title = "", .width = 1088});
  EXPECT_THAT(svg, HasSubstr("<path fill=\"#ffffff\" d=\"M76 60h400v9.6h-400z\"/>"));
  EXPECT_THAT(svg, HasSubstr("d=\"M476 60h600v9.6h-600z\"/>"));
}

TEST(Timeline, AHundredThousandTasksAreAPictureOfBoundedSizeAndOfWhatTookTheMost) {
  Trace trace = {.workers = 2, .devices = {}, .events = {}};
  for (int i = 0; i < 100'000; ++i) {
    trace.events.push_back(HostTask("trsm", 100 * i, 100 * i + 70));
    trace.events.push_back(HostTask("syrk", 100 * i + 70, 100 * i + 100));
  }
  const std::string svg = ToSvg(trace, {});
  EXPECT_LT(svg.size(), 3000u);
  EXPECT_EQ(CountOf(svg, "<path fill=\"#3fbf5f\""), 1) << "all of it is trsm's";
  EXPECT_EQ(CountOf(svg, "<path fill=\"#ffe14d\""), 0);
}

}  // namespace
}  // namespace taskrt
