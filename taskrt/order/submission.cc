#include "taskrt/order/submission.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"
#include "taskrt/order/describe.h"

namespace taskrt {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void DieOfTwice(const Task& task, const BlockRecord& block) {
  lwt::DieOfBrokenContract(absl::StrCat("a task accesses a block once, and ", Describe(task),
                                        " has ", block.name, " twice"),
                           __FILE__, __LINE__);
}

}  // namespace

void AddAccesses(Task& task, std::span<const Access> accesses, const BlockTable* table) {
  for (const Access& access : accesses) {
    BlockRecord& block = BlockTable::Of(access.handle);
    if (table != nullptr) table->CheckIsOwn(block);
    for (const TaskAccess& other : task.accesses()) {
      if (other.block == &block) [[unlikely]]
        DieOfTwice(task, block);
    }
    task.call().Add({&block, access.mode}, block.host);
  }
}

}  // namespace taskrt
