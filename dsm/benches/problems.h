// What all contestants do, and how rows are named: `problem/contestant/network/parameters`.
//
// Misses come in batches: so many threads begin together, and each reads a word of each page
// of its part, none of which is here. Busy threads compute meanwhile and touch no page.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace vicinity {

using Words = std::span<std::uint64_t>;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMissBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kPageBytes[] = {4096, 65536};
constexpr std::uint64_t kPreloadBytes[] = {std::uint64_t{1} << 20, std::uint64_t{4} << 20,
                                           std::uint64_t{16} << 20, std::uint64_t{64} << 20};
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

// What each word of the memory that is read holds.
inline void Fill(Words words) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i + 1;
}

template <typename F>
double SecondsOf(F f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Crew {
  int threads = 1;
  int busy = 0;
};

// f(thread) by all threads of the crew, which begin together -> seconds until all have ended.
// `enter()` is called by each first, and what it returns lives as long as the thread runs.
template <typename Enter, typename F>
double SecondsOf(const Crew& crew, Enter enter, F f) {
  std::barrier start(crew.threads + crew.busy);
  std::vector<std::pair<Clock::time_point, Clock::time_point>> times(
      static_cast<std::size_t>(crew.threads));
  std::atomic<int> running{crew.threads};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < crew.threads; ++thread) {
    threads.emplace_back([&, thread] {
      [[maybe_unused]] const auto entered = enter();
      start.arrive_and_wait();
      auto& [begin, end] = times[static_cast<std::size_t>(thread)];
      begin = Clock::now();
      f(thread);
      end = Clock::now();
      running.fetch_sub(1);
    });
  }
  for (int thread = 0; thread < crew.busy; ++thread) {
    threads.emplace_back([&] {
      [[maybe_unused]] const auto entered = enter();
      start.arrive_and_wait();
      for (std::uint64_t work = 1; running.load(std::memory_order_relaxed) > 0;) {
        for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(work = work * 5 + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto begin = times[0].first, end = times[0].second;
  for (const auto& [first, last] : times) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
  return std::chrono::duration<double>(end - begin).count();
}

// A row whose time each iteration says itself.
template <typename F>
void Register(const std::string& name, std::int64_t iterations, F run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(iterations);
}

inline std::string PageIs(std::uint64_t bytes) { return "page:" + std::to_string(bytes); }

// `Contestant`:
//   Words words()        kMissBytes, that Fill has filled elsewhere
//   void Drop()          none of their pages is here
//   auto Enter()         by each thread before the first miss; to be kept until its end
//
// read_miss is what a thread waits for a page: the median, so that it is not the time for which
// threads had no processor. read_miss_all is the time in which all of them get all pages, divided
// by the pages.
template <typename Contestant>
void RegisterReadMiss(Contestant& contestant, const std::string& name, const std::string& network,
                      std::uint64_t page_bytes, const Crew& crew, std::string problem) {
  const bool each_is_timed = problem == "read_miss";
  std::string row = problem + "/" + name + "/" + network + "/" + PageIs(page_bytes) +
                    "/threads:" + std::to_string(crew.threads);
  if (crew.busy > 0) row += "/busy:" + std::to_string(crew.busy);
  Register(row, 10, [&contestant, page_bytes, crew, each_is_timed](benchmark::State& state) {
    const Words words = contestant.words();
    const std::uint64_t pages = kMissBytes / page_bytes, step = page_bytes / 8;
    const std::uint64_t each = pages / static_cast<std::uint64_t>(crew.threads);
    std::atomic<bool> wrong{false};
    std::vector<double> waits(pages);
    const auto touch = [&](std::uint64_t page) {
      const std::uint64_t at = page * step + page % step;
      if (const_cast<volatile std::uint64_t&>(words[at]) != at + 1) wrong = true;
    };
    const auto batch = [&] {
      contestant.Drop();
      return SecondsOf(
          crew, [&] { return contestant.Enter(); },
          [&](int thread) {
            const std::uint64_t first = static_cast<std::uint64_t>(thread) * each;
            for (std::uint64_t page = first; page < first + each; ++page) {
              if (each_is_timed) {
                waits[page] = SecondsOf([&] { touch(page); });
              } else {
                touch(page);
              }
            }
          });
    };
    batch();  // The system finds memory for the pages when they come first.
    for (auto _ : state) {
      const double seconds = batch();
      const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(pages / 2);
      std::nth_element(waits.begin(), middle, waits.end());
      state.SetIterationTime(each_is_timed ? *middle : seconds / static_cast<double>(pages));
    }
    if (wrong) state.SkipWithError("wrong answer");
  });
}

template <typename Contestant>
void RegisterReadMisses(Contestant& contestant, const std::string& name, const std::string& network,
                        std::uint64_t page_bytes) {
  for (const Crew& crew : {Crew{1, 0}, Crew{2, 0}, Crew{4, 0}, Crew{1, 1}, Crew{1, 3}}) {
    // Where the network's own thread has to compete with so many the batches would not end.
    if (network == "tcp" && crew.threads + crew.busy > 1) continue;
    RegisterReadMiss(contestant, name, network, page_bytes, crew, "read_miss");
    if (crew.busy > 0) continue;
    RegisterReadMiss(contestant, name, network, page_bytes, crew, "read_miss_all");
  }
}

// Loads and stores to pages that are here. `get(bytes)`: memory of which no page is absent.
template <typename Get>
void RegisterResident(const std::string& problem, const std::string& name, const std::string& rest,
                      Get get) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 20, kMostBytes}) {
    const std::string row = "/" + name + "/" + rest + "/bytes:" + std::to_string(bytes);
    const auto add = [&](const std::string& of, auto sweep) {
      benchmark::RegisterBenchmark((of + row).c_str(), [get, bytes,
                                                        sweep](benchmark::State& state) {
        const Words words = get(bytes);
        sweep(words);
        for (auto _ : state) sweep(words);
        state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
      })->MinTime(0.1);
    };
    add(problem + "_read", [](Words words) {
      std::uint64_t sum = 0;
      for (const std::uint64_t word : words) sum += word;
      benchmark::DoNotOptimize(sum);
    });
    add(problem + "_write", [](Words words) {
      for (std::uint64_t& word : words) word += 2;
      benchmark::ClobberMemory();
    });
  }
}

// `prepare()`, then `load(bytes)`, which is timed; then `words()` begin as Fill has it.
template <typename Prepare, typename Load, typename Get>
void RegisterPreload(const std::string& name, const std::string& rest, Prepare prepare, Load load,
                     Get words) {
  for (const std::uint64_t bytes : kPreloadBytes) {
    Register("preload/" + name + "/" + rest + "/bytes:" + std::to_string(bytes),
             static_cast<std::int64_t>(
                 std::clamp(kMostBytes / bytes, std::uint64_t{6}, std::uint64_t{20})),
             [=](benchmark::State& state) {
               prepare();
               load(bytes);  // As the first of RegisterReadMiss.
               for (auto _ : state) {
                 prepare();
                 state.SetIterationTime(SecondsOf([&] { load(bytes); }));
               }
               const Words loaded = words().first(bytes / 8);
               for (std::uint64_t i = 0; i < loaded.size(); i += 511) {
                 if (loaded[i] != i + 1) return state.SkipWithError("wrong answer");
               }
               state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
             });
  }
}

}  // namespace vicinity
