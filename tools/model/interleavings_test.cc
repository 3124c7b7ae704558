// The explorer itself: it sees every interleaving, and it sees bugs.
#include "tools/model/interleavings.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace model {
namespace {

constexpr auto kOrder = std::memory_order_seq_cst;

TEST(Interleavings, TwoThreadsOfThreeStepsHaveTwentyInterleavings) {
  // Each thread ends right after its third step, so the orders of steps are the
  // ways to merge two sequences of three: 6! / (3! 3!).
  std::set<std::string> orders;
  const Outcome outcome = ExploreAll([&] {
    auto order = std::make_shared<std::string>();
    auto run = [order](char name) {
      for (int i = 0; i < 3; ++i) {
        Step();
        *order += name;
      }
    };
    return Program{{[=] { run('a'); }, [=] { run('b'); }}, [=, &orders] { orders.insert(*order); }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(orders.size(), 20u);
}

TEST(Interleavings, ALostUpdateIsFound) {
  const Outcome outcome = ExploreAll([] {
    auto counter = std::make_shared<Atomic<int>>(0);
    auto increment = [=] { counter->Store(counter->Load(kOrder) + 1, kOrder); };
    return Program{{increment, increment},
                   [=] { Require(counter->Load(kOrder) == 2, "both increments count"); }};
  });
  EXPECT_NE(outcome.failure.find("both increments count"), std::string::npos) << outcome.failure;
}

TEST(Interleavings, AFetchAddLosesNoUpdate) {
  const Outcome outcome = ExploreAll([] {
    auto counter = std::make_shared<Atomic<int>>(0);
    auto increment = [=] { counter->FetchAdd(1, kOrder); };
    return Program{{increment, increment, increment},
                   [=] { Require(counter->Load(kOrder) == 3, "all increments count"); }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(Interleavings, AWakeUpThatNoThreadSendsIsADeadlock) {
  const Outcome outcome = ExploreAll([] {
    auto flag = std::make_shared<Atomic<int>>(0);
    return Program{{[=] { flag->WaitWhile(0); }, [=] { flag->Store(1, kOrder); }}};
  });
  EXPECT_NE(outcome.failure.find("deadlock"), std::string::npos) << outcome.failure;
}

TEST(Interleavings, AWaitThatIsWokenAlwaysEnds) {
  const Outcome outcome = ExploreAll([] {
    auto flag = std::make_shared<Atomic<int>>(0);
    return Program{{[=] { flag->WaitWhile(0); },
                    [=] {
                      flag->Store(1, kOrder);
                      flag->WakeAll();
                    }}};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(Interleavings, WithoutPreemptionsThreadsRunOneAfterTheOther) {
  const auto make = [] {
    auto counter = std::make_shared<Atomic<int>>(0);
    auto increment = [=] { counter->Store(counter->Load(kOrder) + 1, kOrder); };
    return Program{{increment, increment},
                   [=] { Require(counter->Load(kOrder) == 2, "both increments count"); }};
  };
  EXPECT_EQ(ExploreAll(make, {.preemptions = 0}).failure, "");
  EXPECT_NE(ExploreAll(make, {.preemptions = 1}).failure, "");
}

TEST(Interleavings, ALimitThatIsReachedIsReported) {
  const auto make = [] { return Program{{[] { Step(); }, [] { Step(); }, [] { Step(); }}}; };
  const Outcome outcome = ExploreAll(make, {.interleavings = 2});
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.interleavings, 2);
}

}  // namespace
}  // namespace model
