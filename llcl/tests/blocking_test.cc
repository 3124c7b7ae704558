// Operations that return their outcome, and the names of outcomes and refusals.
#include "llcl/blocking.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

EndpointOptions ByHand() {
  EndpointOptions options;
  options.executor.has_thread = false;
  options.executor.tags = 1;
  options.handlers = {[](Message&) {}};
  return options;
}

// Two ranks, with a word each.
struct Pair {
  SimFabric fabric{{.ranks = 2}};
  Endpoint one{MakeSimConduit(fabric, Rank{0}), ByHand()};
  Endpoint other{MakeSimConduit(fabric, Rank{1}), ByHand()};
  std::vector<std::uint64_t> word = {7};
  Region here = *one.Register(std::as_writable_bytes(std::span(word)));
  Region there = *other.Allocate(8);
  RemoteAddress target() const { return {there.remote()}; }
};

TEST(Blocking, WhatIsWrittenIsReadAndAddedToByTheTimeOfTheReturn) {
  Pair pair;
  EXPECT_EQ(Write(pair.one, {.from = {pair.here.local()}, .to = pair.target(), .bytes = 8}),
            Outcome::kDone);
  pair.word[0] = 0;
  EXPECT_EQ(FetchAdd<std::uint64_t>(pair.one, pair.target(), 5, {pair.here.local()}),
            Outcome::kDone);
  EXPECT_EQ(pair.word[0], 7u);
  EXPECT_EQ(Atomic<std::uint64_t>(pair.one,
                                  {.target = pair.target(), .op = AtomicOp::kMax, .operand = 13}),
            Outcome::kDone);
  EXPECT_EQ(Read(pair.one, {.from = pair.target(), .to = {pair.here.local()}, .bytes = 8}),
            Outcome::kDone);
  EXPECT_EQ(pair.word[0], 13u);
}

// One operation at a time has a tag.
TEST(Blocking, ARequestWithoutRoomIsTriedUntilThereIsSome) {
  Pair pair;
  Flag first;
  ASSERT_EQ(pair.one.TryAtomic<std::uint64_t>(
                {.target = pair.target(), .operand = 1, .then = first.completion()}),
            Posted::kPosted);
  ASSERT_EQ(pair.one.TryAtomic<std::uint64_t>({.target = pair.target(), .operand = 1}),
            Posted::kNoTag);
  EXPECT_EQ(Atomic<std::uint64_t>(pair.one, {.target = pair.target(), .operand = 1}),
            Outcome::kDone);
  EXPECT_TRUE(first.done());
}

TEST(Blocking, ARefusedRequestHasAnOutcomeThatSaysWhy) {
  Pair pair;
  EXPECT_EQ(Read(pair.one, {.from = pair.target(), .to = {pair.here.local()}, .bytes = 9}),
            Outcome::kRefused);
  EXPECT_EQ(Send(pair.one, {.to = Rank{1}, .handler = HandlerId{1}}), Outcome::kRefused);
  pair.fabric.Kill(Rank{1});
  Outcome outcome = Outcome::kDone;
  while (outcome == Outcome::kDone) {
    outcome = Read(pair.one, {.from = pair.target(), .to = {pair.here.local()}, .bytes = 8});
  }
  EXPECT_EQ(outcome, Outcome::kPeerDown);
  pair.one.Abort();
  EXPECT_EQ(Read(pair.one, {.from = pair.target(), .to = {pair.here.local()}, .bytes = 8}),
            Outcome::kAborted);
}

template <typename T>
std::set<std::string_view> NamesUpTo(T last) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.insert(ToString(static_cast<T>(i)));
  return names;
}

TEST(Blocking, EachOutcomeAndEachRefusalHasANameOfItsOwn) {
  EXPECT_EQ(
      NamesUpTo(Outcome::kNoRoom),
      (std::set<std::string_view>{"done", "peer down", "late", "refused", "aborted", "no room"}));
  EXPECT_EQ(NamesUpTo(Posted::kClosing),
            (std::set<std::string_view>{"posted", "full", "no tag", "peer down", "left",
                                        "bad range", "too long", "closing"}));
}

}  // namespace
}  // namespace llcl
