#include "topo/free_ranges.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "tools/random/seeds.h"

namespace topo {
namespace {

TEST(FreeRanges, ARequestGetsTheLowestRangeThatItFitsIn) {
  FreeRanges free;
  EXPECT_EQ(free.TryTake(1), std::nullopt);
  free.Give({100, 104});
  free.Give({10, 12});
  free.Give({50, 60});
  EXPECT_EQ(free.TryTake(3), (AddressRange{50, 53}));
  EXPECT_EQ(free.TryTake(2), (AddressRange{10, 12}));
  EXPECT_EQ(free.TryTake(8), std::nullopt);
  EXPECT_EQ(free.TryTake(7), (AddressRange{53, 60}));
  EXPECT_EQ(free.TryTake(4), (AddressRange{100, 104}));
  EXPECT_EQ(free.size(), 0u);
}

TEST(FreeRanges, NeighborsBecomeOneRange) {
  FreeRanges free;
  free.Give({0, 10});
  free.Give({20, 30});
  EXPECT_EQ(free.size(), 2u);
  free.Give({10, 20});
  EXPECT_EQ(free.size(), 1u);
  EXPECT_EQ(free.TryTake(30), (AddressRange{0, 30}));
}

// An oracle: for each address whether it is free.
class Addresses {
 public:
  explicit Addresses(std::size_t size) : is_free_(size) {}

  void Give(AddressRange range) {
    for (std::uint64_t at = range.begin; at < range.end; ++at) {
      EXPECT_FALSE(is_free_[at]);
      is_free_[at] = true;
    }
  }
  std::optional<AddressRange> TryTake(std::uint64_t bytes) {
    std::uint64_t begin = 0;
    for (std::uint64_t at = 0; at < is_free_.size(); ++at) {
      if (!is_free_[at]) begin = at + 1;
      if (at + 1 - begin < bytes) continue;
      for (std::uint64_t taken = begin; taken <= at; ++taken) is_free_[taken] = false;
      return AddressRange{begin, begin + bytes};
    }
    return std::nullopt;
  }
  std::size_t stretches() const {
    std::size_t count = 0;
    for (std::size_t at = 0; at < is_free_.size(); ++at) {
      count += is_free_[at] && (at == 0 || !is_free_[at - 1]) ? 1 : 0;
    }
    return count;
  }

 private:
  std::vector<bool> is_free_;
};

TEST(FreeRanges, RandomRequestsGetWhatAnOracleGivesThem) {
  constexpr std::uint64_t kAddresses = 200;
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(50);
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    FreeRanges free;
    Addresses oracle(kAddresses);
    free.Give({0, kAddresses});
    oracle.Give({0, kAddresses});
    std::vector<AddressRange> taken;
    for (int step = 0; step < 1000; ++step) {
      if (!taken.empty() && random() % 2 == 0) {
        AddressRange& any = taken[random() % taken.size()];
        free.Give(any);
        oracle.Give(any);
        any = taken.back();
        taken.pop_back();
      } else {
        const std::uint64_t bytes = 1 + random() % 20;
        const std::optional<AddressRange> got = free.TryTake(bytes);
        ASSERT_EQ(got, oracle.TryTake(bytes)) << "seed " << seed << ", step " << step;
        if (got) taken.push_back(*got);
      }
      ASSERT_EQ(free.size(), oracle.stretches()) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace topo
