// Ranks on several hosts, of which a host may have several: shared memory to the ranks of this host
// (smp/conduit.h), and a network to the others (tcp/conduit.h).
//
// A region is registered once, by shared memory, and the network adopts it: it has one number and
// one description for both ways. What shared memory asks of a rank's own memory it asks here, too:
// its atomics and aligned words are its owner's. By TCP the owner does everything. So each word
// has one agent: processors of one host, which agree on atomics.
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
