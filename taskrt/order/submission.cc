#include "taskrt/order/submission.h"

#include "lwt/contract.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"

namespace taskrt {

void CheckSizes(std::span<const Access> accesses, std::span<const std::byte> scalars) {
  lwt::CheckContract(accesses.size() <= TaskCall::kMostAccesses,
                     "a task has at most eight accesses");
  lwt::CheckContract(scalars.size() <= TaskCall::kMostScalarBytes, "scalars have at most 64 bytes");
}

void AddAccesses(Task& task, std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    Block& block = BlockTable::Of(access.handle);
    for (const TaskAccess& other : task.accesses()) {
      lwt::CheckContract(other.block != &block, "a task accesses a block once");
    }
    task.call().Add({&block, access.mode}, block.host);
  }
}

}  // namespace taskrt
