// Ours, by shared memory or by TCP. Run by llclrun with two ranks or more.
#include "llcl/benches/collectives.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"
#include "llcl/team.h"

namespace {

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "llcl_bench_collectives: %s\n", status.ToString().c_str());
  std::_Exit(1);
}

class Ours {
 public:
  explicit Ours(absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit) {
    if (!conduit.ok()) Fail(conduit.status());
    endpoint_ = std::make_unique<llcl::Endpoint>(*std::move(conduit), llcl::EndpointOptions());
  }
  int ranks() const { return endpoint_->size(); }

  void Barrier() {
    Do([&](llcl::Completion then) { return team().TryBarrier(then); });
  }
  void Broadcast(std::byte* bytes, std::size_t size) {
    Do([&](llcl::Completion then) { return team().TryBroadcast({bytes, size}, 0, then); });
  }
  void Allgather(const std::byte* mine, std::byte* all, std::size_t size) {
    const auto ranks = static_cast<std::size_t>(this->ranks());
    Do([&](llcl::Completion then) {
      return team().TryAllgather({mine, size}, {all, size * ranks}, then);
    });
  }
  void Allreduce(const double* mine, double* sums, std::size_t count) {
    Do([&](llcl::Completion then) {
      return team().TryAllreduce<double>({mine, count}, {sums, count}, llcl::AtomicOp::kAdd, then);
    });
  }
  void Alltoall(const std::byte* mine, std::byte* theirs, std::size_t size) {
    const auto ranks = static_cast<std::size_t>(this->ranks());
    Do([&](llcl::Completion then) {
      return team().TryAlltoall({mine, size * ranks}, {theirs, size * ranks}, then);
    });
  }

 private:
  llcl::Team& team() { return endpoint_->world(); }
  template <typename Begin>
  void Do(Begin begin) {
    const llcl::Outcome outcome = llcl::PostAndWait(*endpoint_, begin);
    if (outcome != llcl::Outcome::kDone) Fail(absl::UnavailableError(ToString(outcome).data()));
  }

  std::unique_ptr<llcl::Endpoint> endpoint_;
};

absl::StatusOr<std::unique_ptr<llcl::Conduit>> MakeConduit(llcl::Launch& launch) {
  if (std::string_view(VICINITY_NETWORK) == "tcp") return llcl::MakeTcpConduit(launch);
  return llcl::MakeSmpConduit(launch);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status());
  {
    Ours ours(MakeConduit(**launch));
    vicinity::CollectiveBench<Ours> bench(ours);
    if (ToInt((*launch)->rank()) == 0) {
      bench.Register("llcl", VICINITY_NETWORK);
      benchmark::RunSpecifiedBenchmarks();
      bench.End();
    } else {
      bench.Serve();
    }
  }
  return (*launch)->Allgather("").ok() ? 0 : 1;
}
