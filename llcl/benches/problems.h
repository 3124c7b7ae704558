// The paper's section 5, the same for every contestant: latency and overhead (listing
// 6) and message rate (listing 7) of operations on memory of another rank; and how fast
// a rank that sleeps answers, for contestants whose ranks sleep.
//
// Each contestant is a program of two ranks: the first runs this, the second does what
// its library needs of it, which for llcl is nothing. Rows are named
// `problem/contestant/network/parameters`.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace vicinity {

enum class Op { kRead, kWrite, kAdd };
constexpr const char* NameOf(Op op) {
  return op == Op::kRead ? "read" : op == Op::kWrite ? "write" : "fetch_add";
}
constexpr int kMostThreads = 4;
constexpr std::int64_t kMostBytes = 2048;
// Operations that a thread has under way when rates are measured.
constexpr int kWindow = 64;

// `Contestant` is a value made by each thread of the benchmark:
//   Contestant(shared, thread)
//   void Post(Op, bytes)   begins an operation; tries until it is accepted
//   void WaitForAll()      returns when all operations that it posted have ended
// Where more threads at fetch-add than `most_adding` would not end, they have no rows.
template <typename Contestant, typename Shared>
void Register(Shared& shared, const std::string& name, const std::string& network,
              int most_adding = kMostThreads) {
  const auto add = [&](const std::string& problem, const std::string& parameters, int threads,
                       auto run) {
    benchmark::RegisterBenchmark((problem + "/" + name + "/" + network + "/" + parameters).c_str(),
                                 run)
        ->ThreadRange(threads, threads)
        ->UseRealTime()
        ->MinTime(0.05);
  };
  for (const Op op : {Op::kRead, Op::kWrite, Op::kAdd}) {
    const std::string of = NameOf(op);
    for (const std::int64_t bytes : {std::int64_t{8}, kMostBytes}) {
      if (op == Op::kAdd && bytes != 8) continue;
      const std::string size = "bytes:" + std::to_string(bytes);
      add(of + "_latency", size, 1, [&shared, op, bytes](benchmark::State& state) {
        Contestant contestant(shared, state.thread_index());
        for (auto _ : state) {
          contestant.Post(op, bytes);
          contestant.WaitForAll();
        }
      });
      for (const int threads : {1, 2, 4}) {
        if (bytes != 8 && threads != 1) continue;
        if (op == Op::kAdd && threads > most_adding) continue;
        add(of + "_rate", size, threads, [&shared, op, bytes](benchmark::State& state) {
          Contestant contestant(shared, state.thread_index());
          for (auto _ : state) {
            for (int i = 0; i < kWindow; ++i) contestant.Post(op, bytes);
            contestant.WaitForAll();
          }
          state.SetItemsProcessed(state.iterations() * kWindow);
        });
      }
    }
    // The time until the caller may go on: waiting is not part of it.
    for (const int threads : {1, 4}) {
      if (op == Op::kAdd && threads > most_adding) continue;
      benchmark::RegisterBenchmark(
          (of + "_issue/" + name + "/" + network + "/bytes:8").c_str(),
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
