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
  // As many times as from the same node, by the distance of the workers' nodes.
  double Farther(int worker, int other) const;

  // `worker` uses [data, data + bytes) from `now_ns` on and counts in `time` from where the blocks
  // come that were not in its cache. Returns how long their fetching takes, in virtual nanoseconds.
  double Use(int worker, double now_ns, const void* data, std::size_t bytes, Access access,
             SimulatedTime& time);

 private:
  // Blocks that are near, the most recently used first.
  class Cache {
   public:
    explicit Cache(std::size_t blocks) : blocks_(blocks) {}
    // Whether the block is here in this version; it is afterwards. Another may have made way for
    // it: `dropped`, else kNoBlock.
    bool Use(std::uintptr_t block, std::uint64_t version, std::uintptr_t& dropped);

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
    int home = 0;  // whose memory it belongs to
    int node = 0;  // whose memory or cache has it
    std::uint64_t version = 0;
    bool in_memory = true;  // else in a cache of the node that wrote it last
  };
  static constexpr std::uintptr_t kNoBlock = ~std::uintptr_t{0};

  bool UseShared(int node, std::uintptr_t block, std::uint64_t version, double now_ns);
  // When the node's memory has given or taken a block that it is asked for at `now_ns`.
  double Serve(int node, double now_ns);
  int NodeOf(int worker) const;
  // As SimulationOptions::node_distances, 10 times as far as the node's own memory.
  double Distance(int from_node, int to_node) const;

  const SimulationOptions options_;
  std::vector<Cache> private_;   // by worker
  std::vector<Cache> shared_;    // by node
  std::vector<double> free_at_;  // by node: when its memory has given what it was asked for
  std::unordered_map<std::uintptr_t, Block> blocks_;
};

}  // namespace lwt
