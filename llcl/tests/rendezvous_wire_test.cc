#include "llcl/launch/rendezvous_wire.h"

#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

constexpr SipKey kKey = {1, 2, 3};
const std::string kNonce = std::string(kNonceBytes, 'n'), kNonceOf0 = std::string(kNonceBytes, '0');
const Hello kHello = {.rank = 2, .size = 4, .nonce = kNonce};

Interview NewInterview() { return Interview(kKey, 4, kNonceOf0); }

TEST(RendezvousWire, ASecretIs128Bits) {
  const auto key = ParseSecret("000102030405060708090A0b0c0d0e0f");
  ASSERT_TRUE(key);
  EXPECT_EQ((*key)[0], 0);
  EXPECT_EQ((*key)[10], 10);
  EXPECT_EQ((*key)[15], 15);
  for (const char* bad :
       {"", "00", "000102030405060708090a0b0c0d0e0g", "000102030405060708090a0b0c0d0e0f0"}) {
    EXPECT_FALSE(ParseSecret(bad)) << bad;
  }
}

TEST(RendezvousWire, AnAddressIsAHostAndAPort) {
  const auto name = ParseAddress("node-7.cluster:4096"), six = ParseAddress("[fe80::1]:1");
  ASSERT_TRUE(name && six);
  EXPECT_EQ(name->host, "node-7.cluster");
  EXPECT_EQ(name->port, "4096");
  EXPECT_EQ(six->host, "fe80::1");
  for (const char* bad : {"", "host", "host:", ":1", "host:0", "host:65536", "host:1x", "fe80::1:1",
                          "host:99999999999999999999"}) {
    EXPECT_FALSE(ParseAddress(bad)) << bad;
  }
}

TEST(RendezvousWire, ARankThatKnowsTheSecretProvesIt) {
  Interview interview = NewInterview();
  EXPECT_EQ(interview.Hear(FormatHello(kHello)), kNonceOf0 + ProofOfRank0(kKey, kHello, kNonceOf0));
  EXPECT_FALSE(interview.is_proved());
  EXPECT_EQ(interview.Hear(ProofToRank0(kKey, kHello, kNonceOf0)), "");
  EXPECT_TRUE(interview.is_proved());
  EXPECT_EQ(interview.rank(), 2);
  EXPECT_FALSE(interview.is_of_other_size());
}

TEST(RendezvousWire, ItMayComeByteByByte) {
  Interview interview = NewInterview();
  std::string answer;
  for (const char byte : FormatHello(kHello)) answer += interview.Hear({&byte, 1});
  EXPECT_EQ(answer.size(), kAnswerBytes);
  for (const char byte : ProofToRank0(kKey, kHello, kNonceOf0)) interview.Hear({&byte, 1});
  EXPECT_TRUE(interview.is_proved());
}

TEST(RendezvousWire, NoOtherProofIsTaken) {
  SipKey other_key = kKey;
  other_key[15] = 1;
  Hello other_rank = kHello, other_size = kHello, other_nonce = kHello;
  other_rank.rank = 3;
  other_size.size = 5;
  other_nonce.nonce[7] = 'x';
  const std::string earlier(kNonceBytes, '1');
  for (const std::string& wrong : {
           ProofToRank0(other_key, kHello, kNonceOf0),
           ProofOfRank0(kKey, kHello, kNonceOf0),  // reflected
           ProofToRank0(kKey, kHello, earlier),    // replayed
           ProofToRank0(kKey, other_rank, kNonceOf0),
           ProofToRank0(kKey, other_size, kNonceOf0),
           ProofToRank0(kKey, other_nonce, kNonceOf0),
           ProofToRank0(kKey, kHello, kNonceOf0) + "m",
       }) {
    Interview interview = NewInterview();
    interview.Hear(FormatHello(kHello));
    interview.Hear(wrong);
    EXPECT_TRUE(interview.is_refused());
    // Nor does it get a second try.
    interview.Hear(ProofToRank0(kKey, kHello, kNonceOf0));
    EXPECT_FALSE(interview.is_proved());
  }
}

TEST(RendezvousWire, BytesThatAreNoHelloAreRefusedAtTheFirstWrongOne) {
  Interview http = NewInterview();
  http.Hear("G");
  EXPECT_TRUE(http.is_refused());
  Interview hasty = NewInterview();
  hasty.Hear(FormatHello(kHello) + "x");
  EXPECT_TRUE(hasty.is_refused());
  for (const int rank : {0, 4, -1}) {
    Interview interview = NewInterview();
    interview.Hear(FormatHello({.rank = rank, .size = 4, .nonce = kNonce}));
    EXPECT_TRUE(interview.is_refused()) << rank;
  }
}

TEST(RendezvousWire, FramesAreCutWhereTheyEnd) {
  const std::string both =
      FormatFrame(FrameKind::kMine, "hello") + FormatFrame(FrameKind::kEnd, "");
  FrameReader reader(5);
  std::string kinds;
  for (const char byte : both) {
    reader.Append({&byte, 1});
    while (const auto frame = reader.Next()) kinds += static_cast<char>(frame->kind) + frame->bytes;
  }
  EXPECT_EQ(kinds, "mhelloe");
  EXPECT_FALSE(reader.is_bad());
}

TEST(RendezvousWire, AFrameThatIsTooLongOrOfNoKindIsNotWaitedFor) {
  FrameReader reader(5);
  reader.Append(FormatFrame(FrameKind::kMine, "longer"));
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.is_bad());
  FrameReader other(5);
  other.Append(FormatFrame(static_cast<FrameKind>('z'), ""));
  EXPECT_FALSE(other.Next());
  EXPECT_TRUE(other.is_bad());
}

TEST(RendezvousWire, EverybodysBytesComeBack) {
  const std::vector<std::string> all = {"", "one", std::string(3, '\0')};
  const std::string bytes = FormatAll(all);
  EXPECT_EQ(ParseAll(bytes, 3), all);
  EXPECT_FALSE(ParseAll(bytes, 2));
  EXPECT_FALSE(ParseAll(bytes, 4));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(ParseAll(bytes.substr(0, cut), 3)) << cut;
  }
  EXPECT_FALSE(ParseAll(std::string(8, '\xff') + "x", 1));
}

}  // namespace
}  // namespace llcl
