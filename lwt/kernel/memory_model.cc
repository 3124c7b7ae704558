#include "lwt/kernel/memory_model.h"

#include <algorithm>
#include <utility>

namespace lwt {

bool MemoryModel::Cache::Use(std::uintptr_t block, std::uint64_t version, std::uintptr_t& dropped) {
  dropped = kNoBlock;
  const auto found = where_.find(block);
  if (found != where_.end()) {
    lines_.splice(lines_.begin(), lines_, found->second);
    return std::exchange(found->second->version, version) == version;
  }
  lines_.push_front({block, version});
  where_[block] = lines_.begin();
  if (lines_.size() > blocks_) {
    dropped = lines_.back().block;
    where_.erase(dropped);
    lines_.pop_back();
  }
  return false;
}

MemoryModel::MemoryModel(SimulationOptions options, int workers) : options_(std::move(options)) {
  int nodes = 1;
  for (const int node : options_.node_of) nodes = std::max(nodes, 1 + node);
  for (int i = 0; i < nodes; ++i) shared_.emplace_back(options_.costs.shared_blocks);
  free_at_.resize(shared_.size());
  for (int i = 0; i < workers; ++i) private_.emplace_back(options_.costs.private_blocks);
}

double MemoryModel::Use(int worker, double now_ns, const void* data, std::size_t bytes,
                        Access access, SimulatedTime& time) {
  const CostModel& costs = options_.costs;
  const int node = NodeOf(worker);
  Cache& mine = private_[static_cast<std::size_t>(worker)];
  std::uintptr_t dropped = kNoBlock;
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / costs.block_bytes;
  const auto end =
      bytes == 0 ? begin
                 : (reinterpret_cast<std::uintptr_t>(data) + bytes - 1) / costs.block_bytes + 1;
  double spent = 0;
  for (std::uintptr_t id = begin; id < end; ++id) {
    // The first worker to touch a block has it in its node's memory, unless another is its home.
    const int home = options_.home_node < 0 ? node : options_.home_node;
    Block& block = blocks_.try_emplace(id, Block{home, home}).first->second;
    const Block before = block;  // What makes way for it may be the block itself.
    const bool in_private = mine.Use(id, block.version, dropped);
    const bool in_shared = UseShared(node, id, block.version, now_ns + spent);
    if (!in_private && in_shared) {
      spent += costs.shared_ns;
      ++time.blocks_from_shared_cache;
    } else if (!in_private) {
      if (before.in_memory) spent = std::max(spent, Serve(before.node, now_ns + spent) - now_ns);
      spent += costs.memory_ns * Distance(node, before.node) / 10;
      ++(node == before.node ? time.blocks_from_own_node : time.blocks_from_other_nodes);
    }
    if (access == Access::kWrite) {
      // All other copies are old now.
      block = {block.home, node, block.version + 1, false};
      mine.Use(id, block.version, dropped);
      UseShared(node, id, block.version, now_ns + spent);
    }
  }
  return spent;
}

// What a node's caches drop goes back to the memory that it belongs to, if it was written there.
bool MemoryModel::UseShared(int node, std::uintptr_t block, std::uint64_t version, double now_ns) {
  std::uintptr_t dropped = kNoBlock;
  const bool is_there = shared_[static_cast<std::size_t>(node)].Use(block, version, dropped);
  if (dropped == kNoBlock) return is_there;
  Block& old = blocks_.at(dropped);
  if (old.in_memory || old.node != node) return is_there;
  Serve(old.home, now_ns);
  old.node = old.home;
  old.in_memory = true;
  return is_there;
}

double MemoryModel::Serve(int node, double now_ns) {
  double& free_at = free_at_[static_cast<std::size_t>(node)];
  const double begins = std::max(free_at, now_ns);
  free_at = begins + options_.costs.node_block_ns;
  return begins;
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

double MemoryModel::Farther(int worker, int other) const {
  return Distance(NodeOf(worker), NodeOf(other)) / 10;
}

}  // namespace lwt
