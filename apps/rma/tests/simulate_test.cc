// The simulated interconnects: a step that costs more is seen where the paper sees it.
#include "apps/rma/simulated/simulate.h"

#include <gtest/gtest.h>

#include <vector>

namespace rma {
namespace {

constexpr int kRequests = 5000;

Sample SampleOf(const Interconnect& costs, Offload offload, int threads, std::uint64_t bytes = 8) {
  return Simulate(costs, {.offload = offload, .threads = threads, .bytes = bytes}, kRequests);
}
Interconnect Tofu() { return *InterconnectOf(Network::kTofu); }
Interconnect Infiniband() { return *InterconnectOf(Network::kInfiniband); }
bool IsNear(double ours, double stated, double part) {
  return ours > stated * (1 - part) && ours < stated * (1 + part);
}

TEST(SimulateTest, RealNetworksHaveNoSuchCosts) {
  EXPECT_FALSE(InterconnectOf(Network::kSmp).has_value());
  EXPECT_FALSE(InterconnectOf(Network::kOfi).has_value());
}

// To these the costs were fitted (interconnect.cc).
TEST(SimulateTest, TheNumbersThatCostsWereFittedToComeOut) {
  EXPECT_TRUE(IsNear(SampleOf(Tofu(), Offload::kDirect, 1).latency_ns, 2365, 0.01));
  EXPECT_TRUE(IsNear(SampleOf(Tofu(), Offload::kOffload, 1).overhead_ns, 117, 0.01));
  EXPECT_TRUE(IsNear(SampleOf(Tofu(), Offload::kOffload, 4).messages_per_s, 3.00e6, 0.03));
  EXPECT_TRUE(IsNear(SampleOf(Infiniband(), Offload::kDirect, 1).latency_ns, 3310, 0.01));
  EXPECT_TRUE(IsNear(SampleOf(Infiniband(), Offload::kDirect, 1).overhead_ns, 486, 0.01));
  EXPECT_TRUE(IsNear(SampleOf(Infiniband(), Offload::kDirect, 1).messages_per_s, 6.54e6, 0.03));
  EXPECT_TRUE(IsNear(SampleOf(Infiniband(), Offload::kOffload, 1).overhead_ns, 689, 0.01));
}

TEST(SimulateTest, ARunIsAFunctionOfItsArguments) {
  for (const int threads : {1, 20}) {
    const Sample one = SampleOf(Infiniband(), Offload::kOffload, threads);
    const Sample again = SampleOf(Infiniband(), Offload::kOffload, threads);
    EXPECT_EQ(one.latency_ns, again.latency_ns);
    EXPECT_EQ(one.messages_per_s, again.messages_per_s);
  }
}

TEST(SimulateTest, ARequestWithoutCostsTakesTheNetworksTimeAlone) {
  const Interconnect costs{.network_ns = 1000, .bytes_per_ns = 8};
  for (const Offload offload : {Offload::kDirect, Offload::kOffload}) {
    const Sample sample = SampleOf(costs, offload, 1, 800);
    EXPECT_DOUBLE_EQ(sample.latency_ns, 1100);
    EXPECT_EQ(sample.overhead_ns, 0);
  }
}

TEST(SimulateTest, BytesGoOneMessageAfterTheOther) {
  Interconnect costs = Infiniband();
  const double most = costs.bytes_per_ns * 1e9 / 65536;
  EXPECT_LE(SampleOf(costs, Offload::kOffload, 4, 65536).messages_per_s, most);
  EXPECT_TRUE(IsNear(SampleOf(costs, Offload::kOffload, 4, 65536).messages_per_s, most, 0.05));
}

TEST(SimulateTest, WithoutOffloadingAllWhoSpinSlowDownTheNextOwnerOfTheLock) {
  Interconnect costs = Infiniband();
  const double contended = SampleOf(costs, Offload::kDirect, 20).overhead_ns;
  EXPECT_GT(contended, 2 * SampleOf(costs, Offload::kDirect, 1).overhead_ns);
  costs.line_ns = 0;
  EXPECT_LT(SampleOf(costs, Offload::kDirect, 20).overhead_ns, contended / 2);
}

TEST(SimulateTest, ABatchPaysForOneDoorbell) {
  Interconnect costs = Infiniband();
  const double batched = SampleOf(costs, Offload::kOffload, 4).messages_per_s;
  costs.batch = 1;
  EXPECT_LT(SampleOf(costs, Offload::kOffload, 4).messages_per_s, batched);
  EXPECT_LE(SampleOf(costs, Offload::kOffload, 4).messages_per_s, 1e9 / costs.call_ns);
}

TEST(SimulateTest, OffloadingCostsLatencyBecauseCoresHandLinesOver) {
  for (const Interconnect& whole : {Tofu(), Infiniband()}) {
    Interconnect costs = whole;
    const double direct = SampleOf(costs, Offload::kDirect, 1).latency_ns;
    EXPECT_GT(SampleOf(costs, Offload::kOffload, 1).latency_ns, direct);
    costs.line_ns = 0;
    costs.ring_ns = 0;
    EXPECT_LE(SampleOf(costs, Offload::kOffload, 1).latency_ns, direct);
  }
}

TEST(SimulateTest, WhatTheRingHasNoRoomForIsTriedAgainAfterAYield) {
  Interconnect costs = Tofu();
  costs.ring = 2;
  costs.yield_ns = 1e6;
  // A few messages fit into the ring while the executor takes the first ones.
  const double rate = SampleOf(costs, Offload::kOffload, 1).messages_per_s;
  EXPECT_GT(rate, 1 / (1.5 * costs.yield_ns * 1e-9));
  EXPECT_LT(rate, 20 / (costs.yield_ns * 1e-9));
  costs.ring = 1024;
  EXPECT_GT(SampleOf(costs, Offload::kOffload, 1).messages_per_s, 10 * rate);
}

}  // namespace
}  // namespace rma
