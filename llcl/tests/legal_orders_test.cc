#include "llcl/tests/legal_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace llcl {
namespace {

bool SomeOrderLeads(std::uint64_t first, std::uint64_t last, std::vector<Transition> transitions) {
  std::vector<std::size_t> order(transitions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    std::uint64_t value = first;
    bool fits = true;
    for (const std::size_t i : order) {
      fits = fits && transitions[i].before == value;
      value = transitions[i].after;
    }
    if (fits && value == last) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(LegalOrders, ExistExactlyWhereSomePermutationLeadsFromTheFirstValueToTheLast) {
  std::mt19937_64 random(1);
  int legal = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Transition> transitions(random() % 6);
    for (Transition& one : transitions) one = {random() % 3, random() % 3};
    const std::uint64_t first = random() % 3, last = random() % 3;
    const bool expected = SomeOrderLeads(first, last, transitions);
    legal += expected;
    ASSERT_EQ(HasLegalOrder(first, last, transitions), expected) << "round " << round;
  }
  EXPECT_GT(legal, 1'000);
}

TEST(LegalOrders, ALostUpdateHasNone) {
  const std::vector<Transition> both_saw_zero = {{0, 1}, {0, 1}};
  EXPECT_FALSE(HasLegalOrder(0, 1, both_saw_zero));
  const std::vector<Transition> twice = {{0, 1}, {1, 2}};
  EXPECT_TRUE(HasLegalOrder(0, 2, twice));
  EXPECT_FALSE(HasLegalOrder(0, 1, twice));
}

TEST(PossibleBytesTest, OverlappingWritesLeaveOneOfTheirs) {
  PossibleBytes memory(4);
  const std::vector<PossibleBytes::Write> writes = {{0, {std::byte{1}, std::byte{1}}},
                                                    {1, {std::byte{2}, std::byte{2}}}};
  EXPECT_TRUE(memory.MayBe(1, std::byte{0}, writes));
  EXPECT_TRUE(memory.MayBe(1, std::byte{2}, writes));
  EXPECT_FALSE(memory.MayBe(0, std::byte{2}, writes));
  memory.After(writes);
  EXPECT_FALSE(memory.MayBe(1, std::byte{0}));
  EXPECT_TRUE(memory.MayBe(0, std::byte{1}));
  EXPECT_TRUE(memory.MayBe(1, std::byte{1}));
  EXPECT_TRUE(memory.MayBe(1, std::byte{2}));
  memory.Know(1, std::byte{2});
  EXPECT_FALSE(memory.MayBe(1, std::byte{1})) << "it was seen to be 2";
  memory.Perhaps({3, {std::byte{9}}});
  EXPECT_TRUE(memory.MayBe(3, std::byte{0}));
  EXPECT_TRUE(memory.MayBe(3, std::byte{9}));
}

}  // namespace
}  // namespace llcl
