#include "llcl/conduit/circle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tools/random/seeds.h"

namespace llcl {
namespace {

using Ranks = std::vector<Rank>;

// Of ranks in hosts of so many.
std::vector<int> Hosts(int size, int ranks_per_host = 1) {
  std::vector<int> hosts;
  for (int rank = 0; rank < size; ++rank) hosts.push_back(rank / ranks_per_host);
  return hosts;
}

Ranks MembersOf(int mine, int size, const std::set<Rank>& gone = {}) {
  return Circle(Rank{mine}, Hosts(size)).Members([&](Rank rank) { return gone.contains(rank); });
}

Ranks Sorted(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

TEST(Circle, HasAllRanksOfASmallJob) {
  EXPECT_EQ(MembersOf(0, 1), Ranks{});
  EXPECT_EQ(MembersOf(1, 2), Ranks{Rank{0}});
  for (const int size : {3, 4, 5, 7}) {
    for (int mine = 0; mine < size; ++mine) {
      EXPECT_EQ(MembersOf(mine, size).size(), static_cast<std::size_t>(size - 1)) << size;
    }
  }
}

TEST(Circle, HasTheRanksAtPowersOfTwoOnBothSides) {
  EXPECT_EQ(Sorted(MembersOf(0, 16)),
            (Ranks{Rank{1}, Rank{2}, Rank{4}, Rank{8}, Rank{12}, Rank{14}, Rank{15}}));
}

// 1,024 ranks open 9,728 connections, and not 523,776.
TEST(Circle, GrowsAsTheLogarithm) {
  std::size_t connections = 0;
  for (int mine = 0; mine < 1024; ++mine) connections += MembersOf(mine, 1024).size();
  EXPECT_EQ(MembersOf(7, 1024).size(), 19u);
  EXPECT_EQ(connections / 2, 9728u);
}

Ranks MembersOf(int mine, const std::vector<int>& hosts) {
  return Circle(Rank{mine}, hosts).Members([](Rank) { return false; });
}

TEST(Circle, EachMemberHasThisRankToo) {
  for (int size = 1; size <= 40; ++size) {
    for (const int ranks_per_host : {1, 3, 7}) {
      const std::vector<int> hosts = Hosts(size, ranks_per_host);
      for (int mine = 0; mine < size; ++mine) {
        for (const Rank member : MembersOf(mine, hosts)) {
          const Ranks back = MembersOf(ToInt(member), hosts);
          EXPECT_NE(std::find(back.begin(), back.end(), Rank{mine}), back.end());
        }
      }
    }
  }
}

// So that the end of a whole host is noticed.
TEST(Circle, HasARankOfAnotherHost) {
  std::vector<std::vector<int>> all = {Hosts(64, 60), Hosts(64, 8), {1, 0, 0, 1, 1, 0}};
  all.push_back({0, 0, 0, 1, 0, 1, 0, 0});
  for (const std::vector<int>& hosts : all) {
    for (std::size_t mine = 0; mine < hosts.size(); ++mine) {
      const Ranks members = MembersOf(static_cast<int>(mine), hosts);
      EXPECT_TRUE(std::ranges::any_of(members, [&](Rank member) {
        return hosts[static_cast<std::size_t>(ToInt(member))] != hosts[mine];
      }));
    }
  }
}

TEST(Circle, KnowsWhetherAllRanksOfAJobKnowAll) {
  for (const int size : {1, 2, 3, 4, 5, 7}) EXPECT_TRUE(Circle::KnowsAll(Hosts(size))) << size;
  for (const int size : {6, 8, 9, 64}) EXPECT_FALSE(Circle::KnowsAll(Hosts(size))) << size;
  EXPECT_TRUE(Circle::KnowsAll(Hosts(64, 64)));
}

TEST(Circle, TheNextRankStandsInPlaceOfAGoneOne) {
  const Ranks members = MembersOf(0, 16, {Rank{4}, Rank{5}, Rank{15}});
  EXPECT_EQ(Sorted(members), (Ranks{Rank{1}, Rank{2}, Rank{6}, Rank{8}, Rank{12}, Rank{14}}));
  EXPECT_EQ(MembersOf(0, 3, {Rank{1}, Rank{2}}), Ranks{});
}

// Of any ranks that are gone: who is left is reached from each, by ranks that each pass on once.
TEST(Circle, NewsReachAllThatAreLeft) {
  const std::uint64_t seed = random_programs::FirstSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const int size = std::uniform_int_distribution(2, 64)(random);
    std::set<Rank> gone;
    for (int rank = 1; rank < size; ++rank) {
      if (random() % 3 == 0) gone.insert(Rank{rank});
    }
    std::set<Rank> reached = {Rank{0}};
    std::vector<Rank> passing = {Rank{0}};
    while (!passing.empty()) {
      const Rank from = passing.back();
      passing.pop_back();
      for (const Rank to : MembersOf(ToInt(from), size, gone)) {
        if (reached.insert(to).second) passing.push_back(to);
      }
    }
    EXPECT_EQ(reached.size() + gone.size(), static_cast<std::size_t>(size));
  }
}

}  // namespace
}  // namespace llcl
