// An operation as it goes from its caller to the device, and how it comes back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/executor/tags.h"
#include "llcl/region.h"

namespace llcl {

enum class CommandKind : std::uint8_t {
  kRead,
  kWrite,
  kAtomic,
  kMessage,  // `bytes` at `local`, for the peer's Receive; ends when they are the device's
  kLook,     // the entry of `id.slot` in the peer's table of regions, to `local`
};

// A value. Which of the fields count depends on the kind.
struct Command {
  CommandKind kind = CommandKind::kRead;
  AtomicType type = AtomicType::kU64;
  AtomicOp op = AtomicOp::kAdd;
  bool fetches = false;     // an atomic whose old value goes to `local`
  std::uint8_t device = 0;  // of the conduit's
  Tag tag = kNoTag;
  Rank peer{};
  RegionId id;                // of the remote region
  std::uint64_t key = 0;      // of the remote region
  std::uint64_t address = 0;  // in it: its start and the offset
  std::byte* local = nullptr;
  RegionId local_id;
  void* descriptor = nullptr;  // of the local region
  std::uint64_t bytes = 0;
  std::uint64_t operand = 0;   // of an atomic
  std::uint64_t expected = 0;  // of a compare-swap
  // What the remote region is said to be, where that is not known to be so (lookups.h). It is
  // the caller's, which keeps it until the posting call returns.
  const RemoteRegion* unknown = nullptr;
};

// Does it read or write the memory at `local`, in a region of this rank?
constexpr bool UsesLocalRegion(const Command& command) {
  return command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite ||
         (command.kind == CommandKind::kAtomic && command.fetches);
}

// A value. What a device says of a command that it was given. Not initialized.
struct Ended {
  Tag tag;
  Outcome outcome;
};

}  // namespace llcl
