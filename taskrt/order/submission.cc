#include "taskrt/order/submission.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/order/block.h"
#include "taskrt/order/block_table.h"

namespace taskrt {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void DieOfTwice(const Task& task, const BlockRecord& block) {
  lwt::DieOfBrokenContract(absl::StrCat("a task accesses a block once, and task ",
                                        task.kernel().name(), " has block ", block.name, " twice"),
                           __FILE__, __LINE__);
}

}  // namespace

void AddAccesses(Task& task, std::span<const Access> accesses, const BlockTable& table) {
  const TaskCall::Room room = task.call().AddFirst(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const auto& [handle, mode] = accesses[i];
    BlockRecord& block = BlockTable::Of(handle);
    table.CheckIsOwn(block);
    for (std::size_t other = 0; other < i; ++other) {
      if (room.accesses[other].block == &block) [[unlikely]]
        DieOfTwice(task, block);
    }
    room.accesses[i] = {&block, mode};
    room.tiles[i] = block.host;
    if (Commutes(mode)) [[unlikely]]
      task.call().SetCommutes();
  }
}

}  // namespace taskrt
