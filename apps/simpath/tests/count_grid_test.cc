#include "apps/simpath/array/count_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/simpath/array/bound.h"
#include "apps/simpath/array/residues.h"
#include "apps/simpath/tests/graphs.h"

namespace simpath {
namespace {

TEST(CountGrid, PathsBetweenCornersAreThoseThatOthersHaveCounted) {
  const topo::Topology machine = *topo::FromSynthetic("pack:2 [numa] core:2 pu:1");
  for (const int threads : {1, 3}) {
    const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kScatter, threads)->Unbound();
    int cells = 0;
    for (const std::string& expected : kGridPaths) {
      const auto count = CountGrid(++cells, machine, mapping);
      ASSERT_TRUE(count.ok()) << count.status();
      EXPECT_EQ(count->ToString(), expected) << cells << " by " << threads;
    }
  }
}

TEST(PathBits, AreEnoughForWhatIsKnownAndNotManyMore) {
  int cells = 0;
  for (const std::string& known : kGridPaths) {
    Count count;
    for (const char digit : known) {
      count = count * 10;
      count += static_cast<std::uint64_t>(digit - '0');
    }
    ++cells;
    EXPECT_GE(PathBits(cells, cells), count.bits()) << cells;
    EXPECT_LE(PathBits(cells, cells), count.bits() * 5 / 4 + 4) << cells;
  }
}

TEST(Residues, GiveTheNumberBack) {
  EXPECT_EQ(LargestPrimes(2), (std::vector<std::uint64_t>{(std::uint64_t{1} << 63) - 25,
                                                          (std::uint64_t{1} << 63) - 165}));
  const std::vector<std::uint64_t> primes = LargestPrimes(3);
  Count number = 1;
  for (std::uint64_t i = 1; i < 40; ++i) {
    number = number * (0x9e3779b97f4a7c15 >> (i % 60));
    if (number.bits() > 250) break;
    std::vector<std::uint64_t> remainders;
    for (const std::uint64_t prime : primes) remainders.push_back(Remainder(number, prime));
    EXPECT_EQ(FromResidues(number.words()[0], primes, remainders), number) << i;
  }
}

}  // namespace
}  // namespace simpath
