#include "lwt/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lwt/lwt.h"

namespace lwt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = TraceEvent::Kind;

TEST(Trace, StealsAreCountedByDepthAndTheLastCountsDeeperOnes) {
  const std::vector<TraceEvent> events = {{Kind::kSteal, 0, 1, 1, 0},
                                          {Kind::kBusy, 0, 2},
                                          {Kind::kSteal, 1, 3, 0, 2},
                                          {Kind::kSteal, 1, 4, 0, 9}};
  EXPECT_THAT(StealsByDepth(events, 4), ElementsAre(1, 0, 1, 1));
}

TEST(Trace, ThePictureHasASliceForEachStateAndAMarkForEachSteal) {
  const std::vector<TraceEvent> events = {
      {Kind::kIdle, 3, 1000}, {Kind::kSteal, 3, 1500, 2, 5}, {Kind::kBusy, 3, 2000}};
  const std::string text = ToChromeTrace(events, 5000);
  EXPECT_THAT(text, HasSubstr(R"({"ph":"X","pid":0,"tid":3,"ts":1,"dur":1,"name":"searching"})"));
  EXPECT_THAT(text, HasSubstr(R"({"ph":"X","pid":0,"tid":3,"ts":2,"dur":3,"name":"busy"})"));
  EXPECT_THAT(text, HasSubstr(R"("args":{"victim":2,"depth":5})"));
}

void Tree(int n) {
  if (n == 0) {
    Compute(2'000);
    return;
  }
  Thread child = Spawn([=] { Tree(n - 1); });
  Tree(n - 1);
  child.Join();
}

TEST(Trace, TheHistogramOfTheCountersIsThatOfTheEvents) {
  const auto pool =
      *Pool::Create({.workers = 16, .trace_events = 100'000, .simulation = SimulationOptions{}});
  pool->Run([] { Tree(9); });
  EXPECT_EQ(pool->lost_trace_events(), 0);
  std::vector<std::int64_t> counted(kMostDepths, 0);
  for (int i = 0; i < 16; ++i) {
    for (std::size_t depth = 0; depth < kMostDepths; ++depth) {
      counted[depth] += pool->worker(i).counters().steals_by_depth[depth].value();
    }
  }
  EXPECT_EQ(StealsByDepth(pool->TraceEvents(), kMostDepths), counted);
}

TEST(Trace, AnEventThatDoesNotFitIsCounted) {
  const auto pool =
      *Pool::Create({.workers = 4, .trace_events = 3, .simulation = SimulationOptions{}});
  pool->Run([] { Tree(6); });
  EXPECT_EQ(pool->TraceEvents().size(), 12u);
  EXPECT_GT(pool->lost_trace_events(), 0);
}

}  // namespace
}  // namespace lwt
