// The addresses of this machine's interfaces, and the choice among them (addresses.h) for a job.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/addresses.h"
#include "llcl/launch/launch.h"
#include "llcl/launch/place.h"

namespace llcl {

// In the system's order; empty also where the system does not say.
std::vector<InterfaceAddress> FindInterfaces();

// Is the address in the network? "10.1.2.3" is in "10.1.0.0/16". False where the text is no
// network.
bool IsInNetwork(std::string_view address, std::string_view network);

// The addresses in the network of interfaces that are up, at most kMostAddresses.
std::vector<std::string> AddressesIn(std::string_view network,
                                     const std::vector<InterfaceAddress>& interfaces);

// ChooseAddresses for this rank, or AddressesIn where a network is chosen. `places`: of all ranks.
// `chosen`: LLCL_ADDRESS. Errors: Unavailable where no address is in the chosen network.
absl::StatusOr<std::vector<std::string>> FindAddresses(const Launch& launch,
                                                       const std::vector<Place>& places,
                                                       const std::string& chosen);

}  // namespace llcl
