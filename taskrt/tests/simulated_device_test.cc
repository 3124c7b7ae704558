// What a simulated device's time is made of, by itself: on virtual workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lwt/lwt.h"
#include "taskrt/kernel.h"
#include "taskrt/sim/device.h"
#include "taskrt/tile.h"

namespace taskrt {
namespace {

constexpr std::int64_t kCopyNs = 1'000'000;  // of a megabyte by a gigabyte a second

SimulatedDeviceOptions Dry() {
  return {.flops_per_s = 1e9,
          .link_bytes_per_s = 1e9,
          .far_passes = 2,
          .latency_s = 0,
          .allocation_s = 0,
          .is_dry = true};
}

Kernel KernelOf(double flops) {
  Kernel kernel("kernel");
  kernel.Flops(flops).OnSimulated([](auto, auto) { return absl::OkStatus(); });
  return kernel;
}

void OnAVirtualWorker(const std::function<void()>& body) {
  const auto pool = *lwt::Pool::Create(
      {.workers = 1, .simulation = lwt::SimulationOptions{.costs = {.jitter = 0}}});
  pool->Run(body);
}

std::int64_t NowNs() { return lwt::Now().time_since_epoch().count(); }

// A megabyte, of which nothing is read.
constexpr Tile kMegabyte = {nullptr, 1, 1'000'000, 1'000'000};
constexpr DeviceMemory kThere = {nullptr, 1'000'000};

TEST(SimulatedDevice, AnAsynchronousCopyLetsItsWorkerGoOn) {
  OnAVirtualWorker([] {
    SimulatedDevice device(Dry());
    const std::int64_t before = NowNs();
    const Ticket copy = *device.CopyIn(kMegabyte, kThere, kDone);
    EXPECT_EQ(NowNs(), before);
    EXPECT_EQ(device.SpanOf(copy)->end_ns, before + kCopyNs);
  });
}

TEST(SimulatedDevice, ABlockingCopyHoldsUpItsWorkerUntilItHasEnded) {
  OnAVirtualWorker([] {
    SimulatedDeviceOptions options = Dry();
    options.copies = SimulatedCopies::kBlocking;
    SimulatedDevice device(options), other(options);
    const std::int64_t before = NowNs();
    (void)*device.CopyIn(kMegabyte, kThere, kDone);
    EXPECT_EQ(NowNs(), before + kCopyNs);
    (void)*device.CopyOut(kThere, kMegabyte, kDone);
    EXPECT_EQ(NowNs(), before + 2 * kCopyNs);
    (void)*other.CopyAcross(device, kThere, kThere);
    EXPECT_EQ(NowNs(), before + 3 * kCopyNs);
  });
}

TEST(SimulatedDevice, ABlockingCopyThatIsFreeHoldsUpNoWorker) {
  OnAVirtualWorker([] {
    SimulatedDeviceOptions options = Dry();
    options.copies = SimulatedCopies::kBlocking;
    options.link_bytes_per_s = std::numeric_limits<double>::infinity();
    SimulatedDevice device(options);
    const std::int64_t before = NowNs();
    (void)*device.CopyIn(kMegabyte, kThere, kDone);
    EXPECT_EQ(NowNs(), before);
  });
}

TEST(SimulatedDevice, ThreeQueuesWorkSideBySideAndOneDoesNot) {
  for (const SimulatedQueues queues : {SimulatedQueues::kThree, SimulatedQueues::kOne}) {
    OnAVirtualWorker([&] {
      SimulatedDeviceOptions options = Dry();
      options.queues = queues;
      SimulatedDevice device(options);
      const std::int64_t before = NowNs();
      (void)*device.Launch(KernelOf(1e6), {}, {}, {}, 0);
      const Ticket in = *device.CopyIn(kMegabyte, kThere, kDone);
      const Ticket out = *device.CopyOut(kThere, kMegabyte, kDone);
      const bool waits = queues == SimulatedQueues::kOne;
      EXPECT_EQ(device.SpanOf(in)->begin_ns, before + (waits ? kCopyNs : 0));
      EXPECT_EQ(device.SpanOf(out)->begin_ns, before + (waits ? 2 * kCopyNs : 0));
    });
  }
}

TEST(SimulatedDevice, KernelsUseFarMemoryByLinksOfTheirOwnOrOneAfterTheOtherByASharedPath) {
  for (const bool is_shared : {false, true}) {
    OnAVirtualWorker([&] {
      SimulatedDeviceOptions options = Dry();
      if (is_shared) options.far_path = std::make_shared<SimulatedServer>();
      SimulatedDevice one(options), other(options);
      const std::int64_t before = NowNs();
      const Kernel kernel = KernelOf(1);
      const Ticket first = *one.Launch(kernel, {}, {}, {}, 1'000'000);
      const Ticket second = *other.Launch(kernel, {}, {}, {}, 1'000'000);
      const Ticket near = *other.Launch(kernel, {}, {}, {}, 0);
      EXPECT_EQ(one.SpanOf(first)->end_ns, before + 2 * kCopyNs) << "two passes";
      EXPECT_EQ(other.SpanOf(second)->end_ns, before + (is_shared ? 4 : 2) * kCopyNs);
      EXPECT_EQ(other.SpanOf(near)->end_ns, other.SpanOf(second)->end_ns + 1);
    });
  }
}

// When each of two workers is free again that ask two devices for a kernel at the same time.
std::vector<std::int64_t> EndsOfCalls(std::shared_ptr<SimulatedServer> driver) {
  const auto pool = *lwt::Pool::Create(
      {.workers = 2, .simulation = lwt::SimulationOptions{.costs = {.jitter = 0}}});
  std::vector<std::int64_t> ends(2);
  pool->Run([&] {
    SimulatedDeviceOptions options = Dry();
    options.call_s = 1e-3;
    options.driver = std::move(driver);
    SimulatedDevice one(options), other(options);
    lwt::Barrier both(2);
    const auto ask = [&](SimulatedDevice& device, std::int64_t& end) {
      both.ArriveAndWait();
      const std::int64_t before = NowNs();
      (void)*device.Launch(KernelOf(1), {}, {}, {}, 0);
      end = NowNs() - before;
    };
    lwt::ForkJoin([&] { ask(one, ends[0]); }, [&] { ask(other, ends[1]); });
  });
  std::sort(ends.begin(), ends.end());
  return ends;
}

TEST(SimulatedDevice, CallsHoldUpTheirWorkersSideBySideOrOneAfterTheOtherByACommonDriver) {
  constexpr std::int64_t kCallNs = 1'000'000, kLittle = kCallNs / 10;
  const auto apart = EndsOfCalls(nullptr);
  EXPECT_NEAR(apart[0], kCallNs, kLittle);
  EXPECT_NEAR(apart[1], kCallNs, kLittle);
  const auto common = EndsOfCalls(std::make_shared<SimulatedServer>());
  EXPECT_NEAR(common[0], kCallNs, kLittle);
  EXPECT_NEAR(common[1], 2 * kCallNs, kLittle);
}

TEST(SimulatedDevice, ACallTakesItsTimeAlsoWhereTheCopyTakesNone) {
  OnAVirtualWorker([] {
    SimulatedDeviceOptions options = Dry();
    options.call_s = 1e-3;
    options.link_bytes_per_s = std::numeric_limits<double>::infinity();
    SimulatedDevice device(options);
    const std::int64_t before = NowNs();
    (void)*device.CopyIn(kMegabyte, kThere, kDone);
    EXPECT_EQ(NowNs(), before + 1'000'000);
  });
}

}  // namespace
}  // namespace taskrt
