// Every field of every options struct at its extremes: it works, or a sentence names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/devices.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// A task on each place; its value comes home.
void ExpectItComputes(RuntimeOptions options) {
  const auto runtime = Runtime::Create(std::move(options));
  ASSERT_TRUE(runtime.ok()) << runtime.status();
  std::vector<int> values(5, 1);
  const absl::Status done = (*runtime)->Run([&](Runtime& rt) {
    const Handle handle = rt.Register("values", TileOf(values));
    for (int i = 0; i < 3; ++i) rt.Submit(kAdd, {{handle, Mode::kInOut}});
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(5, 4));
}

struct OfRuntime {
  const char* refused;  // a part of the sentence; empty: it works
  std::function<void(RuntimeOptions&)> set;
};

TEST(Options, OfARuntimeAtTheirExtremes) {
  const OfRuntime kCases[] = {
      {"", [](auto&) {}},
      {"", [](auto& its) { its.pool.workers = 1; }},
      {"workers", [](auto& its) { its.pool.workers = -1; }},
      {"scheduler is null", [](auto& its) { its.scheduler = nullptr; }},
      {"devices[0] is null", [](auto& its) { its.devices.push_back(nullptr); }},
      {"devices has 64, of at most 63", [](auto& its) { its.devices.resize(64); }},
      {"host_flops_per_s is 0", [](auto& its) { its.host_flops_per_s = 0; }},
      {"host_flops_per_s is -1", [](auto& its) { its.host_flops_per_s = -1; }},
      {"host_flops_per_s is nan", [](auto& its) { its.host_flops_per_s = kNaN; }},
      {"", [](auto& its) { its.host_flops_per_s = kInfinity; }},
      {"", [](auto& its) { its.host_flops_per_s = 1e-300; }},
      {"", [](auto& its) { its.tasks_in_flight = 0; }},
      {"tasks_in_flight is -1", [](auto& its) { its.tasks_in_flight = -1; }},
      {"tasks_in_flight is -2147483648",
       [](auto& its) { its.tasks_in_flight = std::numeric_limits<int>::min(); }},
      {"", [](auto& its) { its.tasks_in_flight = std::numeric_limits<int>::max(); }},
      {"", [](auto& its) { its.mover.device_bytes = kMost; }},
      {"", [](auto& its) { its.mover.source = SourceRule::kNearest; }},
      {"mover.source is 2", [](auto& its) { its.mover.source = static_cast<SourceRule>(2); }},
      {"mover.source is -1", [](auto& its) { its.mover.source = static_cast<SourceRule>(-1); }},
      {"", [](auto& its) { its.mover.across = Across::kStaged; }},
      {"", [](auto& its) { its.mover.across = Across::kAccess; }},
      {"mover.across is 3", [](auto& its) { its.mover.across = static_cast<Across>(3); }},
      {"", [](auto& its) { its.mover.eviction = Eviction::kLeastRecently; }},
      {"mover.eviction is 2", [](auto& its) { its.mover.eviction = static_cast<Eviction>(2); }},
      {"", [](auto& its) { its.mover.optimizes = false; }},
      {"", [](auto& its) { its.traces = its.checks_accesses = true; }},
  };
  for (const OfRuntime& one : kCases) {
    RuntimeOptions options;
    options.pool.workers = 2;
    one.set(options);
    if (*one.refused == '\0') {
      ExpectItComputes(std::move(options));
      continue;
    }
    const auto runtime = Runtime::Create(std::move(options));
    EXPECT_EQ(runtime.status().code(), absl::StatusCode::kInvalidArgument) << one.refused;
    EXPECT_THAT(std::string(runtime.status().message()), HasSubstr(one.refused));
  }
}

struct OfDevice {
  const char* refused;
  SimulatedDeviceOptions options;
};

TEST(Options, OfASimulatedDeviceAtTheirExtremes) {
  const OfDevice kCases[] = {
      {"", {}},
      {"", {.name = ""}},
      {"", {.memory_bytes = kMost}},
      {"", {.memory_bytes = 40, .taken_bytes = 20}},
      {"taken_bytes is 41", {.memory_bytes = 40, .taken_bytes = 41}},
      {"taken_bytes is 18446744073709551615", {.memory_bytes = 1, .taken_bytes = kMost}},
      {"kernels_until_lost is -2", {.kernels_until_lost = -2}},
      {"", {.kernels_until_lost = std::numeric_limits<int>::max()}},
      {"flops_per_s is 0", {.flops_per_s = 0}},
      {"flops_per_s is -1", {.flops_per_s = -1}},
      {"flops_per_s is nan", {.flops_per_s = kNaN}},
      {"", {.flops_per_s = kInfinity}},
      {"", {.flops_per_s = 1e-300}},
      {"link_bytes_per_s is 0", {.link_bytes_per_s = 0}},
      {"link_bytes_per_s is nan", {.link_bytes_per_s = kNaN}},
      {"", {.link_bytes_per_s = kInfinity}},
      {"far_passes is -1", {.far_passes = -1}},
      {"far_passes is nan", {.far_passes = kNaN}},
      {"latency_s is -1", {.latency_s = -1}},
      {"latency_s is inf", {.latency_s = kInfinity}},
      {"", {.latency_s = 0}},
      {"latency_s is 1e+12", {.latency_s = 1e12}},
      {"", {.latency_s = 1e5}},
      {"allocation_s is -1", {.allocation_s = -1}},
      {"allocation_s is nan", {.allocation_s = kNaN}},
      {"", {.allocation_s = 0}},
  };
  for (const OfDevice& one : kCases) {
    const absl::Status good = CheckOptions(one.options);
    EXPECT_EQ(good.ok(), *one.refused == '\0') << good;
    EXPECT_THAT(std::string(good.message()), HasSubstr(one.refused));
    if (!good.ok()) continue;
    RuntimeOptions options;  // Virtual: ages pass at once.
    options.pool.workers = 2;
    options.pool.simulation = lwt::SimulationOptions{};
    options.devices.push_back(std::make_unique<SimulatedDevice>(one.options));
    ExpectItComputes(std::move(options));
  }
}

// Eleven days of virtual time, on the host and on a device, for what would take for ever.
TEST(Options, AKernelOfAnyFlopsRunsWhereTimeIsVirtual) {
  for (const double flops : {0.0, 1e-300, 1e300}) {
    for (const double speed : {1e-300, 1e300}) {
      RuntimeOptions options;
      options.pool.workers = 1;  // Others would look for work all the while.
      options.pool.simulation = lwt::SimulationOptions{};
      options.host_flops_per_s = speed;
      options.devices.push_back(
          std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{.flops_per_s = speed}));
      const auto runtime = *Runtime::Create(std::move(options));
      const Kernel on_host = Kernel("host").OnHost(AddOne).Flops(flops);
      const Kernel on_device = Kernel("device").OnSimulated(AddOne).Flops(flops);
      std::vector<int> values(5, 1);
      const absl::Status done = runtime->Run([&](Runtime& rt) {
        const Handle handle = rt.Register("values", TileOf(values));
        rt.Submit(on_host, {{handle, Mode::kInOut}});
        rt.Submit(on_device, {{handle, Mode::kInOut}});
        return rt.Wait();
      });
      EXPECT_TRUE(done.ok()) << done;
      EXPECT_EQ(values, std::vector<int>(5, 3)) << flops << " at " << speed;
    }
  }
}

TEST(OptionsDeathTest, FlopsThatAreNoNumberOfThemAreReportedWithTheirKernel) {
  for (const double flops : {kInfinity, kNaN, -1.0}) {
    EXPECT_DEATH(Kernel("mine").Flops(flops),
                 "flops are a number from 0 on, but those of kernel mine are (inf|nan|-1)");
  }
}

TEST(OptionsDeathTest, ADeviceOfOptionsThatAreRefusedIsABrokenContract) {
  EXPECT_DEATH(SimulatedDevice({.flops_per_s = -1}), "flops_per_s is -1, and is to be more than 0");
}

TEST(Options, ListsOfDevicesAreWholeOrRefused) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"sim:1,,", "\"\" is none of host"},
      {",", "\"\" is none of host"},
      {"sim:", "\"\" is no count"},
      {"sim:-1", "\"-1\" is no count"},
      {"sim:99999999999999999999", "is no count"},
      {"sim:2147483647", "at most 63 devices"},
      {"sim:63,opencl:2147483647", "at most 63 devices"},
      {"sim:40,opencl:40", "at most 63 devices"},
      {"sim:1,sim:2", "\"sim\" is named twice"},
      {"host,host", "\"host\" is named twice"},
      {"host:2", "\"host:2\" is none of host"},
      {"sim:1:2", "\"sim:1:2\" is none of host"},
      {"gpu", "\"gpu\" is none of host"},
      {" sim", "\" sim\" is none of host"},
  };
  for (const auto& [list, why] : kRefused) {
    const auto counts = ParseDevices(list);
    EXPECT_FALSE(counts.ok()) << list;
    EXPECT_THAT(std::string(counts.status().message()), HasSubstr(why)) << list;
  }
  EXPECT_EQ(ParseDevices("")->all(), 0);
  EXPECT_EQ(ParseDevices("sim:63")->simulated, 63);
  EXPECT_EQ(ParseDevices("host,sim:2,opencl")->all(), 3);
}

TEST(OptionsDeathTest, ABlockWhoseRowsAreInEachOtherIsNamed) {
  const auto runtime = MakeRuntime({});
  std::vector<int> values(5, 1);
  Tile tile = TileOf(values);
  tile.rows = 2;
  tile.stride = 4;
  EXPECT_DEATH((void)runtime->Register("mine", tile),
               "but block mine has 2 rows of 20 bytes, 4 from");
  tile.rows = kMost;
  tile.stride = 20;
  EXPECT_DEATH((void)runtime->Register("mine", tile), "block mine has 18446744073709551615 rows");
}

TEST(Options, ABlockWithoutBytesIsABlock) {
  for (const Tile tile : {Tile{nullptr, 0, 0, 0}, Tile{nullptr, 1, 0, 0}, Tile{nullptr, 0, 8, 8}}) {
    const auto runtime = MakeRuntime({{.memory_bytes = 100}});
    const Handle handle = runtime->Register("empty", tile);
    const Kernel nothing =
        Kernel("nothing").OnSimulated([](auto, auto) { return absl::OkStatus(); });
    runtime->Submit(nothing, {{handle, Mode::kInOut}});
    EXPECT_TRUE(runtime->Wait().ok());
  }
}

}  // namespace
}  // namespace taskrt
