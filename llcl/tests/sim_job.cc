#include <barrier>
#include <cstdlib>
#include <memory>
#include <utility>

#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"
#include "llcl/tests/job.h"

namespace llcl {
namespace {

int RanksPerHost() {
  const char* const ranks = std::getenv("LLCL_RANKS_PER_HOST");
  return ranks == nullptr ? 1 : std::atoi(ranks);
}
bool Packs() { return std::getenv("LLCL_TEST_PACKS") != nullptr; }

}  // namespace

std::vector<int> RankCounts() { return {1, 2, 4}; }
const char* ConduitName() { return Packs() ? "sim_packed" : "sim"; }
int RanksOfThisProcess(int ranks) { return ranks; }

void RunRanks(int ranks, const OptionsOfRank& options, const std::function<void(Member&)>& f,
              std::uint64_t seed) {
  SimFabric fabric({.ranks = ranks, .ranks_per_host = RanksPerHost(), .seed = seed});
  std::barrier barrier(ranks);
  std::vector<std::string> board(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      EndpointOptions of_rank = options(rank);
      of_rank.packs = Packs();
      auto endpoint = std::make_unique<Endpoint>(MakeSimConduit(fabric, Rank{rank}), of_rank);
      Member member(std::move(endpoint), [&, rank](std::string_view mine) {
        board[static_cast<std::size_t>(rank)] = mine;
        barrier.arrive_and_wait();
        std::vector<std::string> all = board;
        barrier.arrive_and_wait();
        return all;
      });
      f(member);
      barrier.arrive_and_wait();  // No rank's memory goes before all are done with it.
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::string OfTheFirstRank(const std::string& mine) { return mine; }

}  // namespace llcl
