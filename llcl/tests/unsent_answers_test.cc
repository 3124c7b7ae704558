#include "llcl/tcp/unsent_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>

namespace llcl {
namespace {

TEST(UnsentAnswers, CountUntilTheyAreSent) {
  UnsentAnswers answers;
  EXPECT_EQ(answers.count(), 0u);
  answers.Add();
  answers.Add();
  EXPECT_EQ(answers.count(), 2u);
  answers.Sent(32, 16);  // One of them, but they were added together.
  EXPECT_EQ(answers.count(), 2u);
  answers.Add();
  EXPECT_EQ(answers.count(), 3u);
  answers.Sent(48, 32);
  EXPECT_EQ(answers.count(), 1u);
  answers.Sent(48, 48);
  EXPECT_EQ(answers.count(), 0u);
}

TEST(UnsentAnswers, CountTheirBytesLikewise) {
  UnsentAnswers answers;
  answers.Add(100);
  answers.Add(20);
  answers.Sent(152, 116);
  EXPECT_EQ(answers.bytes(), 120u);
  answers.Add(3);
  EXPECT_EQ(answers.bytes(), 123u);
  answers.Sent(171, 152);
  EXPECT_EQ(answers.bytes(), 3u);
  answers.Sent(171, 171);
  EXPECT_EQ(answers.bytes(), 0u);
}

// Two ranks of ours, each with at most so many requests under way, whatever a connection takes at a
// time: no answer is forgotten, and none is taken for the flood of a rank that is not ours.
TEST(UnsentAnswers, AreNeverLessThanThereAreNorMoreThanTwiceWhatOneRankAsksFor) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::size_t kMost = 20;
  for (int program = 0; program < 300; ++program) {
    UnsentAnswers answers;
    std::uint64_t added = 0, sent = 0;
    std::deque<std::uint64_t> ends;  // of the answers that are not sent
    std::size_t on_their_way = 0;    // sent, and not received
    std::size_t most = 0;
    for (int step = 0; step < 2'000; ++step) {
      switch (random() % 4) {
        case 0:
          if (ends.size() + on_their_way == kMost) break;
          added += 16;
          ends.push_back(added);
          answers.Add();
          break;
        case 1:  // A request of this rank's own.
          added += random() % 200;
          break;
        case 2:
          on_their_way -= on_their_way == 0 ? 0 : random() % on_their_way + 1;
          break;
        default:
          sent = std::min<std::uint64_t>(added, sent + random() % 100);
          while (!ends.empty() && ends.front() <= sent) {
            ends.pop_front();
            ++on_their_way;
          }
          answers.Sent(added, sent);
      }
      ASSERT_GE(answers.count(), ends.size());
      ASSERT_LE(answers.count(), 2 * kMost);
      most = std::max(most, answers.count());
    }
    EXPECT_GT(most, 0u);
  }
}

}  // namespace
}  // namespace llcl
