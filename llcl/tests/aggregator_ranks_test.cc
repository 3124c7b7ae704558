// Aggregators of 180 simulated ranks: the buffers that are sent are those of a closed formula, and
// by a grid each record comes with two hops.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "llcl/aggregator.h"
#include "llcl/blocking.h"
#include "llcl/tests/job.h"

namespace llcl {
namespace {

constexpr int kRanks = 180;
constexpr std::uint64_t kRecords = 5;  // of each rank for each rank

EndpointOptions Direct(int /*rank*/) {
  EndpointOptions options;
  options.executor.mode = Mode::kDirect;
  options.timeout = std::chrono::minutes(10);
  return options;
}

struct Told {
  std::uint64_t from = 0, number = 0;
};

// Each rank tells each rank kRecords records. Returns the buffers that were sent.
std::uint64_t TellAll(const AggregatorOptions& options, bool quiesces) {
  std::atomic<std::uint64_t> buffers{0}, spilled{0};
  RunRanks(kRanks, Direct, [&](Member& member) {
    std::uint64_t sum = 0, count = 0;
    auto made = Aggregator<Told>::Make(
        member.endpoint(), member.endpoint().world(),
        [&](std::span<const Told> told) {
          count += told.size();
          for (const Told& one : told) sum += one.from * kRecords + one.number;
        },
        options);
    ASSERT_TRUE(made.ok()) << made.status();
    for (int rank = 0; rank < kRanks; ++rank) {
      for (std::uint64_t i = 0; i < kRecords; ++i) {
        ASSERT_EQ((*made)->Add(rank, {static_cast<std::uint64_t>(member.rank()), i}),
                  Posted::kPosted);
      }
    }
    const Outcome outcome = PostAndWait(member.endpoint(), [&](Completion then) {
      return quiesces ? (*made)->TryQuiesce(then) : (*made)->TryFinish(then);
    });
    ASSERT_EQ(outcome, Outcome::kDone) << (*made)->failure();
    constexpr std::uint64_t kAll = kRanks * kRecords;
    EXPECT_EQ(count, kAll);
    EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
    buffers += (*made)->counts().buffers_sent;
    spilled += (*made)->counts().most_spilled_bytes;
    member.Barrier();
  });
  EXPECT_EQ(spilled, 0u);
  return buffers;
}

TEST(AggregatorRanks, SendFullBuffersDirectly) {
  // Of four records: five take two buffers.
  EXPECT_EQ(TellAll({.bytes = 64, .routes = Routes::kDirect}, false),
            std::uint64_t{kRanks} * (kRanks - 1) * 2);
}

TEST(AggregatorRanks, SendFewerByAGrid) {
  const std::uint64_t buffers = TellAll({.bytes = 4096}, false);
  // At least one to each neighbor; at most one more for each flush, of which there are three.
  const Router router(kRanks, Routes::kAuto);
  std::uint64_t neighbors = 0;
  for (int rank = 0; rank < kRanks; ++rank) neighbors += router.NeighborsOf(rank).size() - 1;
  EXPECT_GE(buffers, neighbors);
  EXPECT_LE(buffers, 4 * neighbors);
  EXPECT_LT(buffers, std::uint64_t{kRanks} * (kRanks - 1));
}

TEST(AggregatorRanks, QuiesceByAGrid) { (void)TellAll({.bytes = 256}, true); }

TEST(AggregatorRanks, HaveMemoryForTheirNeighbors) {
  const AggregatorOptions options = {.bytes = 1024};
  // Two buffers here and two there, for each rank.
  EXPECT_EQ(Aggregator<int>::MemoryFor(1, options), 4u * 1024);
  EXPECT_EQ(Aggregator<int>::MemoryFor(64, options), 4u * 1024 * 64);
  // For each of two hops, to a row and a column of 32.
  EXPECT_EQ(Aggregator<int>::MemoryFor(1024, options), 4u * 1024 * 2 * 63);
}

}  // namespace
}  // namespace llcl
