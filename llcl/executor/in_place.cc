#include "llcl/executor/in_place.h"

#include <atomic>
#include <cstring>

namespace llcl {
namespace {

template <typename Word>
bool TryCopyWord(const Command& command, std::byte* there) {
  if (reinterpret_cast<std::uintptr_t>(there) % sizeof(Word) != 0) return false;
  std::atomic_ref<Word> shared(*reinterpret_cast<Word*>(there));
  Word word;
  if (command.kind == CommandKind::kRead) {
    word = shared.load(std::memory_order_acquire);
    std::memcpy(command.local, &word, sizeof word);
  } else {
    std::memcpy(&word, command.local, sizeof word);
    shared.store(word, std::memory_order_release);
  }
  return true;
}

bool TryCopyAsWord(const Command& command, std::byte* there) {
  switch (command.bytes) {
    case 1:
      return TryCopyWord<std::uint8_t>(command, there);
    case 2:
      return TryCopyWord<std::uint16_t>(command, there);
    case 4:
      return TryCopyWord<std::uint32_t>(command, there);
    case 8:
      return TryCopyWord<std::uint64_t>(command, there);
    default:
      return false;
  }
}

}  // namespace

void ExecuteInPlace(const Command& command, std::byte* there) {
  if (command.kind == CommandKind::kAtomic) {
    const std::uint64_t old =
        Apply(command.type, command.op, there, command.operand, command.expected);
    if (command.fetches) std::memcpy(command.local, &old, command.bytes);
    return;
  }
  if (TryCopyAsWord(command, there)) return;
  const bool reads = command.kind == CommandKind::kRead;
  std::memcpy(reads ? command.local : there, reads ? there : command.local, command.bytes);
}

}  // namespace llcl
