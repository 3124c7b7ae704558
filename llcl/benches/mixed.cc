// Ours, by both ways of one job: two hosts of two ranks, on one machine. The first rank works with
// the other rank of its host, and then with the first rank of the other host; the others sleep. Run
// by llclrun with four ranks.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "llcl/benches/ours.h"
#include "llcl/benches/problems.h"
#include "llcl/launch/launch.h"
#include "llcl/mixed/conduit.h"

using llcl::Rank;
using vicinity::Fail;

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status());
  if ((*launch)->size() != 4) {
    Fail(absl::InvalidArgumentError("the bench is for four ranks: llclrun -n 4 llcl_bench_mixed"));
  }
  const int rank = ToInt((*launch)->rank());
  const std::vector<int> hosts = {0, 0, 1, 1};
  std::vector<std::unique_ptr<vicinity::Network>> networks;
  struct Way {
    Rank peer;
    const char* network;
  };
  for (const Way way : {Way{Rank{1}, "shared_memory"}, Way{Rank{2}, "tcp"}}) {
    networks.push_back(vicinity::Open(**launch, llcl::MakeMixedConduit(**launch, {.hosts = hosts}),
                                      llcl::Mode::kHybrid, false, way.peer));
    vicinity::Register<vicinity::Ours>(*networks.back(), "llcl_mixed", way.network);
    vicinity::RegisterWakeUp<vicinity::Ours>(*networks.back(), "llcl_mixed", way.network);
  }
  if (rank == 0) vicinity::RunAll();
  // The other ranks' progress threads serve, and this sleeps.
  const auto met = (*launch)->Allgather("");
  if (!met.ok()) Fail(met.status());
  networks.clear();
  return (*launch)->Allgather("").ok() ? 0 : 1;
}
