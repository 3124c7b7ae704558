// The addresses of this machine's interfaces, and the choice among them (addresses.h) for a job.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/addresses.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/place.h"

namespace llcl {

// In the system's order; empty also where the system does not say.
std::vector<InterfaceAddress> FindInterfaces();

// ChooseAddresses for this rank, or AddressesIn where a network is chosen. `places`: of all ranks.
// `chosen`: LLCL_ADDRESS. Errors: InvalidArgument where the chosen network is none, Unavailable
// where no address is in it.
absl::StatusOr<std::vector<std::string>> FindAddresses(const Launch& launch,
                                                       const std::vector<Place>& places,
                                                       const std::string& chosen);

}  // namespace llcl
