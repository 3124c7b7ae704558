// An operation as it goes from its caller to the device, and its end on the way back.
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
  kMessage,  // `bytes` at `local`, for the peer's Receive; ends when the device has taken them
  kLook,     // the entry of `id.slot` in the peer's table of regions, to `local`
};

// A value. Which of the fields count depends on the kind.
struct Command {
  CommandKind kind = CommandKind::kRead;
  AtomicType type = AtomicType::kU64;
  AtomicOp op = AtomicOp::kAdd;
  bool fetches = false;         // an atomic whose old value goes to `local`
  bool may_be_dropped = false;  // where its rank is not reached: nobody waits for it
  std::uint8_t device = 0;      // index of the conduit's device
  Tag tag = kNullTag;
  Rank peer{};
  RegionId id;                // of the remote region
  std::uint64_t key = 0;      // of the remote region, or of its description (Conduit::RegionsOf)
  std::uint64_t address = 0;  // in that region: its start plus the offset
  std::byte* local = nullptr;
  RegionId local_id;
  void* descriptor = nullptr;  // of the local region
  std::uint64_t bytes = 0;
  std::uint64_t operand = 0;   // of an atomic
  std::uint64_t expected = 0;  // of a compare-swap
  // The remote region as the request describes it, where it is not verified yet (lookups.h). The
  // caller owns it and keeps it until the posting call returns.
  const RemoteRegion* unknown = nullptr;
};

// Does it read or write the memory at `local`, in a region of this rank?
constexpr bool UsesLocalRegion(const Command& command) {
  return command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite ||
         (command.kind == CommandKind::kAtomic && command.fetches);
}

// A value: the end of a command, as the device reports it. Not initialized.
struct Ended {
  Tag tag;
  Outcome outcome;
};

}  // namespace llcl
