// SHA-1 of messages that fit one block, for the UTS tree. Not for secrets.
//
// Source: FIPS 180-4, section 6.1.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace uts {

using Digest = std::array<std::uint8_t, 20>;

// At most 55 bytes: what leaves room for the padding in one block.
Digest Sha1(std::span<const std::uint8_t> message);

}  // namespace uts
