#include "lwt/threads/descriptor_store.h"

#include <new>

namespace lwt {

void DescriptorStore::AddBlock() {
  blocks_.push_back(std::make_unique<Descriptor[]>(kBlock));
  debugger_entry_.Show(blocks_, kBlock);
  for (std::size_t i = 0; i < kBlock; ++i) {
    Descriptor& made = blocks_.back()[i];
    made.pool = &pool_;
    made.next_free = free_;
    free_ = &made;
  }
}

std::vector<Descriptor*> DescriptorStore::Take(int count) {
  std::vector<Descriptor*> taken;
  const topo::Lock lock(mutex_);
  try {
    taken.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      if (free_ == nullptr) AddBlock();
      taken.push_back(free_);
      free_ = free_->next_free;
    }
  } catch (const std::bad_alloc&) {  // As many as there were.
  }
  return taken;
}

void DescriptorStore::GiveBack(Descriptor* list) {
  const topo::Lock lock(mutex_);
  while (list != nullptr) {
    Descriptor* const next = list->next_free;
    list->next_free = free_;
    free_ = list;
    list = next;
  }
}

}  // namespace lwt
