// Collective operations, the same for every contestant: rows `problem/contestant/network/bytes:N`,
// the time of one operation of a row of them. N: the bytes of a rank's own block; of alltoall, for
// each other rank. Of more than two ranks: `problem/contestant/network/ranks:R/bytes:N`.
//
// A contestant is a program of several ranks. The first measures: it tells the others which row
// comes and how many operations.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vicinity {

enum class Collective : std::uint64_t {
  kBarrier,
  kBroadcast,
  kAllgather,
  kAllreduce,
  kAlltoall,
  kEnd
};
constexpr const char* NameOf(Collective collective) {
  switch (collective) {
    case Collective::kBarrier:
      return "barrier";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kAllgather:
      return "allgather";
    case Collective::kAllreduce:
      return "allreduce";
    default:
      return "alltoall";
  }
}

// A row's operations, as the first rank broadcasts them. A value.
struct Batch {
  Collective collective = Collective::kEnd;
  std::uint64_t bytes = 0, operations = 0;
};

// `Contestant`:
//   int ranks() const
//   void Barrier()
//   void Broadcast(std::byte* bytes, std::size_t size)     of the first rank
//   void Allgather(const std::byte* mine, std::byte* all, std::size_t size)
//   void Allreduce(const double* mine, double* sums, std::size_t count)
//   void Alltoall(const std::byte* mine, std::byte* theirs, std::size_t size)
// Each returns when the rank's part is done.
template <typename Contestant>
class CollectiveBench {
 public:
  static constexpr std::uint64_t kMostBytes = 8 << 20;

  explicit CollectiveBench(Contestant& contestant)
      : contestant_(contestant),
        mine_(kMostBytes * static_cast<std::size_t>(contestant.ranks())),
        theirs_(mine_.size()) {}

  void Register(const std::string& name, const std::string& network) {
    const auto add = [&](Collective collective, std::uint64_t bytes) {
      std::string row = std::string(NameOf(collective)) + "/" + name + "/" + network;
      if (contestant_.ranks() > 2) row += "/ranks:" + std::to_string(contestant_.ranks());
      if (collective != Collective::kBarrier) row += "/bytes:" + std::to_string(bytes);
      benchmark::RegisterBenchmark(row.c_str(),
                                   [this, collective, bytes](benchmark::State& state) {
                                     Measure(state, {collective, bytes, OperationsOf(bytes)});
                                   })
          ->UseManualTime()
          ->Iterations(kBatches);
    };
    add(Collective::kBarrier, 0);
    for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{64} << 10,
                                      std::uint64_t{1} << 20, std::uint64_t{8} << 20}) {
      add(Collective::kAllreduce, bytes);
      add(Collective::kBroadcast, bytes);
      add(Collective::kAllgather, bytes);
      add(Collective::kAlltoall, bytes);
    }
  }
  // By the first rank, after its rows.
  void End() {
    Batch none;
    Tell(none);
  }
  // By the other ranks.
  void Serve() {
    for (Batch batch; Tell(batch), batch.collective != Collective::kEnd;) {
      contestant_.Barrier();
      Run(batch);
    }
  }

 private:
  static constexpr int kBatches = 15;
  static std::uint64_t OperationsOf(std::uint64_t bytes) {
    return bytes <= 8 ? 2'000
                      : std::clamp<std::uint64_t>((std::uint64_t{32} << 20) / bytes, 5, 200);
  }
  void Tell(Batch& batch) {
    contestant_.Broadcast(reinterpret_cast<std::byte*>(&batch), sizeof batch);
  }
  // The median of the batches is what a noisy machine leaves alone: each is reported as it.
  void Measure(benchmark::State& state, Batch batch) {
    std::vector<double> seconds;
    for (int i = 0; i < kBatches; ++i) {
      Tell(batch);
      contestant_.Barrier();
      const auto start = std::chrono::steady_clock::now();
      Run(batch);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      seconds.push_back(took.count() / static_cast<double>(batch.operations));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kBatches / 2, seconds.end());
    for (auto _ : state) state.SetIterationTime(seconds[kBatches / 2]);
  }
  void Run(const Batch& batch) {
    const auto bytes = static_cast<std::size_t>(batch.bytes);
    for (std::uint64_t i = 0; i < batch.operations; ++i) {
      switch (batch.collective) {
        case Collective::kBarrier:
          contestant_.Barrier();
          break;
        case Collective::kBroadcast:
          contestant_.Broadcast(mine_.data(), bytes);
          break;
        case Collective::kAllgather:
          contestant_.Allgather(mine_.data(), theirs_.data(), bytes);
          break;
        case Collective::kAllreduce:
          contestant_.Allreduce(reinterpret_cast<const double*>(mine_.data()),
                                reinterpret_cast<double*>(theirs_.data()), bytes / sizeof(double));
          break;
        default:
          contestant_.Alltoall(mine_.data(), theirs_.data(), bytes);
      }
    }
  }

  Contestant& contestant_;
  std::vector<std::byte> mine_, theirs_;
};

}  // namespace vicinity
