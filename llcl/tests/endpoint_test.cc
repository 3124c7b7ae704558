// What an endpoint adds to the executor: tracing, abort, drain.
#include "llcl/endpoint.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"
#include "llcl/team.h"

namespace llcl {
namespace {

EndpointOptions ByHand() {
  EndpointOptions options;
  options.executor.has_thread = false;
  return options;
}

TEST(Endpoint, ATraceSeesEachRequestAndItsEnd) {
  SimFabric fabric({.ranks = 2});
  std::vector<TraceEvent> events;
  EndpointOptions options = ByHand();
  options.trace = [&](const TraceEvent& event) { events.push_back(event); };
  Endpoint one(MakeSimConduit(fabric, Rank{0}), options);
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  const Region there = *other.Allocate(8);
  Flag done;
  ASSERT_EQ(one.TryAtomic<std::uint64_t>(
                {.target = {there.remote()}, .operand = 1, .then = done.completion()}),
            Posted::kPosted);
  EXPECT_EQ(one.Wait(done), Outcome::kDone);
  fabric.Kill(Rank{1});
  while (!one.IsDown(Rank{1})) {
    // Time goes on where something happens.
    (void)one.TryAtomic<std::uint64_t>({.target = {there.remote()}, .operand = 1});
    one.Drain();
  }
  events.resize(2);
  EXPECT_EQ(one.TryAtomic<std::uint64_t>({.target = {there.remote()}, .operand = 1}),
            Posted::kPeerDown);
  ASSERT_EQ(events.size(), 4u);
  using What = TraceEvent::What;
  EXPECT_EQ(events[0].what, What::kPosted);
  EXPECT_EQ(events[0].kind, CommandKind::kAtomic);
  EXPECT_EQ(events[0].peer, Rank{1});
  EXPECT_EQ(events[0].bytes, 8u);
  EXPECT_EQ(events[1].what, What::kEnded);
  EXPECT_EQ(events[1].outcome, Outcome::kDone);
  EXPECT_GT(events[1].duration.count(), 0);
  EXPECT_EQ(events[3].what, What::kRefused);
  EXPECT_EQ(events[3].posted, Posted::kPeerDown);
}

TEST(Endpoint, CountsWhatIsRefusedAndWhatFailsWhereItIsAskedTo) {
  SimFabric fabric({.ranks = 2});
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  const Region there = *other.Allocate(8);
  EndpointOptions options = ByHand();
  options.prints_counts = true;
  testing::internal::CaptureStderr();
  {
    Endpoint one(MakeSimConduit(fabric, Rank{0}), options);
    const auto add = [&](std::uint64_t offset) {
      return one.TryAtomic<std::uint64_t>({.target = {there.remote(), offset}, .operand = 1});
    };
    EXPECT_EQ(add(8), Posted::kBadRange);
    EXPECT_EQ(one.TrySend({.to = Rank{1}, .handler = HandlerId{0}}), Posted::kBadRange);
    EXPECT_EQ(add(0), Posted::kPosted);
    one.Drain();
    EXPECT_EQ(add(0), Posted::kPosted);
    EXPECT_EQ(one.world().TryBarrier({}), Posted::kPosted);
    one.Abort();
    EXPECT_EQ(add(0), Posted::kClosing);
    EXPECT_EQ(one.world().TryBarrier({}), Posted::kClosing);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.substr(0, said.find(", ")), "llcl: rank 0 of 2: sim") << said;
  EXPECT_NE(
      said.find("; 0 reads, 0 writes, 2 atomics, 0 messages, 0 answers, 1 collective; refused: "
                "2 bad range, 2 closing; failed: "),
      std::string::npos)
      << said;
  // The second atomic, the barrier, and a message of the barrier's.
  EXPECT_NE(said.find("; failed: 3 aborted; "), std::string::npos) << said;
}

TEST(Endpoint, AnAbortEndsOperationsAndCollectivesAndNothingBeginsAnyMore) {
  SimFabric fabric({.ranks = 2});
  Endpoint one(MakeSimConduit(fabric, Rank{0}), ByHand());
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  const Region there = *other.Allocate(8);
  Flag add, barrier;
  ASSERT_EQ(one.TryAtomic<std::uint64_t>(
                {.target = {there.remote()}, .operand = 1, .then = add.completion()}),
            Posted::kPosted);
  ASSERT_EQ(one.world().TryBarrier(barrier.completion()), Posted::kPosted);
  one.Abort();
  EXPECT_EQ(barrier.outcome(), Outcome::kAborted);
  EXPECT_NE(one.Wait(add), Outcome::kLate);
  EXPECT_EQ(one.world().TryBarrier({}), Posted::kClosing);
  EXPECT_EQ(one.TryAtomic<std::uint64_t>({.target = {there.remote()}, .operand = 1}),
            Posted::kClosing);
}

// Each notices a loss at another time, and has tried something else meanwhile.
TEST(Endpoint, TheLivingMakeATeamWhateverTheyHaveBegunBefore) {
  SimFabric fabric({.ranks = 3});
  Endpoint one(MakeSimConduit(fabric, Rank{0}), ByHand());
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  Flag lost, first, second;
  ASSERT_EQ(one.world().TryBarrier(lost.completion()), Posted::kPosted);
  fabric.Kill(Rank{2});
  const Region word = *other.Allocate(8);
  while (!lost.done()) {
    // Time goes on where something happens.
    (void)one.TryAtomic<std::uint64_t>({.target = {word.remote()}, .operand = 1});
    (void)one.TryAdvance();
    (void)other.TryAdvance();
  }
  EXPECT_EQ(lost.outcome(), Outcome::kPeerDown);
  EXPECT_EQ(other.world().TryBarrier({}), Posted::kPeerDown);
  Team of_one(one.world(), {Rank{0}, Rank{1}}), of_other(other.world(), {Rank{0}, Rank{1}});
  ASSERT_EQ(of_one.TryBarrier(first.completion()), Posted::kPosted);
  ASSERT_EQ(of_other.TryBarrier(second.completion()), Posted::kPosted);
  while (!first.done() || !second.done()) {
    (void)one.TryAdvance();
    (void)other.TryAdvance();
  }
  EXPECT_EQ(first.outcome(), Outcome::kDone);
  EXPECT_EQ(second.outcome(), Outcome::kDone);
}

TEST(Endpoint, ALateOperationDoesNotTouchMemoryWhoseRegionIsGone) {
  SimFabric fabric({.ranks = 2, .latency_ns = 1e6});
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  const Region there = *other.Allocate(8);
  there.local().start[0] = std::byte{7};
  std::vector<std::byte> buffer(8);
  {
    Endpoint one(MakeSimConduit(fabric, Rank{0}), ByHand());
    {
      const Region here = *one.Register(buffer);
      ASSERT_EQ(one.TryRead({.from = {there.remote()}, .to = {here.local()}, .bytes = 8}),
                Posted::kPosted);
      one.Abort();
      EXPECT_EQ(one.overdue(), 0u) << "nobody has looked yet";
      Flag never;
      EXPECT_EQ(one.TryRead({.from = {there.remote()}, .to = {here.local()}, .bytes = 8}),
                Posted::kClosing);
    }
    for (int i = 0; i < 10; ++i) (void)other.TryAdvance();
  }
  EXPECT_EQ(buffer[0], std::byte{0});
}

// So the suite that runs with packing does run with it.
TEST(Endpoint, APackedOperationIsDoneByTheOtherRankOnly) {
  for (const bool packs : {false, true}) {
    SimFabric fabric({.ranks = 2});
    EndpointOptions options = ByHand();
    options.packs = packs;
    Endpoint one(MakeSimConduit(fabric, Rank{0}), options);
    Endpoint other(MakeSimConduit(fabric, Rank{1}), options);
    const Region there = *other.Allocate(8);
    Flag added;
    ASSERT_EQ(one.TryAtomic<std::uint64_t>(
                  {.target = {there.remote()}, .operand = 1, .then = added.completion()}),
              Posted::kPosted);
    for (int steps = 0; steps < 100; ++steps) (void)one.TryAdvance();
    EXPECT_EQ(added.done(), !packs);
    while (!added.done()) {
      (void)other.TryAdvance();
      (void)one.TryAdvance();
    }
    EXPECT_EQ(added.outcome(), Outcome::kDone);
  }
}

TEST(Endpoint, ACollectiveThatOthersDoNotJoinEndsLate) {
  SimFabric fabric({.ranks = 2});
  EndpointOptions options = ByHand();
  options.timeout = Timeout(30);
  Endpoint one(MakeSimConduit(fabric, Rank{0}), options);
  Endpoint other(MakeSimConduit(fabric, Rank{1}), ByHand());
  Flag barrier;
  ASSERT_EQ(one.world().TryBarrier(barrier.completion()), Posted::kPosted);
  EXPECT_EQ(one.Wait(barrier), Outcome::kLate);
}

}  // namespace
}  // namespace llcl
