// Graphs of tasks that do nothing, the same for every contestant: what is left is what a runtime
// costs. That it keeps the order is seen in runs before and after, in which tasks compute.
//
// A contestant is a class, made for a number of workers and of blocks, which are cells:
//
//   static constexpr const char* kName
//   static constexpr int kIterationsDividedBy    more than 1 where it is slow
//   Contestant(int workers, std::span<std::uint64_t> cells)
//   void Run(const Dag& dag, Work work)    returns when all tasks have ended
//
// and, where the same graph can be run again and again,
//
//   void Record(const Dag& dag, Work work)
//   void RunAgain()
//
// A row's time is that of one task, submitting it included.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taskrt/workloads/cholesky_tasks.h"

namespace dags {

inline constexpr int kWorkers = 2;

// A value: what it changes, last, and before it what it reads. Or nothing.
struct Task {
  std::array<std::uint32_t, 3> blocks = {};
  std::uint32_t count = 0;

  std::span<const std::uint32_t> reads() const {
    return std::span(blocks).first(count == 0 ? 0 : count - 1);
  }
};

struct Dag {
  std::size_t blocks = 0;
  std::vector<Task> tasks;
};

inline Dag Cholesky(int count) {
  Dag dag = {.blocks = cholesky::BlocksOf(count), .tasks = {}};
  cholesky::ForEachTask(count, [&](const cholesky::Task& of_cholesky) {
    Task& task = dag.tasks.emplace_back();
    for (const taskrt::PlannedAccess& access : cholesky::AccessesOf(of_cholesky, count)) {
      task.blocks[task.count++] = access.block;
    }
  });
  return dag;
}

// Each changes the block of the one that is `chains` before it.
inline Dag Chains(std::size_t tasks, std::size_t chains) {
  Dag dag = {.blocks = chains, .tasks = std::vector<Task>(tasks)};
  for (std::size_t i = 0; i < tasks; ++i) {
    dag.tasks[i] = {.blocks = {static_cast<std::uint32_t>(i % chains)}, .count = 1};
  }
  return dag;
}

inline Dag Independent(std::size_t tasks) {
  return {.blocks = 1, .tasks = std::vector<Task>(tasks)};
}

enum class Work { kNothing, kMix };

// Another value for another order of those that read and change the cell.
inline void Mix(std::uint64_t& cell, std::uint64_t read) {
  cell = (cell ^ read) * 0x9E3779B97F4A7C15 + 1;
}
inline void Mix(std::span<std::uint64_t> cells, const Task& task) {
  if (task.count == 0) return;
  std::uint64_t& changed = cells[task.blocks[task.count - 1]];
  for (const std::uint32_t block : task.reads()) Mix(changed, cells[block]);
  Mix(changed, 0);
}

// `record(contestant, dag, work)` before the clock runs, and then `run`, likewise.
template <typename Contestant, typename Record, typename Run>
void RegisterRow(const std::string& problem, Dag dag, Record record, Run run) {
  benchmark::RegisterBenchmark(
      (problem + "/" + Contestant::kName).c_str(),
      [dag = std::move(dag), record, run](benchmark::State& state) {
        std::vector<std::uint64_t> cells(dag.blocks, 1), expected = cells;
        Contestant contestant(static_cast<int>(state.range(0)), cells);
        const auto is_right = [&] {
          for (const Task& task : dag.tasks) Mix(expected, task);
          record(contestant, dag, Work::kMix);
          run(contestant, dag, Work::kMix);
          return cells == expected;
        };
        bool right = is_right();
        record(contestant, dag, Work::kNothing);
        run(contestant, dag, Work::kNothing);  // for the caches
        for (auto _ : state) {
          const auto start = std::chrono::steady_clock::now();
          run(contestant, dag, Work::kNothing);
          const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
          state.SetIterationTime(spent.count() / static_cast<double>(dag.tasks.size()));
        }
        right = is_right() && right;
        if (!right) state.SkipWithError("wrong answer");
      })
      ->ArgName("workers")
      ->DenseRange(1, kWorkers)
      ->Iterations(20 / Contestant::kIterationsDividedBy)
      ->UseManualTime();
}

template <typename Contestant>
void RegisterDag(const std::string& problem, Dag dag) {
  RegisterRow<Contestant>(
      problem, std::move(dag), [](Contestant&, const Dag&, Work) {},
      [](Contestant& contestant, const Dag& its, Work work) { contestant.Run(its, work); });
}

// The same graph, without what it costs to make it.
template <typename Contestant>
void RegisterAgain() {
  RegisterRow<Contestant>(
      "cholesky_again", Cholesky(32),
      [](Contestant& contestant, const Dag& dag, Work work) { contestant.Record(dag, work); },
      [](Contestant& contestant, const Dag&, Work) { contestant.RunAgain(); });
}

template <typename Contestant>
void RegisterDags() {
  RegisterDag<Contestant>("cholesky_dag", Cholesky(32));
  RegisterDag<Contestant>("independent", Independent(100'000));
  RegisterDag<Contestant>("chain", Chains(20'000, 1));
  RegisterDag<Contestant>("chains_64", Chains(20'000, 64));
}

}  // namespace dags
