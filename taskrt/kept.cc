#include "taskrt/kept.h"

#include "taskrt/order/task_counts.h"

namespace taskrt {

// Once no task is outstanding nothing is kept.
void Kept::Keep(std::shared_ptr<const void> object) {
  std::vector<std::shared_ptr<const void>> unused;
  const topo::Lock lock(mutex_);
  objects_.push_back(std::move(object));
  if (counts_->outstanding() == 0) unused.swap(objects_);
}

}  // namespace taskrt
