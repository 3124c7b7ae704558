// A process's part in a job from beginning to end: its launcher, the conduit that its
// user or its place asks for, and an endpoint.
//
//   auto job = llcl::Join();
//   if (!job.ok()) ...
//   auto region = job->endpoint->Allocate(4096);
//   auto regions = llcl::Exchange(*job->endpoint, *region);
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/region.h"

namespace llcl {

// A resource.
struct Job {
  std::unique_ptr<Launch> launch;
  std::unique_ptr<Endpoint> endpoint;
};

// All ranks call it. Errors: InvalidArgument for impossible options; FindLaunch's and
// MakeConduit's.
absl::StatusOr<Job> Join(EndpointOptions options = {});

// The same by a launch of the program's own (launch/launch.h), as mpi.h makes one of a
// communicator. All ranks of `launch` call it. Errors: as Join; InvalidArgument for no launch.
absl::StatusOr<Job> JoinBy(std::unique_ptr<Launch> launch, EndpointOptions options = {});

// Every rank's region, by rank. All ranks call it, with a region that other ranks may use,
// and wait for each other. Errors: Unavailable where a rank is gone, or does not come in time.
absl::StatusOr<std::vector<RemoteRegion>> Exchange(Endpoint& endpoint, const Region& mine);

// The conduit that the environment asks for (launch/launch.h). Where it asks for none: libfabric if
// it names a provider; shared memory if all ranks are on one machine; libfabric if it asks for
// several devices, or if libfabric finds a network card with RDMA on the machine of each rank;
// shared memory inside each host and TCP between hosts if a host has several ranks; else TCP
// connections of our own. All ranks of `launch` call it. Errors: InvalidArgument for a conduit that
// does not exist; those of the conduit.
absl::StatusOr<std::unique_ptr<Conduit>> MakeConduit(Launch& launch);

}  // namespace llcl
