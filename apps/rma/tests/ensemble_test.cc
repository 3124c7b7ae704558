// A job of one rank, alone with its collective operations.
#include "apps/rma/ranks/ensemble.h"

#include <gtest/gtest.h>

#include <chrono>

#include "llcl/launch/launch.h"

namespace rma {
namespace {

TEST(EnsembleTest, EachOperationOfEachSizeIsRightAndTakesTime) {
  const auto launch = llcl::MakeSingleton();
  const auto ensemble = Ensemble::Open(*launch, {.network = Network::kSmp, .bytes = 1 << 16});
  ASSERT_TRUE(ensemble.ok()) << ensemble.status();
  EXPECT_EQ((*ensemble)->ranks(), 1);
  for (const Collective collective :
       {Collective::kBarrier, Collective::kBroadcast, Collective::kAllgather,
        Collective::kAllreduce, Collective::kAlltoall}) {
    for (std::uint64_t bytes : {8u, 1u << 16}) {
      if (collective == Collective::kBarrier) bytes = 0;
      const auto ns = (*ensemble)->MeasureNs({Network::kSmp, collective, bytes},
                                             std::chrono::microseconds(100));
      ASSERT_TRUE(ns.ok()) << ns.status();
      EXPECT_GT(*ns, 0);
    }
  }
}

}  // namespace
}  // namespace rma
