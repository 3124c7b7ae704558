#include "lwt/workloads/sha1.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace uts {
namespace {

constexpr std::size_t kBlockBytes = 64;

std::uint32_t ReadWord(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

void WriteWord(std::uint32_t word, std::uint8_t* at) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

// One round. Its number is known when it is compiled, so that the registers a to
// e, which move on by one each round, and the last sixteen words of the schedule
// keep their places.
template <std::size_t kRound>
[[gnu::always_inline]] inline void Round(std::array<std::uint32_t, 5>& state,
                                         std::array<std::uint32_t, 16>& words) {
  std::uint32_t& word = words[kRound % 16];
  if constexpr (kRound >= 16) {
    word = std::rotl(
        words[(kRound + 13) % 16] ^ words[(kRound + 8) % 16] ^ words[(kRound + 2) % 16] ^ word, 1);
  }
  constexpr std::size_t kA = (80 - kRound) % 5;
  const std::uint32_t a = state[kA];
  std::uint32_t& b = state[(kA + 1) % 5];
  const std::uint32_t c = state[(kA + 2) % 5], d = state[(kA + 3) % 5];
  std::uint32_t& e = state[(kA + 4) % 5];
  constexpr std::uint32_t kConstants[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
  std::uint32_t mixed = b ^ c ^ d;
  if constexpr (kRound < 20) mixed = d ^ (b & (c ^ d));
  if constexpr (kRound >= 40 && kRound < 60) mixed = (b & c) | (d & (b | c));
  e += std::rotl(a, 5) + mixed + kConstants[kRound / 20] + word;  // the next a
  b = std::rotl(b, 30);
}

template <std::size_t... kRounds>
[[gnu::always_inline]] inline void AllRounds(std::array<std::uint32_t, 5>& state,
                                             std::array<std::uint32_t, 16>& words,
                                             std::index_sequence<kRounds...>) {
  (Round<kRounds>(state, words), ...);
}

}  // namespace

Digest Sha1(std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, kBlockBytes> block{};
  std::copy(message.begin(), message.end(), block.begin());
  block[message.size()] = 0x80;
  WriteWord(static_cast<std::uint32_t>(message.size() * 8), &block[kBlockBytes - 4]);
  std::array<std::uint32_t, 16> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = ReadWord(&block[4 * i]);

  constexpr std::array<std::uint32_t, 5> kStart = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                                                   0xC3D2E1F0};
  std::array<std::uint32_t, 5> state = kStart;
  AllRounds(state, words, std::make_index_sequence<80>());

  Digest digest;
  for (std::size_t i = 0; i < kStart.size(); ++i) WriteWord(kStart[i] + state[i], &digest[4 * i]);
  return digest;
}

}  // namespace uts
