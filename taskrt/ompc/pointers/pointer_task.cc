#include "taskrt/ompc/pointers/pointer_task.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace taskrt {
namespace {

class Plain final : public TaskBody {
 public:
  void Run(PointerFunction function, void** args) override { function(args); }
};

}  // namespace

TaskBody& PlainBody() {
  static Plain plain;
  return plain;
}

void PointerCall::Fill(PointerFunction its_function, const PointerTask& task) {
  function = its_function;
  arguments.resize(task.args.size());
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  const auto room = [](std::size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); };
  std::size_t bytes = 0;
  for (const std::size_t each : task.copied) bytes += room(each);
  if (bytes > 0) copies = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* at = copies.get();
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    arguments[i] = {.value = task.args[i]};
    if (task.copied.empty() || task.copied[i] == 0) continue;
    std::memcpy(at, task.args[i], task.copied[i]);
    arguments[i].value = at;
    at += room(task.copied[i]);
  }
}

void PointerCall::Run(std::span<const Tile> tiles) const {
  std::array<void*, 16> few;
  std::vector<void*> many;
  if (arguments.size() > few.size()) many.resize(arguments.size());
  void** const args = many.empty() ? few.data() : many.data();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    args[i] = argument.tile < 0
                  ? argument.value
                  : tiles[static_cast<std::size_t>(argument.tile)].data + argument.offset;
  }
  body->Run(function, args);
}

bool Caller::Uses(std::uintptr_t begin) const {
  return std::find(uses.begin(), uses.end(), begin) != uses.end();
}

}  // namespace taskrt
