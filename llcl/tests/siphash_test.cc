#include "llcl/launch/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

constexpr SipKey kKey = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// 00, 00 01, 00 01 02 and so on.
std::string Counting(int bytes) {
  std::string message;
  for (int i = 0; i < bytes; ++i) message += static_cast<char>(i);
  return message;
}

TEST(SipHash, ThePapersExampleHolds) {  // Appendix A.
  EXPECT_EQ(SipHash(kKey, Counting(15)), 0xa129ca6149be45e5u);
}

TEST(SipHash, TheAuthorsVectorsHold) {  // vectors_sip64 of the reference implementation.
  EXPECT_EQ(SipHash(kKey, Counting(0)), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(SipHash(kKey, Counting(1)), 0x74f839c593dc67fdu);
  EXPECT_EQ(SipHash(kKey, Counting(2)), 0x0d6c8009d9a94f5au);
  EXPECT_EQ(SipHash(kKey, Counting(7)), 0xab0200f58b01d137u);
  EXPECT_EQ(SipHash(kKey, Counting(8)), 0x93f5f5799a932462u);
  EXPECT_EQ(SipHash(kKey, Counting(63)), 0x958a324ceb064572u);
}

TEST(SipHash, EachBitOfTheKeyAndOfTheMessageCounts) {
  const std::string message = Counting(20);
  const std::uint64_t before = SipHash(kKey, message);
  for (std::size_t bit = 0; bit < 128; ++bit) {
    SipKey other = kKey;
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_NE(SipHash(other, message), before) << bit;
  }
  for (std::size_t bit = 0; bit < 160; ++bit) {
    std::string other = message;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(SipHash(kKey, other), before) << bit;
  }
}

}  // namespace
}  // namespace llcl
