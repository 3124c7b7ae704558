#include "apps/stream/measure/tune.h"

#include <chrono>
#include <thread>
#include <vector>

#include "apps/stream/kernels/plain.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

TEST(FastestTest, TheShortestSingleRunWinsWhateverElseTheCandidateTook) {
  std::vector<int> calls(3);
  const auto seconds = [&](std::size_t i) {
    ++calls[i];
    if (i == 2) return calls[i] == 2 ? 1.0 : 9.0;  // slow, but once the fastest
    return i == 0 ? 2.0 : 1.5;
  };
  EXPECT_EQ(Fastest(3, seconds), 2u);
}

TEST(FastestTest, CandidatesTakeTurns) {
  std::vector<std::size_t> order;
  EXPECT_EQ(Fastest(2,
                    [&](std::size_t i) {
                      order.push_back(i);
                      return i == 0 ? 1.0 : 2.0;
                    }),
            0u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 2);
}

// Slower by so much that no load on the machine makes it the fastest of nine.
void Slow(const Part&) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

TEST(TuneTest, EachKernelGetsItsOwnFastestCode) {
  const topo::Topology machine = *topo::ThisMachine();
  const topo::Mapping mapping = *topo::Plan(machine, topo::Policy::kScatter, 1);
  auto team = StartTeam(Runtime::kStd, machine, mapping);
  ASSERT_TRUE(team.ok()) << team.status();
  std::vector<double> a(1000, 1), b(1000, 1), c(1000, 1);
  const Part part = {a.data(), b.data(), c.data(), nullptr, 1000};
  std::vector<Code> codes = {PlainCode(), PlainCode()};
  // The first is slow at Copy, the second at everything else.
  codes[0].sweeps[0] = Slow;
  codes[1].sweeps[1] = codes[1].sweeps[2] = codes[1].sweeps[3] = Slow;
  const auto chosen = Tune(**team, {&part, 1}, codes);
  EXPECT_EQ(chosen[0], &codes[1]);
  EXPECT_EQ(chosen[1], &codes[0]);
  EXPECT_EQ(chosen[2], &codes[0]);
  EXPECT_EQ(chosen[3], &codes[0]);
}

}  // namespace
}  // namespace stream
