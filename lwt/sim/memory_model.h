// The memory of simulated workers: NUMA nodes with their distances, a cache for each worker and one
// for each node, and which node has each block.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "lwt/simulation.h"

namespace lwt {

// A resource: what the caches hold.
class MemoryModel {
 public:
  MemoryModel(SimulationOptions options, int workers);

  const CostModel& costs() const { return options_.costs; }
  // What a steal costs, by the distance of the workers' nodes.
  double StealNs(int thief, int victim) const;

  // `worker` uses [data, data + bytes) and counts in `time` from where the blocks come that were
  // not in its cache. Returns how long their fetching takes, in virtual nanoseconds.
  double Use(int worker, const void* data, std::size_t bytes, Access access, SimulatedTime& time);

 private:
  // Blocks that are near, the most recently used first.
  class Cache {
   public:
    explicit Cache(std::size_t blocks) : blocks_(blocks) {}
    // Whether the block is here in this version; it is afterwards.
    bool Use(std::uintptr_t block, std::uint64_t version);

   private:
    struct Line {
      std::uintptr_t block;
      std::uint64_t version;
    };
    const std::size_t blocks_;
    std::list<Line> lines_;
    std::unordered_map<std::uintptr_t, std::list<Line>::iterator> where_;
  };
  struct Block {
    int node = 0;  // whose memory or cache has it
    std::uint64_t version = 0;
  };

  int NodeOf(int worker) const;
  // As SimulationOptions::node_distances, 10 times as far as the node's own memory.
  double Distance(int from_node, int to_node) const;

  const SimulationOptions options_;
  std::vector<Cache> private_;  // by worker
  std::vector<Cache> shared_;   // by node
  std::unordered_map<std::uintptr_t, Block> blocks_;
};

}  // namespace lwt
