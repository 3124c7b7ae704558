// Floors: what a page costs without a protocol (a fault where there is one, a copy, and its
// mapping), plain memory, the network's own reads and barriers.
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <list>
#include <memory>
#include <string>

#include "dsm/benches/problems.h"
#include "dsm/engine/engine.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"
#include "llcl/team.h"

namespace {

using vicinity::kMostBytes;
using vicinity::Words;

// As the conduits' largest pieces, several of which are under way.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "dsm_bench_limit: %s\n", status.ToString().c_str());
  std::_Exit(1);
}
template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) Fail(value.status());
  return *std::move(value);
}
Words AsWords(std::byte* at) { return {reinterpret_cast<std::uint64_t*>(at), kMostBytes / 8}; }

// Pages are copied and mapped by who needs them; all threads need different ones.
class Mapping {
 public:
  Mapping() {
    vicinity::Fill(AsWords(from_.data()));
    std::memcpy(received_.data(), from_.data(), kMostBytes);
    if (const absl::Status opened = engine_->OpenCopies(0, kMostBytes); !opened.ok()) Fail(opened);
  }

  Words words() const { return AsWords(seen_.data()); }
  void Drop() { Require(engine_->Invalidate(0, kMostBytes)); }
  void Listen(dsm::FaultListener& listener) {
    watch_.reset();
    watch_ = Value(engine_->Listen(listener));
  }
  // Shared memory of the system's pages, as ours is.
  Words plain() const { return AsWords(plain_.data()); }
  void Bring(std::uint64_t at, std::uint64_t bytes) {
    std::memcpy(received_.data() + at, from_.data() + at, bytes);
    Require(engine_->Install(at, bytes, dsm::PageMode::kReadOnly));
  }

 private:
  static void Require(bool done) {
    if (!done) Fail(absl::UnavailableError("userfaultfd"));
  }
  llcl::OwnedFd home_fd_ = Value(llcl::NewSharedMemory(kMostBytes));
  llcl::OwnedFd plain_fd_ = Value(llcl::NewSharedMemory(kMostBytes));
  llcl::OwnedFd fd_ = Value(llcl::NewSharedMemory(kMostBytes));
  llcl::Mapped from_ = Value(llcl::Mapped::Of(home_fd_.get(), kMostBytes));
  llcl::Mapped plain_ = Value(llcl::Mapped::Of(plain_fd_.get(), kMostBytes));
  llcl::Mapped received_ = Value(llcl::Mapped::Of(fd_.get(), kMostBytes));
  llcl::Mapped seen_ = Value(llcl::Mapped::Of(fd_.get(), kMostBytes));
  std::unique_ptr<dsm::Engine> engine_ =
      Value(dsm::MakeUserfaultfdEngine({seen_.data(), kMostBytes}));
  std::unique_ptr<dsm::FaultWatch> watch_;
};

// As RegisterReadMisses calls it.
class Misses final : public dsm::FaultListener {
 public:
  Misses(Mapping& mapping, std::uint64_t page_bytes) : mapping_(mapping), page_bytes_(page_bytes) {}

  std::uint64_t page_bytes() const { return page_bytes_; }
  Words words() const { return mapping_.words(); }
  void Drop() {
    mapping_.Listen(*this);
    mapping_.Drop();
  }
  int Enter() const { return 0; }

 private:
  bool OnFault(std::uint64_t offset, dsm::FaultKind) override {
    mapping_.Bring(offset / page_bytes_ * page_bytes_, page_bytes_);
    return true;
  }

  Mapping& mapping_;
  const std::uint64_t page_bytes_;
};

llcl::EndpointOptions Patient() {
  llcl::EndpointOptions options;
  // The second rank waits in a barrier while the first measures something else.
  options.timeout = llcl::Timeout::max();
  return options;
}

// An endpoint, memory of the second rank, and what it is asked: so many barriers.
class Network {
 public:
  Network(llcl::Launch& launch, std::unique_ptr<llcl::Conduit> conduit)
      : endpoint_(std::move(conduit), Patient()),
        memory_(Value(endpoint_.Allocate(kMostBytes))),
        asked_(Value(endpoint_.Allocate(2 * sizeof(std::uint64_t)))) {
    vicinity::Fill(words());
    homes_ = Value(llcl::Exchange(endpoint_, memory_));
    asks_ = Value(llcl::Exchange(endpoint_, asked_));
    if (ToInt(launch.rank()) == 0) std::memset(memory_.local().start, 0, kMostBytes);
  }

  Words words() const { return AsWords(memory_.local().start); }
  void Read(std::uint64_t bytes) {
    llcl::Counter done;
    std::uint64_t posted = 0;
    for (std::uint64_t at = 0; at < bytes; at += kPieceBytes, ++posted) {
      Require(endpoint_.KeepTrying([&] {
        return endpoint_.TryRead({.from = {homes_[1], at},
                                  .to = {memory_.local(), at},
                                  .bytes = std::min(kPieceBytes, bytes - at),
                                  .then = done.completion()});
      }));
    }
    endpoint_.Wait(done, posted);
    if (done.failed() > 0) Fail(absl::UnavailableError("a read failed"));
  }
  void Meet() {
    llcl::Flag done;
    Require(endpoint_.world().TryBarrier(done.completion()));
    if (endpoint_.Wait(done) != llcl::Outcome::kDone) Fail(absl::UnavailableError("a barrier"));
  }
  // The second rank meets the first so often; zero: it ends. Two places in turn, as in dsm.cc.
  void Ask(std::uint64_t barriers) {
    const std::uint64_t place = asks_made_++ % 2 * sizeof barriers;
    std::memcpy(asked_.local().start + place, &barriers, sizeof barriers);
    llcl::Counter done;
    Require(endpoint_.KeepTrying([&] {
      return endpoint_.TryWrite({.from = {asked_.local(), place},
                                 .to = {asks_[1], place},
                                 .bytes = sizeof barriers,
                                 .then = done.completion()});
    }));
    endpoint_.Wait(done, 1);
    Meet();
  }
  void Serve() {
    while (true) {
      Meet();
      std::uint64_t barriers = 0;
      std::memcpy(&barriers, asked_.local().start + asks_made_++ % 2 * sizeof barriers,
                  sizeof barriers);
      if (barriers == 0) return;
      for (std::uint64_t i = 0; i < barriers; ++i) Meet();
    }
  }

 private:
  static void Require(llcl::Posted posted) {
    if (posted != llcl::Posted::kPosted) Fail(absl::UnavailableError("refused"));
  }
  llcl::Endpoint endpoint_;
  llcl::Region memory_, asked_;
  std::vector<llcl::RemoteRegion> homes_, asks_;
  std::uint64_t asks_made_ = 0;
};

void RegisterNetwork(Network& network, const std::string& name) {
  for (const char* problem : {"barrier_flush", "barrier_keep"}) {
    vicinity::Register(problem + ("/limit/" + name), 5, [&network](benchmark::State& state) {
      constexpr int kBarriers = 200;
      for (auto _ : state) {
        network.Ask(kBarriers);
        state.SetIterationTime(vicinity::SecondsOf([&] {
                                 for (int i = 0; i < kBarriers; ++i) network.Meet();
                               }) /
                               kBarriers);
      }
    });
  }
}

void RegisterAll(Mapping& mapping, std::list<Misses>& misses, Network& shared, Network& tcp) {
  for (Misses& one : misses) {
    const std::string page = vicinity::PageIs(one.page_bytes());
    vicinity::RegisterReadMisses(one, "limit", "shared_memory", one.page_bytes());
    vicinity::RegisterPreload(
        "limit", "shared_memory/" + page,
        [&mapping, &shared] {
          mapping.Drop();
          // Between ours the second rank runs, too.
          shared.Ask(1);
          shared.Meet();
        },
        [&mapping](std::uint64_t bytes) { mapping.Bring(0, bytes); },
        [&mapping] { return mapping.words(); });
    vicinity::RegisterPreload(
        "limit", "tcp/" + page, [] {}, [&tcp](std::uint64_t bytes) { tcp.Read(bytes); },
        [&tcp] { return tcp.words(); });
    for (const char* problem : {"resident", "home"}) {
      vicinity::RegisterResident(
          problem, "limit", "shared_memory/" + page,
          [&mapping](std::uint64_t bytes) { return mapping.plain().first(bytes / 8); });
    }
  }
  RegisterNetwork(shared, "shared_memory");
  RegisterNetwork(tcp, "tcp");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = Value(llcl::FindLaunch());
  if (launch->size() != 2) {
    Fail(absl::InvalidArgumentError("the bench is for two ranks: llclrun -n 2 dsm_bench_limit"));
  }
  {
    Network shared(*launch, Value(llcl::MakeSmpConduit(*launch)));
    Network tcp(*launch, Value(llcl::MakeTcpConduit(*launch)));
    if (ToInt(launch->rank()) == 0) {
      Mapping mapping;
      std::list<Misses> misses;
      for (const std::uint64_t page_bytes : vicinity::kPageBytes) {
        misses.emplace_back(mapping, page_bytes);
      }
      RegisterAll(mapping, misses, shared, tcp);
      benchmark::RunSpecifiedBenchmarks();
      shared.Ask(0);
      tcp.Ask(0);
    } else {
      std::thread other([&] { tcp.Serve(); });
      shared.Serve();
      other.join();
    }
    Value(launch->Allgather(""));
  }
  return launch->Allgather("").ok() ? 0 : 1;
}
