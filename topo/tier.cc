#include "topo/tier.h"

namespace topo {

MemoryTier GuessTier(const TierFacts& facts) {
  const std::string_view subtype = facts.subtype;
  if (subtype == "MCDRAM" || subtype == "HBM") return MemoryTier::kHighBandwidth;
  if (subtype == "GPUMemory") return MemoryTier::kDevice;
  if (subtype == "NVM" || subtype.starts_with("CXL") || subtype == "DAX") return MemoryTier::kFar;
  if (subtype == "DRAM") return MemoryTier::kDram;
  const bool faster =
      facts.dram_bandwidth_mib_s > 0 && facts.bandwidth_mib_s >= 2 * facts.dram_bandwidth_mib_s;
  const bool smaller = facts.memory_bytes < facts.dram_memory_bytes;
  if (faster && smaller) return MemoryTier::kHighBandwidth;
  return facts.has_pus ? MemoryTier::kDram : MemoryTier::kFar;
}

}  // namespace topo
