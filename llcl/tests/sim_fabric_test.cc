// The simulated network itself: what a real one does only now and then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "llcl/endpoint.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"
#include "llcl/team.h"

namespace llcl {
namespace {

// All steps are this thread's.
EndpointOptions ByHand() {
  EndpointOptions options;
  options.executor.has_thread = false;
  options.executor.tags = 64;
  options.executor.ring = 64;
  return options;
}

struct Job {
  explicit Job(const SimOptions& options) : fabric(options) {
    for (int rank = 0; rank < options.ranks; ++rank) {
      endpoints.push_back(std::make_unique<Endpoint>(MakeSimConduit(fabric, Rank{rank}), ByHand()));
    }
  }
  Endpoint& operator[](int rank) { return *endpoints[static_cast<std::size_t>(rank)]; }

  SimFabric fabric;
  std::vector<std::unique_ptr<Endpoint>> endpoints;
};

// The order in which 32 writes of one rank end, and when.
std::string RunOf(std::uint64_t seed) {
  Job job({.ranks = 2, .seed = seed});
  const Region there = *job[1].Allocate(8);
  std::vector<std::byte> mine(8);
  const Region here = *job[0].Register(mine);
  std::string order;
  struct One {
    std::string* order;
    char name;
  };
  std::vector<One> all;
  for (char name = 'A'; name < 'A' + 32; ++name) all.push_back({&order, name});
  for (One& one : all) {
    const Completion then(
        [](void* data, Outcome) {
          *static_cast<One*>(data)->order += static_cast<One*>(data)->name;
        },
        &one);
    EXPECT_EQ(
        job[0].TryWrite({.from = {here.local()}, .to = {there.remote()}, .bytes = 8, .then = then}),
        Posted::kPosted);
  }
  job[0].Drain();
  return order + " " + std::to_string(job.fabric.now_ns());
}

TEST(SimFabric, OperationsOvertakeEachOtherAndASeedSaysHow) {
  const std::string once = RunOf(7);
  EXPECT_EQ(once, RunOf(7));
  EXPECT_NE(once, RunOf(8));
  EXPECT_FALSE(std::is_sorted(once.begin(), once.begin() + 32)) << once;
}

TEST(SimFabric, ALargerOperationTakesLonger) {
  const auto time = [](std::uint64_t bytes) {
    Job job({.ranks = 2, .jitter = 0});
    const Region there = *job[1].Allocate(bytes);
    std::vector<std::byte> mine(bytes);
    const Region here = *job[0].Register(mine);
    EXPECT_EQ(job[0].TryWrite({.from = {here.local()}, .to = {there.remote()}, .bytes = bytes}),
              Posted::kPosted);
    job[0].Drain();
    return job.fabric.now_ns();
  };
  EXPECT_DOUBLE_EQ(time(100), 1'000 + 10);
  EXPECT_DOUBLE_EQ(time(100'000), 1'000 + 10'000);
}

TEST(SimFabric, OperationsOnALostRankEndOnceThatIsNoticedAndItsOwnAreAborted) {
  Job job({.ranks = 3, .jitter = 0});
  const Region there = *job[1].Allocate(8), elsewhere = *job[2].Allocate(8);
  Flag to_lost, of_lost, after;
  EXPECT_EQ(job[0].TryAtomic<std::uint64_t>(
                {.target = {there.remote()}, .operand = 1, .then = to_lost.completion()}),
            Posted::kPosted);
  EXPECT_EQ(job[1].TryAtomic<std::uint64_t>(
                {.target = {elsewhere.remote()}, .operand = 1, .then = of_lost.completion()}),
            Posted::kPosted);
  job.fabric.Kill(Rank{1});
  EXPECT_FALSE(job[0].IsDown(Rank{1})) << "nobody has noticed";
  EXPECT_EQ(job[0].Wait(to_lost), Outcome::kPeerDown);
  EXPECT_EQ(job[1].Wait(of_lost), Outcome::kAborted);
  EXPECT_GE(job.fabric.now_ns(), 10'000);
  EXPECT_TRUE(job[0].IsDown(Rank{1}));
  EXPECT_EQ(job[0].TryAtomic<std::uint64_t>({.target = {there.remote()}, .operand = 1}),
            Posted::kPeerDown);
  EXPECT_EQ(job[0].TryAtomic<std::uint64_t>(
                {.target = {elsewhere.remote()}, .operand = 1, .then = after.completion()}),
            Posted::kPosted);
  EXPECT_EQ(job[0].Wait(after), Outcome::kDone);
  std::uint64_t word = 0;
  std::memcpy(&word, elsewhere.local().start, sizeof word);
  EXPECT_EQ(word, 1u) << "what the lost rank had asked for has not taken place";
}

TEST(SimFabric, AThousandRanksMeetInTenRounds) {
  constexpr int kRanks = 1024;
  Job job({.ranks = kRanks});
  std::vector<Flag> done(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(job[rank].world().TryBarrier(done[static_cast<std::size_t>(rank)].completion()),
              Posted::kPosted);
  }
  while (!std::all_of(done.begin(), done.end(), [](const Flag& flag) { return flag.done(); })) {
    for (int rank = 0; rank < kRanks; ++rank) (void)job[rank].TryAdvance();
  }
  for (const Flag& flag : done) EXPECT_EQ(flag.outcome(), Outcome::kDone);
}

// The virtual time at which 180 ranks have done one of each.
double CollectiveRun(std::uint64_t seed) {
  constexpr std::size_t kRanks = 180;
  Job job({.ranks = static_cast<int>(kRanks), .seed = seed});
  std::vector<std::vector<std::uint64_t>> mine(kRanks), sums(kRanks), out(kRanks), in(kRanks);
  Counter ended;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Team& world = job[static_cast<int>(rank)].world();
    mine[rank] = {rank, 1};
    sums[rank].resize(2);
    for (std::size_t to = 0; to < kRanks; ++to) out[rank].push_back(rank * kRanks + to);
    in[rank].resize(kRanks);
    EXPECT_EQ(world.TryBarrier(ended.completion()), Posted::kPosted);
    EXPECT_EQ(world.TryAllreduce<std::uint64_t>(mine[rank], sums[rank], AtomicOp::kAdd,
                                                ended.completion()),
              Posted::kPosted);
    EXPECT_EQ(world.TryAlltoall(std::as_bytes(std::span(out[rank])),
                                std::as_writable_bytes(std::span(in[rank])), ended.completion()),
              Posted::kPosted);
  }
  while (!ended.done(3 * kRanks)) {
    for (const auto& endpoint : job.endpoints) (void)endpoint->TryAdvance();
  }
  EXPECT_EQ(ended.failed(), 0u);
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(sums[rank], (std::vector<std::uint64_t>{kRanks * (kRanks - 1) / 2, kRanks}));
    for (std::size_t from = 0; from < kRanks; ++from) {
      EXPECT_EQ(in[rank][from], from * kRanks + rank);
    }
  }
  return job.fabric.now_ns();
}

TEST(SimFabric, AHundredAndEightyRanksDoAllCollectivesAndASeedSaysWhen) {
  const double once = CollectiveRun(3);
  EXPECT_EQ(once, CollectiveRun(3));
  EXPECT_NE(once, CollectiveRun(4));
}

}  // namespace
}  // namespace llcl
