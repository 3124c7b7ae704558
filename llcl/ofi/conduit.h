// Ranks on any machines, through libfabric: reads, writes and atomics are the
// provider's, done by the network card or, where that cannot, by the other rank's
// progress.
//
// A read of the owner's table of regions (ofi/regions.h) distinguishes a region that its
// owner has deregistered from a lost connection. An operation that a provider cannot
// do, an atomic of a type that it lacks or a transfer longer than it takes, ends with
// kRefused.
//
// A read or write that failed with a connection is done again; a write may so take
// place twice, with the same bytes, before it ends. An atomic is not: it ends with
// kPeerDown, though the rank may live, and was done or not.
//
// A rank of this machine is watched and known to be gone at once; another when
// nothing has reached it for some seconds.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "llcl/conduit.h"
#include "llcl/launch/launch.h"

namespace llcl {

// A value; the same for all ranks.
struct OfiOptions {
  // libfabric's name; empty: verbs, cxi or efa where there is one, else tcp;ofi_rxm.
  std::string provider = {};
  // The address that this rank is reached at; empty: with tcp 127.0.0.1 where all ranks
  // are on this machine, else launch/place.h's OutwardAddress; without as the provider likes.
  std::string node = {};
  // So many of the provider's domains (network cards), each with a progress thread; where
  // it has fewer, some have several endpoints. At most kMostDevices.
  int devices = 1;
};

// All ranks of `launch` call it. Errors: InvalidArgument for a provider that lacks
// what llcl needs, or a number of devices; FailedPrecondition where not all ranks found
// the same; Unavailable
// where it cannot be opened, or the launcher or another rank is gone.
absl::StatusOr<std::unique_ptr<Conduit>> MakeOfiConduit(Launch& launch,
                                                        const OfiOptions& options = {});

}  // namespace llcl
