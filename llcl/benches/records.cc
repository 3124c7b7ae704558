// Ours, by shared memory or by TCP: an aggregator, and a message for each record. Run by llclrun
// with two ranks or more.
#include "llcl/benches/records.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "llcl/aggregator.h"
#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"
#include "llcl/team.h"

namespace {

using vicinity::Addition;

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "llcl_bench_records: %s\n", status.ToString().c_str());
  std::_Exit(1);
}

// An endpoint, and this rank's part of the table.
class Job {
 public:
  explicit Job(absl::StatusOr<std::unique_ptr<llcl::Conduit>> conduit) : table_(vicinity::kWords) {
    if (!conduit.ok()) Fail(conduit.status());
    llcl::EndpointOptions options;
    options.handlers = {[this](llcl::Message& message) {
      Addition addition;
      std::memcpy(&addition, message.payload().data(), sizeof addition);
      table_[addition.word] += addition.value;
      handled_.fetch_add(1, std::memory_order_relaxed);
    }};
    endpoint_ = std::make_unique<llcl::Endpoint>(*std::move(conduit), options);
    auto made = llcl::Aggregator<Addition>::Make(*endpoint_, endpoint_->world(),
                                                 [this](std::span<const Addition> additions) {
                                                   for (const Addition& addition : additions) {
                                                     table_[addition.word] += addition.value;
                                                   }
                                                 });
    if (!made.ok()) Fail(made.status());
    aggregator_ = *std::move(made);
  }
  int ranks() const { return endpoint_->size(); }
  llcl::Endpoint& endpoint() { return *endpoint_; }
  llcl::Aggregator<Addition>& aggregator() { return *aggregator_; }
  std::uint64_t handled() const { return handled_.load(std::memory_order_relaxed); }

  template <typename Begin>
  void Do(Begin begin) {
    const llcl::Outcome outcome = llcl::PostAndWait(*endpoint_, begin);
    if (outcome != llcl::Outcome::kDone) Fail(absl::UnavailableError(ToString(outcome).data()));
  }
  void Finish() {
    Do([&](llcl::Completion then) { return aggregator_->TryFinish(then); });
  }
  std::uint64_t Broadcast(std::uint64_t number) {
    Do([&](llcl::Completion then) {
      return endpoint_->world().TryBroadcast(std::as_writable_bytes(std::span(&number, 1)), 0,
                                             then);
    });
    return number;
  }

 private:
  std::vector<std::uint64_t> table_;
  std::atomic<std::uint64_t> handled_{0};
  std::unique_ptr<llcl::Endpoint> endpoint_;
  std::unique_ptr<llcl::Aggregator<Addition>> aggregator_;
};

class ByAggregator {
 public:
  explicit ByAggregator(Job& job) : job_(job) {}
  int ranks() const { return job_.ranks(); }
  std::uint64_t Broadcast(std::uint64_t number) { return job_.Broadcast(number); }
  void Add(int rank, const Addition& addition) { (void)job_.aggregator().Add(rank, addition); }
  void Finish() { job_.Finish(); }

 private:
  Job& job_;
};

class ByAdder {
 public:
  explicit ByAdder(Job& job) : job_(job), adder_(job.aggregator()) {}
  int ranks() const { return job_.ranks(); }
  std::uint64_t Broadcast(std::uint64_t number) { return job_.Broadcast(number); }
  void Add(int rank, const Addition& addition) { (void)adder_.Add(rank, addition); }
  void Finish() {
    (void)adder_.Flush();
    job_.Finish();
  }

 private:
  Job& job_;
  llcl::Aggregator<Addition>::Adder adder_;
};

// A message for each.
class ByMessages {
 public:
  explicit ByMessages(Job& job) : job_(job), sent_(static_cast<std::size_t>(job.ranks())) {}
  int ranks() const { return job_.ranks(); }
  std::uint64_t Broadcast(std::uint64_t number) { return job_.Broadcast(number); }
  void Add(int rank, const Addition& addition) {
    ++sent_[static_cast<std::size_t>(rank)];
    (void)job_.endpoint().KeepTrying([&] {
      return job_.endpoint().TrySend({.to = llcl::Rank{rank},
                                      .handler = {},
                                      .payload = std::as_bytes(std::span(&addition, 1))});
    });
  }
  void Finish() {
    std::uint64_t expected = 0;
    const std::vector<std::size_t> ones(sent_.size(), 1);
    job_.Do([&](llcl::Completion then) {
      return job_.endpoint().world().TryReduceScatter<std::uint64_t>(
          sent_, std::span(&expected, 1), ones, llcl::AtomicOp::kAdd, then);
    });
    (void)job_.endpoint().KeepTrying(
        [&] { return job_.handled() < expected ? llcl::Posted::kFull : llcl::Posted::kPosted; });
  }

 private:
  Job& job_;
  std::vector<std::uint64_t> sent_;  // by rank, ever
};

absl::StatusOr<std::unique_ptr<llcl::Conduit>> MakeConduit(llcl::Launch& launch) {
  if (std::string_view(VICINITY_NETWORK) == "tcp") return llcl::MakeTcpConduit(launch);
  return llcl::MakeSmpConduit(launch);
}

void Run(Job& job, bool is_first) {
  ByAggregator by_aggregator(job);
  ByAdder by_adder(job);
  ByMessages by_messages(job);
  vicinity::RecordBench<ByAggregator> records(by_aggregator, 0);
  vicinity::RecordBench<ByMessages> messages(by_messages, 1);
  vicinity::RecordBench<ByAdder> adder(by_adder, 2);
  if (is_first) {
    adder.Register("llcl", VICINITY_NETWORK);
    records.Register("llcl_add", VICINITY_NETWORK);
    messages.Register("llcl_messages", VICINITY_NETWORK);
    benchmark::RunSpecifiedBenchmarks();
    (void)job.Broadcast(0);
    return;
  }
  while (const std::uint64_t number = job.Broadcast(0)) {
    (void)(records.Serve(number) || messages.Serve(number) || adder.Serve(number));
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) Fail(launch.status());
  {
    Job job(MakeConduit(**launch));
    Run(job, ToInt((*launch)->rank()) == 0);
  }
  return (*launch)->Allgather("").ok() ? 0 : 1;
}
