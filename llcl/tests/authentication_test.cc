#include "llcl/launch/authentication.h"

#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

constexpr SipKey kKey = {1, 2, 3};
const std::string kNonce = std::string(kNonceBytes, 'n'), kNonceOf0 = std::string(kNonceBytes, '0');
const Hello kHello = {.rank = 2, .size = 4, .nonce = kNonce};

Interview NewInterview() { return Interview(kKey, 4, kNonceOf0); }

TEST(Authentication, ASecretIs128Bits) {
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

TEST(Authentication, ARankThatKnowsTheSecretProvesIt) {
  Interview interview = NewInterview();
  EXPECT_EQ(interview.Hear(FormatGreeting(kKey, kHello)),
            kNonceOf0 + ProofOfRank0(kKey, kHello, kNonceOf0));
  EXPECT_FALSE(interview.is_proved());
  EXPECT_EQ(interview.Hear(ProofToRank0(kKey, kHello, kNonceOf0)), "");
  EXPECT_TRUE(interview.is_proved());
  EXPECT_EQ(interview.rank(), 2);
  EXPECT_FALSE(interview.is_of_other_size());
}

TEST(Authentication, ACallerKnowsItsRankByTheAnswer) {
  Interview interview = NewInterview();
  Approach approach(kKey, kHello);
  const std::string answer = interview.Hear(approach.Greeting());
  ASSERT_EQ(approach.missing(), answer.size());
  for (const char byte : answer) {
    EXPECT_FALSE(approach.IsAnsweredByRank0());
    approach.Hear({&byte, 1});
  }
  EXPECT_TRUE(approach.IsAnsweredByRank0());
  interview.Hear(approach.Proof());
  EXPECT_TRUE(interview.is_proved());
}

// As where the address is another machine's too, or leads a caller back to itself.
TEST(Authentication, ACallerTakesNoStrangerNorItselfForItsRank) {
  SipKey other_key = kKey;
  other_key[15] = 1;
  Approach to_stranger(kKey, kHello), to_itself(kKey, kHello);
  to_stranger.Hear(Interview(other_key, 4, kNonceOf0).Hear(to_stranger.Greeting()));
  EXPECT_EQ(to_stranger.missing(), 0u);
  EXPECT_FALSE(to_stranger.IsAnsweredByRank0());
  to_itself.Hear(to_itself.Greeting().substr(0, to_itself.missing()));
  EXPECT_FALSE(to_itself.IsAnsweredByRank0());
}

TEST(Authentication, AGreetingShowsFromItsFirstBytesWhoKnowsTheSecret) {
  SipKey other_key = kKey;
  other_key[15] = 1;
  Hello other = kHello;
  other.rank = 3;
  const std::string of_another_rank =
      FormatHello(other) + FormatGreeting(kKey, kHello).substr(kHelloBytes);
  Interview rank = NewInterview();
  EXPECT_FALSE(rank.has_greeted());
  rank.Hear(FormatHello(kHello));
  EXPECT_FALSE(rank.has_greeted());
  rank.Hear(FormatGreeting(kKey, kHello).substr(kHelloBytes));
  EXPECT_TRUE(rank.has_greeted());
  for (const std::string& wrong : {FormatGreeting(other_key, kHello), of_another_rank}) {
    Interview stranger = NewInterview();
    // By this answer a rank of another secret hears that it is another one.
    EXPECT_EQ(stranger.Hear(wrong).size(), kAnswerBytes);
    EXPECT_FALSE(stranger.has_greeted());
    EXPECT_TRUE(stranger.is_refused());
  }
}

// A greeting can be repeated by who has seen it: it is no proof.
TEST(Authentication, AGreetingThatIsRepeatedProvesNothing) {
  Interview first = NewInterview(), again(kKey, 4, std::string(kNonceBytes, '9'));
  first.Hear(FormatGreeting(kKey, kHello));
  again.Hear(FormatGreeting(kKey, kHello));
  EXPECT_TRUE(again.has_greeted());
  again.Hear(ProofToRank0(kKey, kHello, kNonceOf0));
  EXPECT_TRUE(again.is_refused());
}

TEST(Authentication, ItMayComeByteByByte) {
  Interview interview = NewInterview();
  std::string answer;
  for (const char byte : FormatGreeting(kKey, kHello)) answer += interview.Hear({&byte, 1});
  EXPECT_EQ(answer.size(), kAnswerBytes);
  for (const char byte : ProofToRank0(kKey, kHello, kNonceOf0)) interview.Hear({&byte, 1});
  EXPECT_TRUE(interview.is_proved());
}

TEST(Authentication, NoOtherProofIsTaken) {
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
    interview.Hear(FormatGreeting(kKey, kHello));
    interview.Hear(wrong);
    EXPECT_TRUE(interview.is_refused());
    // Nor does it get a second try.
    interview.Hear(ProofToRank0(kKey, kHello, kNonceOf0));
    EXPECT_FALSE(interview.is_proved());
  }
}

TEST(Authentication, BytesThatAreNoHelloAreRefusedAtTheFirstWrongOne) {
  Interview http = NewInterview();
  http.Hear("G");
  EXPECT_TRUE(http.is_refused());
  Interview hasty = NewInterview();
  hasty.Hear(FormatGreeting(kKey, kHello) + "x");
  EXPECT_TRUE(hasty.is_refused());
  for (const int rank : {4, -1}) {
    Interview interview = NewInterview();
    interview.Hear(FormatGreeting(kKey, {.rank = rank, .size = 4, .nonce = kNonce}));
    EXPECT_TRUE(interview.is_refused()) << rank;
  }
}

TEST(Authentication, OnlyTheSameBytesAreEqual) {
  EXPECT_TRUE(EqualInConstantTime("", ""));
  EXPECT_TRUE(EqualInConstantTime("proof", "proof"));
  for (const char* other : {"", "proo", "proofs", "Proof", "pro\xffs", "prooF"}) {
    EXPECT_FALSE(EqualInConstantTime("proof", other)) << other;
  }
}

}  // namespace
}  // namespace llcl
