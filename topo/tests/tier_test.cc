#include "topo/tier.h"

#include <gtest/gtest.h>

namespace topo {
namespace {

TEST(GuessTier, TheFirmwaresWordDecides) {
  EXPECT_EQ(GuessTier({.subtype = "MCDRAM"}), MemoryTier::kHighBandwidth);
  EXPECT_EQ(GuessTier({.subtype = "HBM"}), MemoryTier::kHighBandwidth);
  EXPECT_EQ(GuessTier({.subtype = "GPUMemory", .has_pus = false}), MemoryTier::kDevice);
  EXPECT_EQ(GuessTier({.subtype = "NVM"}), MemoryTier::kFar);
  EXPECT_EQ(GuessTier({.subtype = "CXL-DRAM"}), MemoryTier::kFar);
  EXPECT_EQ(GuessTier({.subtype = "DRAM", .has_pus = false}), MemoryTier::kDram);
}

TEST(GuessTier, WithoutAWordMemoryThatIsNobodysFirstChoiceIsFar) {
  EXPECT_EQ(GuessTier({.has_pus = false}), MemoryTier::kFar);
  EXPECT_EQ(GuessTier({}), MemoryTier::kDram);
}

TEST(GuessTier, TwiceAsFastAndSmallerIsHighBandwidth) {
  TierFacts facts{.bandwidth_mib_s = 400,
                  .memory_bytes = 16,
                  .dram_bandwidth_mib_s = 100,
                  .dram_memory_bytes = 96};
  EXPECT_EQ(GuessTier(facts), MemoryTier::kHighBandwidth);
  facts.has_pus = false;
  EXPECT_EQ(GuessTier(facts), MemoryTier::kHighBandwidth);
  facts.memory_bytes = 96;
  EXPECT_EQ(GuessTier(facts), MemoryTier::kFar);
  facts.has_pus = true;
  EXPECT_EQ(GuessTier(facts), MemoryTier::kDram);
  facts.memory_bytes = 16;
  facts.bandwidth_mib_s = 199;
  EXPECT_EQ(GuessTier(facts), MemoryTier::kDram);
}

}  // namespace
}  // namespace topo
