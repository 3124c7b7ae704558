// Long collective operations, and those whose blocks differ, with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

using Words = std::vector<std::uint64_t>;

std::span<std::byte> Bytes(Words& words) { return std::as_writable_bytes(std::span(words)); }
std::span<const std::byte> Sent(const Words& words) { return std::as_bytes(std::span(words)); }

// The word at `i` of what `from` sends to `to`; to everybody: -1.
std::uint64_t Word(int from, int to, std::size_t i) {
  return static_cast<std::uint64_t>(from + 1) * 1'000'003u +
         static_cast<std::uint64_t>(to + 1) * 7'919u + i;
}

Words Block(int from, int to, std::size_t words) {
  Words block(words);
  for (std::size_t i = 0; i < words; ++i) block[i] = Word(from, to, i);
  return block;
}

// Words of different numbers, of which some are none, some short and some long.
std::size_t CountOf(int from, int to) {
  constexpr std::size_t kCounts[] = {0, 3, 5'000, 70'001};
  return kCounts[static_cast<std::size_t>(from * 3 + to) % 4];
}

std::vector<std::size_t> InBytes(std::vector<std::size_t> counts) {
  for (std::size_t& count : counts) count *= sizeof(std::uint64_t);
  return counts;
}

class LongTeams : public Conformance {};

// Above all bounds at which another way is taken.
constexpr std::size_t kSizes[] = {1'025, 9'000, 150'000};

TEST_P(LongTeams, BroadcastAndAllgatherBringTheSameBytesToAll) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    for (const std::size_t words : kSizes) {
      const int root = team.size() - 1;
      Words data = team.rank() == root ? Block(root, -1, words) : Words(words);
      EXPECT_EQ(
          Do(member, [&](Completion then) { return team.TryBroadcast(Bytes(data), root, then); }),
          Outcome::kDone);
      EXPECT_EQ(data, Block(root, -1, words));

      const Words mine = Block(team.rank(), -1, words);
      Words all(words * static_cast<std::size_t>(team.size()));
      EXPECT_EQ(
          Do(member,
             [&](Completion then) { return team.TryAllgather(Sent(mine), Bytes(all), then); }),
          Outcome::kDone);
      for (int rank = 0; rank < team.size(); ++rank) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(words) * rank;
        EXPECT_EQ(Words(begin, begin + static_cast<std::ptrdiff_t>(words)), Block(rank, -1, words));
      }
    }
    member.Barrier();
  });
}

TEST_P(LongTeams, ReductionsAddEachElementOfEachRankOnce) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const auto ranks = static_cast<std::uint64_t>(team.size());
    const std::uint64_t base = ranks * (ranks + 1) / 2 * 1'000'003u;
    for (const std::size_t words : kSizes) {
      const Words mine = Block(team.rank(), -1, words);
      Words expected(words);
      for (std::size_t i = 0; i < words; ++i) expected[i] = base + ranks * i;

      Words sums(words);
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryAllreduce<std::uint64_t>(mine, sums, AtomicOp::kAdd, then);
                   }),
                Outcome::kDone);
      EXPECT_EQ(sums, expected);
      Words in_place = mine;
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryAllreduce<std::uint64_t>(in_place, in_place, AtomicOp::kAdd,
                                                             then);
                   }),
                Outcome::kDone);
      EXPECT_EQ(in_place, expected);

      for (const int root : {0, team.size() - 1}) {
        Words result(team.rank() == root ? words : 0);
        EXPECT_EQ(Do(member,
                     [&](Completion then) {
                       return team.TryReduce<std::uint64_t>(mine, result, AtomicOp::kAdd, root,
                                                            then);
                     }),
                  Outcome::kDone);
        if (team.rank() == root) {
          EXPECT_EQ(result, expected);
        }
      }

      std::vector<std::size_t> counts(static_cast<std::size_t>(team.size()), words / ranks);
      counts.back() += words % ranks;
      const std::size_t at = words / ranks * static_cast<std::size_t>(team.rank());
      Words block(counts[static_cast<std::size_t>(team.rank())]);
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryReduceScatter<std::uint64_t>(mine, block, counts,
                                                                 AtomicOp::kAdd, then);
                   }),
                Outcome::kDone);
      EXPECT_TRUE(std::equal(block.begin(), block.end(),
                             expected.begin() + static_cast<std::ptrdiff_t>(at)));

      Words prefix(words);
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryScan<std::uint64_t>(mine, prefix, AtomicOp::kAdd, then);
                   }),
                Outcome::kDone);
      const auto before = static_cast<std::uint64_t>(team.rank()) + 1;
      for (std::size_t i = 0; i < words; ++i) {
        ASSERT_EQ(prefix[i], before * (before + 1) / 2 * 1'000'003u + before * i);
      }
    }
    member.Barrier();
  });
}

// An operation of the program's own: two numbers each, combined as a rotation and a scaling.
struct Affine {
  std::uint32_t scale = 1, add = 0;
  friend bool operator==(Affine, Affine) = default;
};

TEST_P(LongTeams, ElementsAreCombinedByAnOperationOfTheProgramsOwn) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const auto larger = [](const Affine& a, const Affine& b) {
      return Affine{std::max(a.scale, b.scale), a.add ^ b.add};
    };
    for (const std::size_t count : {std::size_t{3}, std::size_t{30'001}}) {
      std::vector<Affine> mine(count), result(count), prefix(count);
      for (std::size_t i = 0; i < count; ++i) {
        mine[i] = {static_cast<std::uint32_t>(team.rank()) + static_cast<std::uint32_t>(i),
                   1u << team.rank()};
      }
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryAllreduce<Affine>(mine, result, larger, then);
                   }),
                Outcome::kDone);
      EXPECT_EQ(
          Do(member,
             [&](Completion then) { return team.TryScan<Affine>(mine, prefix, larger, then); }),
          Outcome::kDone);
      for (std::size_t i = 0; i < count; ++i) {
        const auto word = static_cast<std::uint32_t>(i);
        ASSERT_EQ(result[i], (Affine{static_cast<std::uint32_t>(team.size()) - 1 + word,
                                     (1u << team.size()) - 1}));
        ASSERT_EQ(prefix[i], (Affine{static_cast<std::uint32_t>(team.rank()) + word,
                                     (2u << team.rank()) - 1}));
      }
    }
    member.Barrier();
  });
}

// Elements of 24 bytes fill no message, no segment and no piece of a channel.
struct Three {
  std::uint64_t a = 0, b = 0, c = 0;
  friend bool operator==(const Three&, const Three&) = default;
};

TEST_P(LongTeams, ElementsOfAnySizeAreCombinedWhole) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const auto add = [](const Three& x, const Three& y) {
      return Three{x.a + y.a, x.b + y.b, x.c + y.c};
    };
    const auto own = static_cast<std::uint64_t>(team.rank()) + 1;
    const auto ranks = static_cast<std::uint64_t>(team.size());
    for (const std::size_t count : {std::size_t{5}, std::size_t{700}, std::size_t{40'001}}) {
      std::vector<Three> mine(count), prefix(count), sums(count);
      for (std::size_t i = 0; i < count; ++i) mine[i] = {own, own * i, i};
      EXPECT_EQ(
          Do(member, [&](Completion then) { return team.TryScan<Three>(mine, prefix, add, then); }),
          Outcome::kDone);
      EXPECT_EQ(
          Do(member,
             [&](Completion then) { return team.TryAllreduce<Three>(mine, sums, add, then); }),
          Outcome::kDone);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t before = own * (own + 1) / 2, all = ranks * (ranks + 1) / 2;
        ASSERT_EQ(prefix[i], (Three{before, before * i, own * i})) << i;
        ASSERT_EQ(sums[i], (Three{all, all * i, ranks * i})) << i;
      }
    }
    member.Barrier();
  });
}

// The smaller of a number and of none depends on their order.
TEST_P(LongTeams, AnAllreduceHasTheSameBitsOnAllRanks) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const double none = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> mine = {team.rank() == 0 ? none : 1.0,
                                      team.rank() % 2 == 0 ? 0.0 : -0.0,
                                      team.rank() % 2 == 0 ? none : -1.0};
    std::vector<double> least(mine.size());
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryAllreduce<double>(mine, least, AtomicOp::kMin, then);
                 }),
              Outcome::kDone);
    std::vector<double> all(mine.size() * static_cast<std::size_t>(team.size()));
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryAllgather(std::as_bytes(std::span(least)),
                                            std::as_writable_bytes(std::span(all)), then);
                 }),
              Outcome::kDone);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(std::memcmp(&all[i], &least[i % least.size()], sizeof(double)), 0) << i;
    }
    member.Barrier();
  });
}

// More than a channel holds comes before the operation has begun.
TEST_P(LongTeams, ARankMayComeLate) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    constexpr std::size_t kWords = 1 << 20;
    const bool is_late = team.rank() == team.size() - 1;
    if (is_late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    Words data = team.rank() == 0 ? Block(0, -1, kWords) : Words(kWords);
    EXPECT_EQ(Do(member, [&](Completion then) { return team.TryBroadcast(Bytes(data), 0, then); }),
              Outcome::kDone);
    EXPECT_EQ(data, Block(0, -1, kWords));
    member.Barrier();
  });
}

TEST_P(LongTeams, BlocksMayDiffer) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const int ranks = team.size(), own = team.rank(), root = team.size() / 2;
    std::vector<std::size_t> to, from, each;
    Words sent, expected, all;
    for (int rank = 0; rank < ranks; ++rank) {
      to.push_back(CountOf(own, rank));
      from.push_back(CountOf(rank, own));
      each.push_back(CountOf(rank, rank));
      const Words out = Block(own, rank, to.back()), in = Block(rank, own, from.back());
      const Words shared = Block(rank, -1, each.back());
      sent.insert(sent.end(), out.begin(), out.end());
      expected.insert(expected.end(), in.begin(), in.end());
      all.insert(all.end(), shared.begin(), shared.end());
    }
    Words received(expected.size());
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryAlltoallv(Sent(sent), InBytes(to), Bytes(received), InBytes(from),
                                            then);
                 }),
              Outcome::kDone);
    EXPECT_EQ(received, expected);

    const Words mine = Block(own, -1, each[static_cast<std::size_t>(own)]);
    Words gathered(all.size());
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryAllgatherv(Sent(mine), Bytes(gathered), InBytes(each), then);
                 }),
              Outcome::kDone);
    EXPECT_EQ(gathered, all);

    const bool is_root = own == root;
    Words on_root(is_root ? all.size() : 0);
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryGatherv(Sent(mine), Bytes(on_root), InBytes(each), root, then);
                 }),
              Outcome::kDone);
    if (is_root) {
      EXPECT_EQ(on_root, all);
    }

    Words back(mine.size());
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return team.TryScatterv(Sent(on_root), InBytes(each), Bytes(back), root, then);
                 }),
              Outcome::kDone);
    EXPECT_EQ(back, mine);
    member.Barrier();
  });
}

TEST_P(LongTeams, ManyLongOnesAreUnderWayAtOnce) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    constexpr std::size_t kMany = 12, kWords = 40'000;
    std::vector<Words> mine, sums(kMany, Words(kWords)), all;
    Counter ended;
    for (std::size_t i = 0; i < kMany; ++i) {
      mine.push_back(Block(team.rank(), static_cast<int>(i), kWords));
      all.emplace_back(kWords * static_cast<std::size_t>(team.size()));
    }
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(
          team.TryAllreduce<std::uint64_t>(mine[i], sums[i], AtomicOp::kMax, ended.completion()),
          Posted::kPosted);
      EXPECT_EQ(team.TryAllgather(Sent(mine[i]), Bytes(all[i]), ended.completion()),
                Posted::kPosted);
    }
    member.endpoint().Wait(ended, 2 * kMany);
    EXPECT_EQ(ended.failed(), 0u);
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(sums[i], Block(team.size() - 1, static_cast<int>(i), kWords));
      const auto last = all[i].end() - static_cast<std::ptrdiff_t>(kWords);
      EXPECT_EQ(Words(last, all[i].end()), Block(team.size() - 1, static_cast<int>(i), kWords));
    }
    member.Barrier();
  });
}

// Each rank begins the operations of two teams in another order than the rank before it.
TEST_P(LongTeams, TeamsDoNotKeepEachOtherWaiting) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    std::vector<Rank> members;
    for (int rank = 0; rank < world.size(); ++rank) members.push_back(Rank{rank});
    Team one(world, members), two(world, members);
    constexpr std::size_t kWords = 400'000;
    const Words mine(kWords, 1);
    Words first(kWords), second(kWords);
    Flag first_done, second_done;
    const auto begin = [&](Team& team, Words& sums, Flag& done) {
      EXPECT_EQ(team.TryAllreduce<std::uint64_t>(mine, sums, AtomicOp::kAdd, done.completion()),
                Posted::kPosted);
    };
    if (world.rank() % 2 == 0) {
      begin(one, first, first_done);
      begin(two, second, second_done);
      EXPECT_EQ(member.endpoint().Wait(first_done), Outcome::kDone);
      EXPECT_EQ(member.endpoint().Wait(second_done), Outcome::kDone);
    } else {
      begin(two, second, second_done);
      if (world.size() == 2) {
        EXPECT_EQ(member.endpoint().Wait(second_done), Outcome::kDone);
      }
      begin(one, first, first_done);
      EXPECT_EQ(member.endpoint().Wait(first_done), Outcome::kDone);
      if (world.size() > 2) {
        EXPECT_EQ(member.endpoint().Wait(second_done), Outcome::kDone);
      }
    }
    const Words sum(kWords, static_cast<std::uint64_t>(world.size()));
    EXPECT_EQ(first, sum);
    EXPECT_EQ(second, sum);
    member.Barrier();
  });
}

TEST_P(LongTeams, AreSplitByColorAndByHost) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    std::vector<int> colors, keys;
    for (int rank = 0; rank < world.size(); ++rank) {
      colors.push_back(rank % 2);
      keys.push_back(-rank);
    }
    Team half = world.Split(colors, keys);
    ASSERT_GE(half.rank(), 0);
    for (int rank = 0; rank + 1 < half.size(); ++rank) {
      EXPECT_EQ(ToInt(half.member(rank)), ToInt(half.member(rank + 1)) + 2);
    }
    // Each rank is in one team of a host, and each host has one leader.
    Team host = world.OfHost(), leaders = world.Leaders();
    ASSERT_GE(host.rank(), 0);
    EXPECT_EQ(host.rank() == 0, leaders.rank() >= 0);
    const Words mine = {host.rank() == 0 ? static_cast<std::uint64_t>(host.size()) : 0};
    Words sum(1);
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return world.TryAllreduce<std::uint64_t>(mine, sum, AtomicOp::kAdd, then);
                 }),
              Outcome::kDone);
    EXPECT_EQ(sum[0], static_cast<std::uint64_t>(world.size()));
    EXPECT_EQ(Do(member, [&](Completion then) { return host.TryBarrier(then); }), Outcome::kDone);
    if (leaders.rank() >= 0) {
      EXPECT_EQ(Do(member, [&](Completion then) { return leaders.TryBarrier(then); }),
                Outcome::kDone);
    }
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Conduit, LongTeams, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
