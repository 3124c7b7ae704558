#include "llcl/executor/in_place.h"

namespace llcl {

void ReadBytes(std::byte* here, std::byte* there, std::uint64_t bytes) {
  if (IsWord<std::uint64_t>(there, bytes)) return ReadWord<std::uint64_t>(here, there);
  if (IsWord<std::uint32_t>(there, bytes)) return ReadWord<std::uint32_t>(here, there);
  if (IsWord<std::uint16_t>(there, bytes)) return ReadWord<std::uint16_t>(here, there);
  if (IsWord<std::uint8_t>(there, bytes)) return ReadWord<std::uint8_t>(here, there);
  std::memcpy(here, there, bytes);
}

void WriteBytes(const std::byte* here, std::byte* there, std::uint64_t bytes) {
  if (IsWord<std::uint64_t>(there, bytes)) return WriteWord<std::uint64_t>(here, there);
  if (IsWord<std::uint32_t>(there, bytes)) return WriteWord<std::uint32_t>(here, there);
  if (IsWord<std::uint16_t>(there, bytes)) return WriteWord<std::uint16_t>(here, there);
  if (IsWord<std::uint8_t>(there, bytes)) return WriteWord<std::uint8_t>(here, there);
  std::memcpy(there, here, bytes);
}

void ExecuteInPlace(const Command& command, std::byte* there) {
  switch (command.kind) {
    case CommandKind::kRead:
      return ReadBytes(command.local, there, command.bytes);
    case CommandKind::kAtomic: {
      const std::uint64_t old =
          Apply(command.type, command.op, there, command.operand, command.expected);
      if (command.fetches) std::memcpy(command.local, &old, command.bytes);
      return;
    }
    default:
      return WriteBytes(command.local, there, command.bytes);
  }
}

}  // namespace llcl
