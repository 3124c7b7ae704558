#include "apps/simpath/frontier/residue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "apps/simpath/frontier/sum.h"
#include "apps/simpath/problem/count.h"

namespace simpath {
namespace {

Residue Of(const Count& count) { return Residue(count.words()); }

Count RandomCount(std::mt19937_64& random) {
  std::vector<std::uint64_t> words(random() % 6);
  for (std::uint64_t& word : words) word = random() % 4 == 0 ? ~std::uint64_t{0} : random();
  return Count(std::span<const std::uint64_t>(words));
}

TEST(Residue, OfThePrimeIsZeroAndOfWhatIsBelowItself) {
  EXPECT_EQ(Of(Residue::kPrime).value(), 0u);
  EXPECT_EQ(Of(Residue::kPrime - 1).value(), Residue::kPrime - 1);
  EXPECT_EQ(Of(Residue::kPrime + 5).value(), 5u);
  EXPECT_EQ(Of(Count()).value(), 0u);
}

TEST(Residue, OfSumsAndProductsAreSumsAndProductsOfResidues) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const Count a = RandomCount(random), b = RandomCount(random);
    Count sum = a;
    sum += b;
    ASSERT_EQ(Of(sum), Of(a) + Of(b)) << i;
    ASSERT_EQ(Of(a * b), Of(a) * Of(b)) << i;
  }
}

TEST(Flow, TellsWhetherAllHasComeInAnyOrder) {
  std::mt19937_64 random(2);
  struct Given {
    std::uint64_t hash;
    Count count;
  };
  std::vector<Given> given;
  for (int i = 0; i < 100; ++i) given.push_back({random(), RandomCount(random)});
  const auto flow_of = [](const std::vector<Given>& all) {
    Flow flow;
    for (const Given& each : all) flow.Add(each.hash, Of(each.count));
    return flow.residue();
  };
  const Residue expected = flow_of(given);
  std::vector<Given> other(given.rbegin(), given.rend());
  EXPECT_EQ(flow_of(other), expected);
  other.pop_back();
  EXPECT_NE(flow_of(other), expected) << "one is lost";
  other = given;
  other.push_back(given[7]);
  EXPECT_NE(flow_of(other), expected) << "one has come twice";
  other = given;
  std::swap(other[3].count, other[4].count);
  EXPECT_NE(flow_of(other), expected) << "two have each other's counts";
  other = given;
  other[5].count += Count(std::uint64_t{1} << 63) * 2;
  EXPECT_NE(flow_of(other), expected) << "a carry more";
}

TEST(FlowCheck, OfTwoThatMeetInOneStateIsOfTheirSum) {
  FlowCheck check(Check::kOn);
  check.Start(7ull << 32);
  Flow read, given, next;
  read.Add(7ull << 32, Residue::FromValue(1));
  given.Add(9ull << 32, Of(5));
  given.Add(9ull << 32, Of(6));
  EXPECT_TRUE(check.Pass(read.residue(), given.residue(), Of(3)));
  next.Add(9ull << 32, Of(11));
  EXPECT_TRUE(check.Pass(next.residue(), Residue(), Of(4)));
  EXPECT_TRUE(check.End(Count(7).words()));
  EXPECT_FALSE(check.End(Count(8).words()));
  EXPECT_FALSE(check.Pass(next.residue(), Residue(), Residue())) << "nothing was given";
}

}  // namespace
}  // namespace simpath
