// A network, as LLCL_ADDRESS may name it instead of an address: the same on all machines of a job,
// each of which has an address of its own in it.
//
// Decides; asks the system for nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llcl/launch/addresses.h"

namespace llcl {

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

}  // namespace llcl
