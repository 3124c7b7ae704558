#include "lwt/sim/memory_model.h"

#include <algorithm>
#include <utility>

namespace lwt {

bool MemoryModel::Cache::Use(std::uintptr_t block, std::uint64_t version) {
  const auto found = where_.find(block);
  if (found != where_.end()) {
    lines_.splice(lines_.begin(), lines_, found->second);
    return std::exchange(found->second->version, version) == version;
  }
  lines_.push_front({block, version});
  where_[block] = lines_.begin();
  if (lines_.size() > blocks_) {
    where_.erase(lines_.back().block);
    lines_.pop_back();
  }
  return false;
}

MemoryModel::MemoryModel(SimulationOptions options, int workers) : options_(std::move(options)) {
  const int nodes = options_.node_of.empty()
                        ? 1
                        : 1 + *std::max_element(options_.node_of.begin(), options_.node_of.end());
  for (int i = 0; i < nodes; ++i) shared_.emplace_back(options_.costs.shared_blocks);
  for (int i = 0; i < workers; ++i) private_.emplace_back(options_.costs.private_blocks);
}

double MemoryModel::Use(int worker, const void* data, std::size_t bytes, Access access,
                        SimulatedTime& time) {
  const CostModel& costs = options_.costs;
  const int node = NodeOf(worker);
  Cache& mine = private_[static_cast<std::size_t>(worker)];
  Cache& shared = shared_[static_cast<std::size_t>(node)];
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / costs.block_bytes;
  const auto end =
      bytes == 0 ? begin
                 : (reinterpret_cast<std::uintptr_t>(data) + bytes - 1) / costs.block_bytes + 1;
  double spent = 0;
  for (std::uintptr_t id = begin; id < end; ++id) {
    // The first worker to touch a block has it in its node's memory.
    Block& block = blocks_.try_emplace(id, Block{node, 0}).first->second;
    const bool in_private = mine.Use(id, block.version);
    const bool in_shared = shared.Use(id, block.version);
    if (!in_private && in_shared) {
      spent += costs.shared_ns;
      ++time.blocks_from_shared_cache;
    } else if (!in_private) {
      spent += costs.memory_ns * Distance(node, block.node) / 10;
      ++(node == block.node ? time.blocks_from_own_node : time.blocks_from_other_nodes);
    }
    if (access == Access::kWrite) {
      // All other copies are old now.
      block = {node, block.version + 1};
      mine.Use(id, block.version);
      shared.Use(id, block.version);
    }
  }
  return spent;
}

int MemoryModel::NodeOf(int worker) const {
  if (options_.node_of.empty()) return 0;
  return options_.node_of[static_cast<std::size_t>(worker) % options_.node_of.size()];
}

double MemoryModel::Distance(int from_node, int to_node) const {
  if (options_.node_distances.empty()) return from_node == to_node ? 10 : 20;
  const std::size_t nodes = shared_.size();
  return static_cast<double>(options_.node_distances[static_cast<std::size_t>(from_node) * nodes +
                                                     static_cast<std::size_t>(to_node)]);
}

double MemoryModel::StealNs(int thief, int victim) const {
  return options_.costs.steal_ns * Distance(NodeOf(thief), NodeOf(victim)) / 10;
}

}  // namespace lwt
