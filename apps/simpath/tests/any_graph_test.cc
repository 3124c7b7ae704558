#include "apps/simpath/counting/any_graph.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "apps/simpath/counting/prepared.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"

namespace simpath {
namespace {

constexpr Mode kEdgeByEdge[] = {Mode::kSequential, Mode::kEba, Mode::kPartition};

absl::StatusOr<Count> CountBy(Mode mode, int threads, const AnyGraphOptions& options) {
  const topo::Topology machine = *topo::FromSynthetic("pack:2 [numa] core:2 pu:1");
  const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kCompact, threads)->Unbound();
  const Prepared prepared(*MakeProblem(Grid(6), 0, 48), Reducing::kOn, Order::kBest);
  return CountAnyGraph(prepared, mode, machine, mapping, options);
}

TEST(AnyGraph, IsCountedByAnyNumberOfThreads) {
  for (const Mode mode : kEdgeByEdge) {
    for (int threads = 1; threads <= 4; ++threads) {
      const auto count =
          CountBy(mode, threads, {.progress = [](const std::string&) {}, .checkpoint = {}});
      ASSERT_TRUE(count.ok()) << count.status();
      EXPECT_EQ(count->ToString(), kGridPaths[5]) << ToString(mode) << ", " << threads;
    }
  }
}

TEST(AnyGraph, AnExceptionReachesTheCallerAndNoThreadWaits) {
  for (const Mode mode : kEdgeByEdge) {
    const auto stop = [](const std::string&) { throw std::runtime_error("stop"); };
    EXPECT_THROW((void)CountBy(mode, 3, {.progress = stop, .checkpoint = {}}), std::runtime_error)
        << ToString(mode);
  }
}

TEST(AnyGraph, TooLittleMemoryIsAnError) {
  for (const Mode mode : kEdgeByEdge) {
    const auto count =
        CountBy(mode, 2, {.memory_limit = 4096, .progress = [](const std::string&) {}});
    EXPECT_TRUE(absl::IsResourceExhausted(count.status())) << ToString(mode);
  }
}

}  // namespace
}  // namespace simpath
