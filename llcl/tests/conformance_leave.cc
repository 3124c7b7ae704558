// A rank leaves while the other ranks go on, with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class Leave : public Conformance {
 protected:
  // Runs `f(member, has_left)` on all ranks: has_left() returns once this rank knows that rank 0
  // has left. Each rank hears so once, and no rank is taken for lost.
  template <typename F>
  void RunUntilRank0Leaves(F f) {
    std::vector<std::atomic<std::uint64_t>> left(static_cast<std::size_t>(GetParam().ranks));
    std::atomic<std::uint64_t> lost{0};
    const auto options = [&](int rank) {
      EndpointOptions of_rank;
      of_rank.handlers = {[](Message&) {}};
      of_rank.on_loss = [&](Rank) { ++lost; };
      of_rank.on_leave = [&left, rank](Rank gone) {
        if (ToInt(gone) == 0) ++left[static_cast<std::size_t>(rank)];
      };
      return of_rank;
    };
    Run(
        [&](Member& member) {
          std::atomic<std::uint64_t>& mine = left[static_cast<std::size_t>(member.rank())];
          f(member, [&] { member.WaitFor(mine, 1); });
          if (member.rank() != 0) {
            EXPECT_EQ(member.endpoint().PresenceOf(Rank{0}), Presence::kLeft);
          }
          EXPECT_EQ(mine, member.rank() == 0 ? 0 : 1);
          member.Barrier();  // None leaves while others look.
        },
        options);
    EXPECT_EQ(lost, 0);
  }
  static Outcome Barrier(Member& member) {
    return PostAndWait(member.endpoint(),
                       [&](Completion then) { return member.endpoint().world().TryBarrier(then); });
  }
};

TEST_P(Leave, AfterItsPartOfABroadcastEndsNobodysOperation) {
  RunUntilRank0Leaves([](Member& member, auto has_left) {
    std::vector<std::uint64_t> words(1000, member.rank() == 0 ? 42 : 0);
    const auto broadcast = [&] {
      return PostAndWait(member.endpoint(), [&](Completion then) {
        return member.endpoint().world().TryBroadcast(std::as_writable_bytes(std::span(words)), 0,
                                                      then);
      });
    };
    if (member.rank() == 0) {
      EXPECT_EQ(broadcast(), Outcome::kDone);
      return member.Leave();
    }
    has_left();
    EXPECT_EQ(broadcast(), Outcome::kDone);
    EXPECT_EQ(words, std::vector<std::uint64_t>(1000, 42));
  });
}

TEST_P(Leave, OperationsThatLackItsPartSayLeft) {
  RunUntilRank0Leaves([](Member& member, auto has_left) {
    EXPECT_EQ(Barrier(member), Outcome::kDone);
    Team& world = member.endpoint().world();
    if (member.rank() == 0) {
      member.Barrier();
      return member.Leave();
    }
    Flag begun_before;
    EXPECT_EQ(world.TryBarrier(begun_before.completion()), Posted::kPosted);
    member.Barrier();
    has_left();
    EXPECT_EQ(member.endpoint().Wait(begun_before), Outcome::kLeft);
    EXPECT_EQ(world.TryBarrier({}), Posted::kLeft);
    std::vector<Rank> others;
    for (int rank = 1; rank < member.size(); ++rank) others.push_back(Rank{rank});
    Team team(world, others);
    EXPECT_EQ(
        PostAndWait(member.endpoint(), [&](Completion then) { return team.TryBarrier(then); }),
        Outcome::kDone);
  });
}

TEST_P(Leave, RequestsOfItAreRefusedAndSayLeft) {
  RunUntilRank0Leaves([](Member& member, auto has_left) {
    std::vector<std::uint64_t> word(1);
    {
      const Region mine = member.Allocate(8);
      const Region local = member.Register(word);
      const std::vector<RemoteRegion> all = member.Exchange(mine);
      if (member.rank() != 0) {
        // Regions are looked up before the rank leaves, or as it does.
        (void)Read(member.endpoint(), {.from = {all[0]}, .to = {local.local()}, .bytes = 8});
      }
      member.Barrier();
      if (member.rank() != 0) {
        has_left();
        Endpoint& endpoint = member.endpoint();
        EXPECT_TRUE(endpoint.IsDown(Rank{0}));
        EXPECT_EQ(endpoint.TryRead({.from = {all[0]}, .to = {local.local()}, .bytes = 8}),
                  Posted::kLeft);
        EXPECT_EQ(endpoint.TryWrite({.from = {local.local()}, .to = {all[0]}, .bytes = 8}),
                  Posted::kLeft);
        EXPECT_EQ(endpoint.TryAtomic<std::uint64_t>({.target = {all[0]}, .operand = 1}),
                  Posted::kLeft);
        EXPECT_EQ(endpoint.TrySend({.to = Rank{0}, .handler = HandlerId{0}}), Posted::kLeft);
        EXPECT_EQ(Read(endpoint, {.from = {all[0]}, .to = {local.local()}, .bytes = 8}),
                  Outcome::kLeft);
      }
    }
    if (member.rank() == 0) member.Leave();
  });
}

TEST_P(Leave, MessagesThatItSentBeforeAreHandled) {
  constexpr std::uint64_t kMessages = 500;
  std::vector<std::atomic<std::uint64_t>> came(static_cast<std::size_t>(GetParam().ranks));
  Run(
      [&](Member& member) {
        if (member.rank() == 0) {
          for (int rank = 1; rank < member.size(); ++rank) {
            for (std::uint64_t i = 0; i < kMessages; ++i) {
              member.Post([&] {
                return member.endpoint().TrySend({.to = Rank{rank}, .handler = HandlerId{0}});
              });
            }
          }
          member.Leave();
        } else {
          member.WaitFor(came[static_cast<std::size_t>(member.rank())], kMessages);
        }
        member.Barrier();
      },
      [&](int rank) {
        EndpointOptions of_rank;
        of_rank.handlers = {[&came, rank](Message&) { ++came[static_cast<std::size_t>(rank)]; }};
        return of_rank;
      });
}

INSTANTIATE_TEST_SUITE_P(Conduit, Leave, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
