// The paper's section 5, the same for every contestant: latency and overhead (listing
// 6) and message rate (listing 7) of operations on memory of another rank; besides, the bandwidth
// of large ones, and how fast a rank that sleeps answers, for contestants whose ranks sleep.
//
// Each contestant is a program of two ranks: the first runs this, the second does what
// its library needs of it, which for llcl is nothing. Rows are named
// `problem/contestant/network/parameters`.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace vicinity {

enum class Op { kRead, kWrite, kAdd };
constexpr const char* NameOf(Op op) {
  return op == Op::kRead ? "read" : op == Op::kWrite ? "write" : "fetch_add";
}
constexpr int kMostThreads = 4;
constexpr std::int64_t kMostBytes = 2048;           // of each thread
constexpr std::int64_t kLargeBytes = 1 << 20;       // of one thread alone
constexpr std::int64_t kMemoryBytes = kLargeBytes;  // at each rank
static_assert(kMostThreads * kMostBytes <= kMemoryBytes);
// Operations that a thread has under way when rates are measured, or the bandwidth.
constexpr int kWindow = 64, kLargeWindow = 4;

// What registers rates: they come last, as they use all processors for long, and those of a shared
// machine are slower for a while then, which latencies would show.
inline std::vector<std::function<void()>>& Rates() {
  static std::vector<std::function<void()>> rates;
  return rates;
}
inline void RunAll() {
  for (const auto& register_rates : Rates()) register_rates();
  benchmark::RunSpecifiedBenchmarks();
}

template <typename Run>
void RegisterRow(const std::string& name, int threads, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->ThreadRange(threads, threads)
      ->UseRealTime()
      ->MinTime(0.05);
}

// `Contestant` is a value made by each thread of the benchmark:
//   Contestant(shared, thread)
//   void Post(Op, bytes)   begins an operation; tries until it is accepted
//   void WaitForAll()      returns when all operations that it posted have ended
template <typename Contestant, typename Shared>
void RegisterLatencies(Shared& shared, const std::string& of_contestant) {
  for (const Op op : {Op::kRead, Op::kWrite, Op::kAdd}) {
    for (const std::int64_t bytes : {std::int64_t{8}, kMostBytes}) {
      if (op == Op::kAdd && bytes != 8) continue;
      RegisterRow(NameOf(op) + ("_latency" + of_contestant + "bytes:") + std::to_string(bytes), 1,
                  [&shared, op, bytes](benchmark::State& state) {
                    Contestant contestant(shared, state.thread_index());
                    for (auto _ : state) {
                      contestant.Post(op, bytes);
                      contestant.WaitForAll();
                    }
                  });
    }
  }
}

template <typename Contestant, typename Shared>
void RegisterRates(Shared& shared, const std::string& of_contestant, int most_adding) {
  for (const Op op : {Op::kRead, Op::kWrite, Op::kAdd}) {
    for (const std::int64_t bytes : {std::int64_t{8}, kMostBytes}) {
      if (op == Op::kAdd && bytes != 8) continue;
      for (const int threads : {1, 2, 4}) {
        if (bytes != 8 && threads != 1) continue;
        if (op == Op::kAdd && threads > most_adding) continue;
        RegisterRow(NameOf(op) + ("_rate" + of_contestant + "bytes:") + std::to_string(bytes),
                    threads, [&shared, op, bytes](benchmark::State& state) {
                      Contestant contestant(shared, state.thread_index());
                      for (auto _ : state) {
                        for (int i = 0; i < kWindow; ++i) contestant.Post(op, bytes);
                        contestant.WaitForAll();
                      }
                      state.SetItemsProcessed(state.iterations() * kWindow);
                    });
      }
    }
    if (op != Op::kAdd) {
      RegisterRow(
          NameOf(op) + ("_bandwidth" + of_contestant + "bytes:") + std::to_string(kLargeBytes), 1,
          [&shared, op](benchmark::State& state) {
            Contestant contestant(shared, state.thread_index());
            for (auto _ : state) {
              for (int i = 0; i < kLargeWindow; ++i) contestant.Post(op, kLargeBytes);
              contestant.WaitForAll();
            }
            state.SetBytesProcessed(state.iterations() * kLargeWindow * kLargeBytes);
          });
    }
    // The time until the caller may go on: waiting is not part of it.
    for (const int threads : {1, 4}) {
      if (op == Op::kAdd && threads > most_adding) continue;
      benchmark::RegisterBenchmark(
          (NameOf(op) + ("_issue" + of_contestant + "bytes:8")).c_str(),
          [&shared, op](benchmark::State& state) {
            using Clock = std::chrono::steady_clock;
            constexpr int kPosts = 16;
            Contestant contestant(shared, state.thread_index());
            for (auto _ : state) {
              const auto start = Clock::now();
              for (int i = 0; i < kPosts; ++i) contestant.Post(op, 8);
              const auto posted = Clock::now() - start;
              contestant.WaitForAll();
              // The library divides it by the threads.
              state.SetIterationTime(std::chrono::duration<double>(posted).count() *
                                     state.threads() / kPosts);
            }
          })
          ->ThreadRange(threads, threads)
          ->UseManualTime()
          ->Iterations(2000);
    }
  }
}

// Where more threads at fetch-add than `most_adding` would not end, they have no rows.
template <typename Contestant, typename Shared>
void Register(Shared& shared, const std::string& name, const std::string& network,
              int most_adding = kMostThreads) {
  const std::string of_contestant = "/" + name + "/" + network + "/";
  RegisterLatencies<Contestant>(shared, of_contestant);
  Rates().push_back(
      [=, &shared] { RegisterRates<Contestant>(shared, of_contestant, most_adding); });
}

// Also a `Contestant`'s:
//   void Ask()             sends the other rank a message; returns when it has answered
template <typename Contestant, typename Shared>
void RegisterWakeUp(Shared& shared, const std::string& name, const std::string& network) {
  benchmark::RegisterBenchmark(
      ("wake_up/" + name + "/" + network).c_str(),
      [&shared](benchmark::State& state) {
        using Clock = std::chrono::steady_clock;
        Contestant contestant(shared, state.thread_index());
        for (auto _ : state) {
          // Longer than a rank without work polls: 2 ms where threads share a processor.
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          const auto start = Clock::now();
          contestant.Ask();
          state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
        }
      })
      ->UseManualTime()
      ->Iterations(100);
}

}  // namespace vicinity
