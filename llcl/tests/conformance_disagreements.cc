// Members that begin operations of a team which do not fit, with every conduit (conformance.h): a
// sentence with both.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

using Words = std::vector<std::uint64_t>;

std::span<std::byte> Bytes(Words& words) { return std::as_writable_bytes(std::span(words)); }
std::span<const std::byte> Sent(const Words& words) { return std::as_bytes(std::span(words)); }

class Disagreements : public Conformance {};

TEST_P(Disagreements, AreOfElements) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    if (world.size() == 1) return;
    for (const std::size_t words : {std::size_t{16}, std::size_t{48'384}}) {
      std::vector<Rank> members;
      for (int rank = 0; rank < world.size(); ++rank) members.push_back(Rank{rank});
      Team team(world, members);
      Words data(words), sums(words);
      Flag done;
      const std::span<const std::uint64_t> mine(data);
      // As many bytes, also in each rank's block, if the number of ranks divides them.
      const std::span<std::uint32_t> halves(reinterpret_cast<std::uint32_t*>(data.data()),
                                            2 * words);
      const std::span<std::uint32_t> half_sums(reinterpret_cast<std::uint32_t*>(sums.data()),
                                               2 * words);
      ASSERT_EQ(team.rank() == 0 ? team.TryAllreduce<std::uint32_t>(
                                       halves, half_sums, AtomicOp::kAdd, done.completion())
                                 : team.TryAllreduce<std::uint64_t>(mine, sums, AtomicOp::kAdd,
                                                                    done.completion()),
                Posted::kPosted);
      const Outcome outcome = member.endpoint().Wait(done);
      // A long part that is read has no elements; it is combined as the receiver does it.
      if (outcome != Outcome::kDone) {
        EXPECT_EQ(outcome, Outcome::kDisagreement) << ToString(outcome);
        EXPECT_NE(team.disagreement().find("combines elements of "), std::string::npos)
            << team.disagreement();
      }
      member.Barrier();
    }
  });
}

// Each of two ranks waits for the other.
TEST_P(Disagreements, AreOfRoots) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    if (world.size() == 1) return;
    for (const std::size_t words : {1, 2'000, 20'000, 200'000}) {
      std::vector<Rank> members;
      for (int rank = 0; rank < world.size(); ++rank) members.push_back(Rank{rank});
      Team team(world, members);
      Words data(words);
      Flag done;
      ASSERT_EQ(team.TryBroadcast(Bytes(data), team.rank() == 0 ? 1 : 0, done.completion()),
                Posted::kPosted);
      const Outcome outcome = member.endpoint().Wait(done);
      EXPECT_EQ(outcome, Outcome::kDisagreement) << ToString(outcome);
      member.Barrier();
    }
  });
}

TEST_P(Disagreements, AreOfSizes) {
  Run([&](Member& member) {
    Team& world = member.endpoint().world();
    if (world.size() == 1) return;
    Words in_place(static_cast<std::size_t>(world.size()));
    EXPECT_EQ(world.TryAlltoall(Sent(in_place), Bytes(in_place), {}), Posted::kBadRange);
    std::vector<Rank> members;
    for (int rank = 0; rank < world.size(); ++rank) members.push_back(Rank{rank});
    for (const std::size_t words : {std::size_t{10}, std::size_t{20'000}}) {
      Team team(world, members);
      const bool is_wrong = team.rank() == 1;
      Words data(is_wrong ? words + 1 : words);
      Flag done;
      ASSERT_EQ(team.TryBroadcast(Bytes(data), 0, done.completion()), Posted::kPosted);
      const Outcome outcome = member.endpoint().Wait(done);
      if (is_wrong) {
        EXPECT_EQ(outcome, Outcome::kDisagreement) << ToString(outcome);
        EXPECT_EQ(team.disagreement(),
                  "rank 0 sends " + std::to_string(8 * words) + " bytes to rank 1, which expects " +
                      std::to_string(8 * words + 8) + " bytes, in operation 0 of the team");
      }
      member.Barrier();
    }
    // Different operations: all ranks learn of it.
    Team team(world, members);
    Words all(static_cast<std::size_t>(world.size()));
    const Words mine(1);
    Flag done;
    if (team.rank() == 0) {
      ASSERT_EQ(team.TryBarrier(done.completion()), Posted::kPosted);
    } else {
      ASSERT_EQ(team.TryAllgather(Sent(mine), Bytes(all), done.completion()), Posted::kPosted);
    }
    EXPECT_EQ(member.endpoint().Wait(done), Outcome::kDisagreement);
    EXPECT_NE(team.disagreement(), "");
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Conduit, Disagreements, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
