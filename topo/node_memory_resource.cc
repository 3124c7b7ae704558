#include "topo/node_memory_resource.h"

#include <algorithm>
#include <new>

namespace topo {

void* NodeMemoryResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment > BasePageBytes()) throw std::bad_alloc();
  // A request of zero bytes is one for a unique address.
  absl::StatusOr<Memory> memory = Memory::Allocate(topology_, std::max<std::size_t>(bytes, 1),
                                                   Placement::OnNode(node_), options_);
  if (!memory.ok()) throw std::bad_alloc();
  return memory->Release();
}

void NodeMemoryResource::do_deallocate(void* pointer, std::size_t bytes, std::size_t) {
  Memory::Free(static_cast<std::byte*>(pointer), std::max<std::size_t>(bytes, 1));
}

}  // namespace topo
