// Ranks on several hosts, of which a host may have several: shared memory to the ranks of this host
// (smp/conduit.h), and a network to the others (tcp/conduit.h).
//
// Shared memory registers a region, and the network adopts it: a region has one number and one
// description for both ways. Atomics and aligned words of the program's own memory are left to the
// owner, as by shared memory alone. By TCP the owner executes each operation. So the processors of
// one host execute all operations on a word, and processors agree on atomics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"

namespace llcl {

// A value.
struct MixedOptions {
  OwnMemory own_memory = OwnMemory::kDirectly;
  std::string node = {};        // as TcpOptions
  std::vector<int> hosts = {};  // of all ranks, by rank (launch/place.h): the same on each
};

// All ranks of `launch` call it. Errors: as MakeSmpConduit and MakeTcpConduit.
absl::StatusOr<std::unique_ptr<Conduit>> MakeMixedConduit(Launch& launch,
                                                          const MixedOptions& options);

}  // namespace llcl
