// Small records to their owners, the same for every contestant: rows
// `records/contestant/network/ranks:N`, the time of one record of a rank's.
//
// The problem is the histogram of Bale: each rank adds to random words of a table that is spread
// over all ranks, its own part too, by records of 16 bytes.
//
// A contestant is a program of several ranks. The first measures: it tells the others which
// contestant of the program comes, and how many records.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vicinity {

struct Addition {
  std::uint64_t word = 0, value = 0;
};
// Of a rank's part.
inline constexpr std::uint64_t kWords = 1 << 16;

// `Contestant`:
//   int ranks() const
//   std::uint64_t Broadcast(std::uint64_t number)           of the first rank; zero: there are no
//   more void Add(int rank, const Addition& addition)            to the rank's part void Finish()
//   all additions of all ranks are made
template <typename Contestant>
class RecordBench {
 public:
  static constexpr std::uint64_t kContestants = 8;  // of a program, at most

  // `number`: of the contestant in its program.
  RecordBench(Contestant& contestant, std::uint64_t number)
      : contestant_(contestant), number_(number) {}

  void Register(const std::string& name, const std::string& network) {
    const std::string row =
        "records/" + name + "/" + network + "/ranks:" + std::to_string(contestant_.ranks());
    benchmark::RegisterBenchmark(row.c_str(), [this](benchmark::State& state) { Measure(state); })
        ->UseManualTime()
        ->Iterations(kBatches);
  }
  // By the other ranks, for the number that was broadcast: is it for this contestant?
  bool Serve(std::uint64_t broadcast) {
    if (broadcast % kContestants != number_) return false;
    Run(broadcast / kContestants);
    return true;
  }

 private:
  static constexpr int kBatches = 15;
  static constexpr std::uint64_t kRecords = 400'000;

  // The median of the batches is reported as each.
  void Measure(benchmark::State& state) {
    std::vector<double> seconds;
    for (int i = 0; i < kBatches; ++i) {
      (void)contestant_.Broadcast(kRecords * kContestants + number_);
      const auto start = std::chrono::steady_clock::now();
      Run(kRecords);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      seconds.push_back(took.count() / static_cast<double>(kRecords));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kBatches / 2, seconds.end());
    for (auto _ : state) state.SetIterationTime(seconds[kBatches / 2]);
  }
  void Run(std::uint64_t records) {
    const auto ranks = static_cast<std::uint64_t>(contestant_.ranks());
    for (std::uint64_t i = 0; i < records; ++i) {
      // xorshift64: Marsaglia, 2003.
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
      const auto rank = static_cast<int>(((state_ >> 32) * ranks) >> 32);
      contestant_.Add(rank, {state_ % kWords, 1});
    }
    contestant_.Finish();
  }

  Contestant& contestant_;
  const std::uint64_t number_;
  std::uint64_t state_ = 88172645463325252u;
};

}  // namespace vicinity
