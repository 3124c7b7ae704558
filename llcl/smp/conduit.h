// Ranks of one host that share memory: reads, writes and atomics are loads,
// stores and atomic instructions of the caller, done when the call returns.
//
// Memory that others may use is allocated by the endpoint (Endpoint::Allocate), in chunks of many
// regions, or comes as a file descriptor: a rank maps another's chunk or file when it first uses
// it. Memory of the program's own (Endpoint::Register) is mapped nowhere else: other ranks read and
// write it by the system's file of the process's memory, where the system allows that, else its
// owner does it, asked by a message; atomics, and aligned words of 1, 2, 4 and 8 bytes, are done by
// the owner always, so that each word has one agent. Where this rank's address space, or the number
// of mappings that the system allows it, has had no room for a mapping for a second, the operations
// that wait for it end with Outcome::kNoRoom; later ones try again.
//
// Nothing is left behind: memory and sockets have no names in any file system.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/launch.h"

namespace llcl {

// How other ranks' own memory is used.
enum class OwnMemory {
  kDirectly,    // where the system allows it, else by messages
  kByMessages,  // for tests
};

// A value.
struct SmpOptions {
  OwnMemory own_memory = OwnMemory::kDirectly;
  // The ranks of this host, which grow, this rank among them; empty: all of the job. The same for
  // each of them. The conduit knows no other rank.
  std::vector<Rank> ranks = {};
  // A network uses the regions, too (Conduit::Adopt).
  bool has_network = false;
  // Descriptors that this process needs besides: too few for both are a refusal at once.
  std::uint64_t other_descriptors = 0;
};

// All ranks of `launch` call it. Errors: Unavailable where the launcher or another rank is gone;
// ResourceExhausted where the system has no more descriptors or memory.
absl::StatusOr<std::unique_ptr<Conduit>> MakeSmpConduit(Launch& launch,
                                                        const SmpOptions& options = {});

}  // namespace llcl
