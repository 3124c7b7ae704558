// Which tier a NUMA node's memory belongs to, from what firmware tells.
//
// Pure. hwloc classifies tiers itself from 2.10 on; Debian 12 has 2.9, so the
// rule is here, over the facts that 2.9 gives.
#pragma once

#include <cstdint>
#include <string_view>

#include "topo/topology.h"

namespace topo {

// A value. What is known of one node.
struct TierFacts {
  std::string_view subtype;           // hwloc's word: "MCDRAM", "HBM", "GPUMemory", "NVM", ...
  bool has_pus = true;                // does any PU call it local?
  std::uint64_t bandwidth_mib_s = 0;  // from its own PUs, 0 unknown
  std::uint64_t memory_bytes = 0;

  // The node that the same PUs have as ordinary memory, for comparison; zeros
  // where there is none other.
  std::uint64_t dram_bandwidth_mib_s = 0;
  std::uint64_t dram_memory_bytes = 0;
};

// The subtype decides where there is one. Else memory that no PU is near to is
// far; memory at least twice as fast as its PUs' other memory, and smaller, is
// high-bandwidth; the rest is DRAM.
MemoryTier GuessTier(const TierFacts& facts);

}  // namespace topo
