// The addresses of this machine's interfaces, and the choice among them (addresses.h) for a job.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <optional>
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

// The first `bits` bits of an address. A value.
struct Network {
  std::string bytes;  // of the address: 4 or 16
  std::size_t bits = 0;
};
// Of "10.1.0.0/16"; none where the text is no network.
std::optional<Network> ParseNetwork(std::string_view text);
// `address`: in digits.
bool Contains(const Network& network, std::string_view address);

// The addresses in the network of interfaces that are up, at most kMostAddresses.
std::vector<std::string> AddressesIn(const Network& network,
                                     const std::vector<InterfaceAddress>& interfaces);

// ChooseAddresses for this rank, or AddressesIn where a network is chosen. `places`: of all ranks.
// `chosen`: LLCL_ADDRESS. Errors: InvalidArgument where the chosen network is none, Unavailable
// where no address is in it.
absl::StatusOr<std::vector<std::string>> FindAddresses(const Launch& launch,
                                                       const std::vector<Place>& places,
                                                       const std::string& chosen);

}  // namespace llcl
