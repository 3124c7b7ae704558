// How messages to the user name an element of an array in a space.
#pragma once

#include <cstdint>
#include <string>

#include "dsm/layout/address_map.h"

namespace dsm {

// "[2][0][17] of the array at 0x200000000000". `offset`: of one of its bytes, in the space.
// Precondition: allocated.
std::string NameOfElement(const AddressMap& map, std::uint64_t offset);

}  // namespace dsm
