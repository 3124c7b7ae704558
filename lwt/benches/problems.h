// The problems, the same for every contestant, and how they are timed.
//
// A contestant is a class, made for a number of workers:
//
//   static constexpr const char* kName
//   static constexpr int kMostWorkers
//   static constexpr int kIterationsDividedBy    more than 1 where it is slow
//   explicit Contestant(int workers)
//   void Run(f)                  f() where it may fork; returns when all is done
//   static void Both(f, g)       f() and g() at once; returns when both are done
//   static void Each(count, f)   f(0) ... f(count - 1) at once, as Both
//   static void CreateJoin(f)    f() as a task of its own, waited for
//
// A row's time is that of one item (a spawn, a leaf, a node), of the whole
// problem where that is more useful. A wrong answer fails the run.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lwt/workloads/sgemm.h"
#include "lwt/workloads/uts.h"

namespace problems {

// Runs `run`, which returns its answer, once for the caches and then for the clock.
template <typename Answer, typename F>
void Measure(benchmark::State& state, double items, Answer expected, F run) {
  bool right = run() == expected;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    right = run() == expected && right;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(spent.count() / items);
  }
  if (!right) state.SkipWithError("wrong answer");
}

inline constexpr int kMostWorkers = 2;

// "fib/lwt/workers:1" and so on; `body(contestant, state)`.
template <typename Contestant, typename Body>
void RegisterRow(const std::string& problem, int iterations, Body body) {
  const auto run = [body](benchmark::State& state) {
    Contestant contestant(static_cast<int>(state.range(0)));
    body(contestant, state);
  };
  benchmark::RegisterBenchmark((problem + "/" + Contestant::kName).c_str(), run)
      ->ArgName("workers")
      ->DenseRange(1, Contestant::kMostWorkers)
      ->Iterations(std::max(1, iterations / Contestant::kIterationsDividedBy))
      ->UseManualTime();
}

// A spawn and a join, and next to nothing between.
inline constexpr int kFib = 27;
inline constexpr long kFibResult = 196418;
inline constexpr double kFibForks = 317810;

template <typename Contestant>
long Fib(int n) {
  if (n < 2) return n;
  long left = 0, right = 0;
  Contestant::Both([&, n] { left = Fib<Contestant>(n - 1); },
                   [&, n] { right = Fib<Contestant>(n - 2); });
  return left + right;
}

template <typename Contestant>
void RegisterFib(const std::string& problem) {
  RegisterRow<Contestant>(problem, 10, [](Contestant& contestant, benchmark::State& state) {
    Measure(state, kFibForks, kFibResult, [&] {
      long result = 0;
      contestant.Run([&] { result = Fib<Contestant>(kFib); });
      return result;
    });
  });
}

inline constexpr int kCreated = 100'000;

template <typename Contestant>
void RegisterCreateJoin() {
  RegisterRow<Contestant>("create_join", 10, [](Contestant& contestant, benchmark::State& state) {
    Measure(state, kCreated, kCreated, [&] {
      int ran = 0;
      contestant.Run([&] {
        for (int i = 0; i < kCreated; ++i) Contestant::CreateJoin([&ran] { ++ran; });
      });
      return ran;
    });
  });
}

// Ten children each, a million leaves that return their numbers.
inline constexpr long kSkynetLeaves = 1'000'000;

template <typename Contestant>
long Skynet(long first, long leaves) {
  if (leaves == 1) return first;
  long sums[10];
  Contestant::Each(10, [&sums, first, leaves](int i) {
    sums[i] = Skynet<Contestant>(first + i * (leaves / 10), leaves / 10);
  });
  long sum = 0;
  for (const long part : sums) sum += part;
  return sum;
}

template <typename Contestant>
void RegisterSkynet() {
  RegisterRow<Contestant>("skynet", 4, [](Contestant& contestant, benchmark::State& state) {
    Measure(state, kSkynetLeaves, kSkynetLeaves * (kSkynetLeaves - 1) / 2, [&] {
      long sum = 0;
      contestant.Run([&] { sum = Skynet<Contestant>(0, kSkynetLeaves); });
      return sum;
    });
  });
}

// All placements of twelve queens, a task for each free square of the next row.
inline constexpr int kQueens = 12;
inline constexpr long kQueensResult = 14200;

// Squares of this row that are attacked: by columns and both diagonals.
struct Attacked {
  unsigned columns = 0, left = 0, right = 0;
};

template <typename Contestant>
long Queens(Attacked attacked) {
  constexpr unsigned kAll = (1u << kQueens) - 1;
  if (attacked.columns == kAll) return 1;
  unsigned squares[kQueens];
  int free = 0;
  for (unsigned left = kAll & ~(attacked.columns | attacked.left | attacked.right); left != 0;
       left &= left - 1) {
    squares[free++] = left & -left;
  }
  long counts[kQueens];
  Contestant::Each(free, [&counts, &squares, attacked](int i) {
    counts[i] =
        Queens<Contestant>({attacked.columns | squares[i], (attacked.left | squares[i]) << 1,
                            (attacked.right | squares[i]) >> 1});
  });
  long count = 0;
  for (int i = 0; i < free; ++i) count += counts[i];
  return count;
}

template <typename Contestant>
void RegisterQueens() {
  RegisterRow<Contestant>("nqueens", 4, [](Contestant& contestant, benchmark::State& state) {
    Measure(state, 1, kQueensResult, [&] {
      long count = 0;
      contestant.Run([&] { count = Queens<Contestant>({}); });
      return count;
    });
  });
}

template <typename Contestant>
long NodesBelow(const uts::Node& node) {
  const int children = uts::ChildrenOf(node);
  if (children == 0) return 1;
  // Not a variable-length array, and not on the heap for the usual few.
  constexpr int kFew = 16;
  long few[kFew];
  std::vector<long> many(children > kFew ? static_cast<std::size_t>(children) : 0);
  long* const counts = children > kFew ? many.data() : few;
  Contestant::Each(children, [counts, &node](int i) {
    counts[i] = NodesBelow<Contestant>(uts::ChildOf(node, i));
  });
  long count = 1;
  for (int i = 0; i < children; ++i) count += counts[i];
  return count;
}

template <typename Contestant>
void RegisterUts() {
  RegisterRow<Contestant>("uts", 2, [](Contestant& contestant, benchmark::State& state) {
    Measure(state, uts::kNodesOfT1, uts::kNodesOfT1, [&] {
      long count = 0;
      contestant.Run([&] { count = NodesBelow<Contestant>(uts::RootOfT1()); });
      return count;
    });
  });
}

inline constexpr int kMatrix = 768;

template <typename Contestant>
struct SgemmTasks {
  template <typename F, typename G>
  void Both(int, F&& f, G&& g) {
    Contestant::Both(f, g);
  }
  void Leaf(const sgemm::Block& block, sgemm::Into into) {
    code(block.a, block.b, block.c, block.ld, into);
  }
  sgemm::LeafCode code = sgemm::BestLeaf().code;
};

template <typename Contestant>
void RegisterMatmul() {
  RegisterRow<Contestant>("matmul", 20, [](Contestant& contestant, benchmark::State& state) {
    constexpr std::size_t kElements = std::size_t{kMatrix} * kMatrix;
    std::vector<float> a(kElements), b(kElements), c(kElements), expected(kElements);
    // Small whole numbers: sums are exact in any order.
    for (std::size_t i = 0; i < kElements; ++i) {
      a[i] = static_cast<float>(i * 7 % 13) - 6;
      b[i] = static_cast<float>(i * 5 % 11) - 5;
    }
    for (std::size_t i = 0; i < kMatrix; ++i) {
      for (std::size_t p = 0; p < kMatrix; ++p) {
        for (std::size_t j = 0; j < kMatrix; ++j) {
          expected[i * kMatrix + j] += a[i * kMatrix + p] * b[p * kMatrix + j];
        }
      }
    }
    SgemmTasks<Contestant> tasks;
    const sgemm::Block whole = {a.data(), b.data(), c.data(), kMatrix, kMatrix, kMatrix, kMatrix};
    const auto multiply = [&] {
      contestant.Run([&] { sgemm::Multiply(tasks, whole, sgemm::Into::kEmpty); });
    };
    multiply();  // for the caches
    bool right = true;
    for (auto _ : state) {
      std::fill(c.begin(), c.end(), -1.0f);
      const auto start = std::chrono::steady_clock::now();
      multiply();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(spent.count());
      right = c == expected && right;
    }
    if (!right) state.SkipWithError("wrong answer");
  });
}

// What every peer is measured by.
template <typename Contestant>
void RegisterAll() {
  RegisterFib<Contestant>("fib");
  RegisterFib<Contestant>("fork_join");
  RegisterCreateJoin<Contestant>();
  RegisterSkynet<Contestant>();
  RegisterQueens<Contestant>();
  RegisterUts<Contestant>();
  RegisterMatmul<Contestant>();
}

}  // namespace problems
