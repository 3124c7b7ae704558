// Ours: by shared memory, by TCP in the three modes, and by libfabric, with packing and without.
// Run by llclrun, mpiexec or mpirun with two ranks.
#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "llcl/benches/ours.h"
#include "llcl/benches/problems.h"
#include "llcl/launch/launch.h"
#include "llcl/ofi/conduit.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"

using vicinity::Fail;
using vicinity::Open;
using vicinity::Ours;
using vicinity::OursCounted;

constexpr llcl::Rank kPeer{1};

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status());
  if ((*launch)->size() != 2) {
    Fail(absl::InvalidArgumentError("the bench is for two ranks: llclrun -n 2 llcl_bench"));
  }
  std::vector<std::unique_ptr<vicinity::Network>> networks;
  // By shared memory all modes are one: operations are done in place.
  networks.push_back(
      Open(**launch, llcl::MakeSmpConduit(**launch), llcl::Mode::kHybrid, false, kPeer));
  vicinity::Register<Ours>(*networks.back(), "llcl", "shared_memory");
  vicinity::RegisterWakeUp<Ours>(*networks.back(), "llcl", "shared_memory");
  vicinity::Register<OursCounted>(*networks.back(), "llcl_counted", "shared_memory");
  const auto by_tcp = [&] { return llcl::MakeTcpConduit(**launch); };
  const auto by_libfabric = [&] {
    return llcl::MakeOfiConduit(**launch, {.provider = "tcp;ofi_rxm", .node = ""});
  };
  const auto add = [&](const char* name, absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit,
                       llcl::Mode mode, bool packs) {
    networks.push_back(Open(**launch, std::move(conduit), mode, packs, kPeer));
    vicinity::Register<Ours>(*networks.back(), name, "tcp");
    vicinity::RegisterWakeUp<Ours>(*networks.back(), name, "tcp");
  };
  add("llcl", by_tcp(), llcl::Mode::kHybrid, false);
  add("llcl_offload", by_tcp(), llcl::Mode::kOffload, false);
  add("llcl_direct", by_tcp(), llcl::Mode::kDirect, false);
  add("llcl_ofi", by_libfabric(), llcl::Mode::kHybrid, false);
  add("llcl_ofi_packed", by_libfabric(), llcl::Mode::kHybrid, true);
  if (ToInt((*launch)->rank()) == 0) vicinity::RunAll();
  // The other rank's thread makes the progress, and this sleeps.
  const auto met = (*launch)->Allgather("");
  if (!met.ok()) Fail(met.status());
  networks.clear();
  return (*launch)->Allgather("").ok() ? 0 : 1;
}
