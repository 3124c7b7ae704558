#include "apps/simpath/array/count_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/simpath/array/bound.h"
#include "apps/simpath/array/grid_size.h"
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

// Killed after any row, by other threads than those that go on.
TEST(CountGrid, GoesOnFromEachCheckpoint) {
  const topo::Topology machine = *topo::FromSynthetic("pack:2 [numa] core:2 pu:1");
  const auto by = [&](int threads) {
    return topo::Plan(machine, topo::Policy::kCompact, threads)->Unbound();
  };
  constexpr int kCells = 9;
  const std::string file = ::testing::TempDir() + "/grid";
  std::vector<std::string> copies;
  const auto count = CountGrid(kCells, machine, by(2),
                               {.progress =
                                    [&](const GridProgress&) {
                                      if (!std::filesystem::exists(file)) return;
                                      copies.push_back(absl::StrCat(file, ".", copies.size()));
                                      std::filesystem::copy_file(file, copies.back());
                                    },
                                .checkpoint = {.file = file, .every = std::chrono::seconds(0)}});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->ToString(), kGridPaths[kCells - 1]);
  // After each row but the last of each modulus, seen at the next: also at those last.
  EXPECT_EQ(copies.size(), static_cast<std::size_t>(ForecastGrid(kCells).moduli) * 10 - 1);
  for (const std::string& copy : copies) {
    int rows = 0;
    const auto resumed =
        CountGrid(kCells, machine, by(3),
                  {.progress = [&](const GridProgress&) { ++rows; },
                   .checkpoint = {.file = copy, .every = std::chrono::hours(1), .resume = true}});
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_EQ(resumed->ToString(), kGridPaths[kCells - 1]) << copy;
    EXPECT_LT(rows, ForecastGrid(kCells).moduli * 10);
  }
}

TEST(CountGrid, RefusesACheckpointOfAnotherGrid) {
  const topo::Topology machine = *topo::FromSynthetic("pack:1 core:1 pu:1");
  const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kCompact, 1)->Unbound();
  const program::CheckpointOptions options = {.file = ::testing::TempDir() + "/of-4",
                                              .every = std::chrono::seconds(0)};
  ASSERT_TRUE(CountGrid(4, machine, mapping, {.progress = {}, .checkpoint = options}).ok());
  program::CheckpointOptions resume = options;
  resume.resume = true;
  const auto refused = CountGrid(5, machine, mapping, {.progress = {}, .checkpoint = resume});
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
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
