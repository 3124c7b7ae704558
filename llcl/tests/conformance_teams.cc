// Collective operations with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class Teams : public Conformance {};

std::span<std::byte> Bytes(std::vector<std::uint64_t>& words) {
  return std::as_writable_bytes(std::span(words));
}

// More than a message holds.
constexpr std::size_t kLong = 3000;

TEST_P(Teams, DoAllOfThemInEverySizeOfBlock) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    const auto ranks = static_cast<std::size_t>(team.size());
    const auto own = static_cast<std::uint64_t>(team.rank());
    for (const std::size_t words : {std::size_t{0}, std::size_t{1}, std::size_t{100}, kLong}) {
      const std::vector<std::uint64_t> mine(words, own + 1);
      const auto bytes = std::as_bytes(std::span(mine));
      const std::uint64_t sum = ranks * (ranks + 1) / 2;
      for (int root = 0; root < team.size(); ++root) {
        const bool is_root = team.rank() == root;
        std::vector<std::uint64_t> data(words, is_root ? 42 : 0);
        EXPECT_EQ(
            Do(member, [&](Completion then) { return team.TryBroadcast(Bytes(data), root, then); }),
            Outcome::kDone);
        EXPECT_EQ(data, std::vector<std::uint64_t>(words, 42));

        std::vector<std::uint64_t> all(is_root ? words * ranks : 0);
        EXPECT_EQ(
            Do(member,
               [&](Completion then) { return team.TryGather(bytes, Bytes(all), root, then); }),
            Outcome::kDone);
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i / words + 1);

        std::vector<std::uint64_t> result(is_root ? words : 0);
        EXPECT_EQ(Do(member,
                     [&](Completion then) {
                       return team.TryReduce<std::uint64_t>(mine, result, AtomicOp::kAdd, root,
                                                            then);
                     }),
                  Outcome::kDone);
        EXPECT_EQ(result, std::vector<std::uint64_t>(result.size(), sum));
      }
      std::vector<std::uint64_t> all(words * ranks);
      EXPECT_EQ(
          Do(member, [&](Completion then) { return team.TryAllgather(bytes, Bytes(all), then); }),
          Outcome::kDone);
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i / words + 1);

      std::vector<std::uint64_t> result(words);
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryAllreduce<std::uint64_t>(mine, result, AtomicOp::kMax, then);
                   }),
                Outcome::kDone);
      EXPECT_EQ(result, std::vector<std::uint64_t>(words, ranks));

      std::vector<std::uint64_t> out(words * ranks), in(words * ranks);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = own * 100 + i / words;
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     return team.TryAlltoall(std::as_bytes(std::span(out)), Bytes(in), then);
                   }),
                Outcome::kDone);
      for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i], i / words * 100 + own);
      EXPECT_EQ(Do(member, [&](Completion then) { return team.TryBarrier(then); }), Outcome::kDone);
    }
    member.Barrier();
  });
}

TEST_P(Teams, ManyAreUnderWayAtOnce) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    constexpr std::size_t kMany = 100;
    std::vector<std::vector<double>> mine, sums(kMany, std::vector<double>(2));
    Counter ended;
    for (std::size_t i = 0; i < kMany; ++i) {
      mine.push_back({static_cast<double>(i), 0.5});
      EXPECT_EQ(team.TryAllreduce<double>(mine.back(), sums[i], AtomicOp::kAdd, ended.completion()),
                Posted::kPosted);
    }
    member.endpoint().Wait(ended, kMany);
    EXPECT_EQ(ended.failed(), 0u);
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(sums[i][0], static_cast<double>(i) * team.size());
      EXPECT_EQ(sums[i][1], 0.5 * team.size());
    }
    member.Barrier();
  });
}

TEST_P(Teams, AreMadeOfTeams) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    std::vector<Rank> members;  // The even, or the odd, from the last on.
    for (int rank = world.size() - 1; rank >= 0; --rank) {
      if (rank % 2 == world.rank() % 2) members.push_back(Rank{rank});
    }
    Team half(world, members);
    ASSERT_GE(half.rank(), 0);
    EXPECT_EQ(ToInt(half.member(half.rank())), member.rank());
    Team alone(half, {Rank{member.rank()}});
    const std::vector<std::int64_t> mine = {member.rank()};
    std::vector<std::int64_t> sum(1), own(1), all(1);
    Counter ended;
    EXPECT_EQ(half.TryAllreduce<std::int64_t>(mine, sum, AtomicOp::kAdd, ended.completion()),
              Posted::kPosted);
    EXPECT_EQ(alone.TryAllreduce<std::int64_t>(mine, own, AtomicOp::kAdd, ended.completion()),
              Posted::kPosted);
    EXPECT_EQ(world.TryAllreduce<std::int64_t>(mine, all, AtomicOp::kAdd, ended.completion()),
              Posted::kPosted);
    member.endpoint().Wait(ended, 3);
    EXPECT_EQ(ended.failed(), 0u);
    std::int64_t expected = 0;
    for (const Rank rank : members) expected += ToInt(rank);
    EXPECT_EQ(sum[0], expected);
    EXPECT_EQ(own[0], member.rank());
    EXPECT_EQ(all[0], world.size() * (world.size() - 1) / 2);
    member.Barrier();
  });
}

TEST_P(Teams, RefuseWhatDoesNotFit) {
  Run([&](Member& member) {
    Team& team = member.endpoint().world();
    std::vector<std::uint64_t> one(1), many(static_cast<std::size_t>(team.size()) + 1);
    std::vector<double> real(1);
    const auto bytes = std::as_bytes(std::span(one));
    EXPECT_EQ(team.TryBroadcast(Bytes(one), team.size(), {}), Posted::kBadRange);
    EXPECT_EQ(team.TryBroadcast(Bytes(one), -1, {}), Posted::kBadRange);
    EXPECT_EQ(team.TryAllgather(bytes, Bytes(many), {}), Posted::kBadRange);
    EXPECT_EQ(team.TryGather(bytes, Bytes(many), team.rank(), {}), Posted::kBadRange);
    EXPECT_EQ(team.TryAlltoall(bytes, Bytes(many), {}), Posted::kBadRange);
    EXPECT_EQ(team.TryAllreduce<double>(real, real, AtomicOp::kXor, {}), Posted::kBadRange);
    EXPECT_EQ(team.TryAllreduce<double>(real, real, AtomicOp::kSwap, {}), Posted::kBadRange);
    EXPECT_EQ(team.TryAllreduce<std::uint64_t>(one, many, AtomicOp::kAdd, {}), Posted::kBadRange);
    Team none(team, {});
    EXPECT_EQ(none.TryBarrier({}), Posted::kBadRange);
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Conduit, Teams, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
