// Ours: by shared memory, by TCP in the three modes, and by libfabric, with packing and without.
// Run by llclrun, mpiexec or mpirun with two ranks.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llcl/benches/problems.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/ofi/conduit.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"

namespace {

using vicinity::kMemoryBytes;
using vicinity::kMostBytes;
using vicinity::Op;

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "llcl_bench: %s\n", status.ToString().c_str());
  std::_Exit(1);
}

// Of messages: those of Ours::Ask, and what is answered.
constexpr llcl::HandlerId kQuestion{0}, kAnswer{1};

// An endpoint, and memory on the other rank for it.
struct Network {
  llcl::Counter answered;
  std::uint64_t asked = 0;
  std::unique_ptr<llcl::Endpoint> endpoint;
  llcl::Region target;
  llcl::RemoteRegion there;
  alignas(4096) std::byte memory[kMemoryBytes] = {};
  llcl::Region local;
};

// As the other contestants do, it describes what stays the same once, and counts only operations
// that have not ended when their request returns.
class Ours {
 public:
  Ours(Network& network, int thread) : Ours(network, thread, llcl::Notify::kUnlessDone) {}
  ~Ours() { WaitForAll(); }

  void Post(Op op, std::int64_t bytes) {
    llcl::Posted posted;
    while ((posted = TryPost(op, static_cast<std::uint64_t>(bytes))) != llcl::Posted::kDone) {
      if (posted == llcl::Posted::kPosted) {
        ++posted_;
        return;
      }
      if (!endpoint_.TryAdvance()) sched_yield();
    }
  }
  void WaitForAll() { endpoint_.Wait(ended_, posted_); }
  void Ask() {
    while (endpoint_.TrySend({.to = llcl::Rank{1}, .handler = kQuestion}) !=
           llcl::Posted::kPosted) {
      if (!endpoint_.TryAdvance()) sched_yield();
    }
    endpoint_.Wait(network_.answered, ++network_.asked);
  }

 protected:
  Ours(Network& network, int thread, llcl::Notify notify)
      : network_(network), endpoint_(*network.endpoint) {
    const auto at = static_cast<std::uint64_t>(thread * kMostBytes);
    const llcl::RemoteAddress there{network.there, at};
    const llcl::LocalAddress here{network.local.local(), at};
    const llcl::Completion then = ended_.completion();
    read_ = {.from = there, .to = here, .then = then, .notify = notify};
    write_ = {.from = here, .to = there, .then = then, .notify = notify};
    add_ = {.target = there, .operand = 1, .fetch_to = here, .then = then, .notify = notify};
  }

 private:
  llcl::Posted TryPost(Op op, std::uint64_t bytes) {
    switch (op) {
      case Op::kRead:
        read_.bytes = bytes;
        return endpoint_.TryRead(read_);
      case Op::kWrite:
        write_.bytes = bytes;
        return endpoint_.TryWrite(write_);
      case Op::kAdd:
        break;
    }
    return endpoint_.TryAtomic(add_);
  }

  Network& network_;
  llcl::Endpoint& endpoint_;
  llcl::ReadParams read_;
  llcl::WriteParams write_;
  llcl::AtomicParams<std::uint64_t> add_;
  llcl::Counter ended_;
  std::uint64_t posted_ = 0;
};

// Each operation calls its completion, also one that is done at once.
class OursCounted : public Ours {
 public:
  OursCounted(Network& network, int thread) : Ours(network, thread, llcl::Notify::kAlways) {}
};

std::unique_ptr<Network> Open(llcl::Launch& launch,
                              absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit,
                              llcl::Mode mode, bool packs) {
  if (!conduit.ok()) Fail(conduit.status());
  auto network = std::make_unique<Network>();
  llcl::EndpointOptions options;
  options.executor.mode = mode;
  options.packs = packs;
  options.handlers = {[](llcl::Message& question) { (void)question.Reply(kAnswer, {}); },
                      [answered = network->answered.completion()](llcl::Message&) {
                        answered.Complete(llcl::Outcome::kDone);
                      }};
  network->endpoint = std::make_unique<llcl::Endpoint>(*std::move(conduit), options);
  auto target = network->endpoint->Allocate(kMemoryBytes);
  auto local = network->endpoint->Register(std::span<std::byte>(network->memory));
  if (!target.ok()) Fail(target.status());
  if (!local.ok()) Fail(local.status());
  network->target = *std::move(target);
  network->local = *std::move(local);
  const llcl::RemoteRegion& mine = network->target.remote();
  const auto all = launch.Allgather({reinterpret_cast<const char*>(&mine), sizeof mine});
  if (!all.ok()) Fail(all.status());
  std::memcpy(&network->there, all->back().data(), sizeof mine);
  return network;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status());
  if ((*launch)->size() != 2) {
    Fail(absl::InvalidArgumentError("the bench is for two ranks: llclrun -n 2 llcl_bench"));
  }
  std::vector<std::unique_ptr<Network>> networks;
  // By shared memory all modes are one: operations are done in place.
  networks.push_back(Open(**launch, llcl::MakeSmpConduit(**launch), llcl::Mode::kHybrid, false));
  vicinity::Register<Ours>(*networks.back(), "llcl", "shared_memory");
  vicinity::RegisterWakeUp<Ours>(*networks.back(), "llcl", "shared_memory");
  vicinity::Register<OursCounted>(*networks.back(), "llcl_counted", "shared_memory");
  const auto by_tcp = [&] { return llcl::MakeTcpConduit(**launch); };
  const auto by_libfabric = [&] {
    return llcl::MakeOfiConduit(**launch, {.provider = "tcp;ofi_rxm", .node = ""});
  };
  const auto add = [&](const char* name, absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit,
                       llcl::Mode mode, bool packs) {
    networks.push_back(Open(**launch, std::move(conduit), mode, packs));
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
