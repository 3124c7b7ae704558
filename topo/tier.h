// Which tier a NUMA node's memory belongs to, by what the firmware reports.
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
  bool has_pus = true;                // is it the first choice of any PU?
  std::uint64_t bandwidth_mib_s = 0;  // from its own PUs, 0 unknown
  std::uint64_t memory_bytes = 0;

  // Of the node that is the first choice of the PUs near to this one; zeros
  // where that is this one.
  std::uint64_t dram_bandwidth_mib_s = 0;
  std::uint64_t dram_memory_bytes = 0;
};

// The subtype decides where there is one. Else memory at least twice as fast as
// the first choice of its PUs, and smaller, is high-bandwidth; other memory that
// is no PU's first choice is far; the rest is DRAM.
MemoryTier GuessTier(const TierFacts& facts);

}  // namespace topo
