// SipHash-2-4: 64 bits that only a holder of the key can compute from a message.
//
// Source: Aumasson, Bernstein: SipHash: a fast short-input PRF, INDOCRYPT 2012,
// section 2; its appendix A is siphash_test.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace llcl {

// A value: 128 secret bits.
using SipKey = std::array<std::uint8_t, 16>;

// Eight bytes or fewer, the first lowest.
constexpr std::uint64_t LittleEndian(const auto* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  }
  return word;
}

// The lowest `count` bytes of the word, the lowest first.
inline std::string LittleEndianBytes(std::uint64_t word, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(word >> (8 * i) & 0xff);
  return bytes;
}

constexpr std::uint64_t SipHash(const SipKey& key, std::string_view message) {
  const std::uint64_t k0 = LittleEndian(key.data(), 8), k1 = LittleEndian(key.data() + 8, 8);
  std::uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d;
  std::uint64_t v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
  const auto rounds = [&](int count) {
    for (; count > 0; --count) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  };
  const auto compress = [&](std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const std::uint64_t length = message.size();
  for (; message.size() >= 8; message.remove_prefix(8)) compress(LittleEndian(message.data(), 8));
  compress(LittleEndian(message.data(), message.size()) | length << 56);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace llcl
