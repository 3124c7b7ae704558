// A Cholesky factorization of a matrix in memory, the same for every contestant, with the same
// kernels: blocks of one thread each, by OpenBLAS. Tasks copy each block from the matrix to memory
// without gaps, where its rows do not fall on the same lines of the cache, and back.
//
// A contestant is a class, made for a number of workers:
//
//   static constexpr const char* kName
//   explicit Contestant(int workers)
//   void Factorize(Problem& problem)    returns when problem.values() are U
#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "taskrt/benches/matrix.h"
#include "taskrt/tile.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace factorization {

inline constexpr int kWorkers = 2;
inline constexpr int kN = 4096;

inline constexpr std::size_t kCopy = 4;  // behind cholesky::Kernel's
using Bodies = std::array<taskrt::Kernel::Body, kCopy + 1>;

// A value: a task. What it changes is the last of its tiles.
struct Step {
  const Bodies* bodies = nullptr;
  std::size_t body = kCopy;
  std::array<taskrt::Tile, 3> tiles;
  std::array<taskrt::BlockId, 3> blocks = {};
  std::size_t count = 0;

  // Where those tiles begin; null where there are fewer.
  const char* read(std::size_t i) const {
    return i + 1 < count ? reinterpret_cast<const char*>(tiles[i].data) : nullptr;
  }
  char* changed() const { return reinterpret_cast<char*>(tiles[count - 1].data); }
  // The matrix is positive definite, and that the answer is right is seen at the end.
  void Run() const { (void)(*bodies)[body](std::span(tiles).first(count), {}); }
};

// A resource: a matrix that is to be factorized, again and again.
class Problem {
 public:
  // `block`: of so many rows and columns, which divides kN.
  Problem(cholesky::Precision precision, int block);

  // As it was.
  void Reset();
  // Of U, which it should be: is A = UᵀU? Seen by a product with a vector.
  bool IsRight() const;

  cholesky::Precision precision() const { return precision_; }
  const Bodies& bodies() const { return bodies_; }
  float* floats() { return matrix32_->data(); }
  double* doubles() { return matrix64_->data(); }

  // Calls `each(step)` for all tasks in the order of a sequential program.
  template <typename Each>
  void ForEachStep(Each each) {
    const auto copy = [&](taskrt::BlockId from, taskrt::BlockId to) {
      each(Step{.bodies = &bodies_,
                .tiles = {tiles_[from], tiles_[to]},
                .blocks = {from, to},
                .count = 2});
    };
    cholesky::ForEachTask(count_, [&](const cholesky::Task& task) {
      Step step = {.bodies = &bodies_, .body = static_cast<std::size_t>(task.kernel), .tiles = {}};
      for (const taskrt::PlannedAccess& access : cholesky::AccessesOf(task, count_)) {
        step.blocks[step.count] = access.block;
        step.tiles[step.count++] = tiles_[access.block];
      }
      // What it changes: come in the first column, and gone with its last change.
      const taskrt::BlockId changed = step.blocks[step.count - 1];
      const auto in_matrix = static_cast<taskrt::BlockId>(changed + cholesky::BlocksOf(count_));
      if (task.k == 0) copy(in_matrix, changed);
      each(step);
      using enum cholesky::Kernel;
      if (task.kernel == kPotrf || task.kernel == kTrsm) copy(changed, in_matrix);
    });
  }
  // By BlockAt, without gaps; and behind them those of the matrix.
  std::span<const taskrt::Tile> tiles() const { return tiles_; }

 private:
  taskrt::Tile TileAt(int row, int column);

  const cholesky::Precision precision_;
  const int block_, count_;  // rows of one, and blocks in a row
  Bodies bodies_;
  std::optional<Matrix<float>> matrix32_;  // one of these is used
  std::optional<Matrix<double>> matrix64_;
  std::vector<std::byte> packed_;
  std::vector<taskrt::Tile> tiles_;
};

template <typename Contestant>
void Register() {
  for (const auto precision : {cholesky::Precision::kF32, cholesky::Precision::kF64}) {
    const std::string problem =
        precision == cholesky::Precision::kF32 ? "cholesky_f32" : "cholesky_f64";
    benchmark::RegisterBenchmark((problem + "/" + Contestant::kName).c_str(),
                                 [precision](benchmark::State& state) {
                                   Contestant contestant(kWorkers);
                                   Problem its(precision, static_cast<int>(state.range(1)));
                                   contestant.Factorize(its);
                                   bool right = its.IsRight();
                                   for (auto _ : state) {
                                     state.PauseTiming();
                                     its.Reset();
                                     state.ResumeTiming();
                                     contestant.Factorize(its);
                                   }
                                   right = its.IsRight() && right;
                                   if (!right) state.SkipWithError("wrong answer");
                                 })
        ->ArgsProduct({{kN}, {256, 512}, {kWorkers}})
        ->ArgNames({"n", "block", "workers"})
        ->Iterations(5)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace factorization
