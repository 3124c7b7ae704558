// Ranks on any machines, through libfabric: reads, writes and atomics are the
// provider's, done by the network card or, where that cannot, by the other rank's
// progress.
//
// A read of the owner's table of regions (ofi/regions.h) distinguishes a region that its
// owner has deregistered from a lost connection. An atomic of a type that the
// provider lacks ends with kRefused. A transfer longer than it takes is done in pieces.
//
// A read or write that failed with a connection is done again; a write may so take
// place twice, with the same bytes, before it ends. An atomic is not done again: it ends
// with kPeerDown, though the rank may live, and was done or not.
//
// A rank of this machine is watched, and its end is noticed at once; a rank of another
// machine is taken for gone when nothing has reached it for some seconds.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/launch.h"

namespace llcl {

// A value; the same for all ranks.
struct OfiOptions {
  // libfabric's name of it; empty: verbs, cxi or efa if found, else tcp;ofi_rxm.
  std::string provider = {};
  // The address that this rank is reached at. Empty: with tcp the loopback's where all ranks are on
  // this machine, else the launch's LocalAddress, else that of a network card that is up; other
  // providers choose it.
  std::string node = {};
  // How many of the provider's domains (network cards) are used, each with a progress thread;
  // where it has fewer, some have several endpoints. At most kMostDevices.
  int devices = 1;
};

// Does libfabric find a provider with RDMA on this machine: verbs, cxi or efa? To look for verbs
// sets FI_AV_REMOVE_CLEANUP, FI_MR_CACHE_MAX_COUNT and FI_OFI_RXM_USE_SRX in the environment where
// they are not set: no other thread reads the environment meanwhile.
bool FindsRdma();

// All ranks of `launch` call it. Where the provider is verbs, or is to be chosen, it sets what
// FindsRdma sets. Errors: InvalidArgument for a provider that lacks what llcl needs, or a wrong
// number of devices; FailedPrecondition where not all ranks found the same provider; Unavailable
// where it cannot be opened, or the launcher or another rank is gone.
absl::StatusOr<std::unique_ptr<Conduit>> MakeOfiConduit(Launch& launch,
                                                        const OfiOptions& options = {});

}  // namespace llcl
