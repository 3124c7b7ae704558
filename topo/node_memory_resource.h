// A std::pmr::memory_resource whose memory lies on one NUMA node.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "topo/memory.h"
#include "topo/topology.h"

namespace topo {

// A resource. Hands out whole pages of one node, a system call each: put a
// std::pmr::monotonic_buffer_resource or an (un)synchronized_pool_resource on
// top for small objects.
//
//   topo::NodeMemoryResource pages(topology, slot.memory);
//   std::pmr::unsynchronized_pool_resource pool(&pages);
//   std::pmr::vector<int> local(&pool);
//
// Threads: any thread may allocate and deallocate at any time. Throws
// std::bad_alloc where Memory::Allocate gives an error.
class NodeMemoryResource : public std::pmr::memory_resource {
 public:
  NodeMemoryResource(Topology topology, NodeId node, const MemoryOptions& options = {})
      : topology_(std::move(topology)), node_(node), options_(options) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  const Topology topology_;
  const NodeId node_;
  const MemoryOptions options_;
};

}  // namespace topo
