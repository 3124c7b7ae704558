#include "taskrt/order/submission.h"

#include "lwt/contract.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"

namespace taskrt {

void AddAccesses(Task& task, std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    BlockRecord& block = BlockTable::Of(access.handle);
    for (const TaskAccess& other : task.accesses()) {
      lwt::CheckContract(other.block != &block, "a task accesses a block once");
    }
    task.call().Add({&block, access.mode}, block.host);
  }
}

}  // namespace taskrt
