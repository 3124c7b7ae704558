#include "apps/matmul/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>

#include "apps/matmul/problem/reference.h"

namespace matmul {
namespace {

double FlopOf(const sgemm::Block& block) { return 2.0 * block.m * block.n * block.p; }

// One product of the row; seconds are those of `row.flop`.
absl::StatusOr<Outcome> RunOnce(const Row& row, int repetition, Workers& workers,
                                Matrices& matrices) {
  const int depth = DepthOfOneAWorker(row.workers);
  Job job{.block = matrices.Whole(), .rule = row.rule};
  job.seed = row.seed + static_cast<std::uint64_t>(repetition);
  Outcome outcome;
  switch (row.variant) {
    case Variant::kLimit: {
      const auto start = std::chrono::steady_clock::now();
      Reference(job.block, job.block.ld);
      outcome.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return outcome;
    }
    case Variant::kIdeal:
      job.block = matrices.PartOfOne(depth);
      return workers.Compute(job);
    case Variant::kCutoff:
      job.spawn_depth = depth;
      return workers.Compute(job);
    case Variant::kOriginal:
    case Variant::kDepth:
      job.spawn_depth = std::numeric_limits<int>::max();
      return workers.Compute(job);
  }
  return outcome;
}

sgemm::Block BlockOf(const Row& row, Matrices& matrices) {
  return row.variant == Variant::kIdeal ? matrices.PartOfOne(DepthOfOneAWorker(row.workers))
                                        : matrices.Whole();
}

std::string NameOf(const Row& row) {
  std::string name(ToString(row.variant));
  if (row.variant == Variant::kDepth) {
    name += ", " + std::to_string(row.rule.candidates) + " candidates";
  }
  return name;
}

void TakeRatios(std::vector<Row>& rows) {
  const auto cutoff = std::find_if(rows.begin(), rows.end(),
                                   [](const Row& row) { return row.variant == Variant::kCutoff; });
  if (cutoff == rows.end()) return;
  for (Row& row : rows) {
    if (row.variant == Variant::kLimit) continue;  // one OS thread, whatever the workers
    const double scale = row.flop / cutoff->flop;
    const program::Spread ratios = program::RatiosOf(cutoff->seconds, row.seconds);
    row.ratio_to_cutoff = {ratios.q1 * scale, ratios.median * scale, ratios.q3 * scale};
    if (row.mode == Mode::kReal &&
        program::Disagree(row.ratio_to_cutoff.median, row.gflop_per_s() / cutoff->gflop_per_s())) {
      row.is_disturbed = true;
    }
  }
}

}  // namespace

double Row::seconds_median() const { return program::Median(seconds); }

double Row::gflop_per_s() const { return flop / seconds_median() / 1e9; }

program::Spread Row::gflop_per_s_spread() const { return program::SpeedsOf(flop / 1e9, seconds); }

double Row::steals_each() const {
  return static_cast<double>(work.steals) / static_cast<double>(seconds.size());
}

double Row::steals_each_at(int depth) const {
  return static_cast<double>(work.steals_by_depth[static_cast<std::size_t>(depth)]) /
         static_cast<double>(seconds.size());
}

double Row::blocks_each() const {
  const lwt::SimulatedTime& time = work.virtual_time;
  return static_cast<double>(time.blocks_from_shared_cache + time.blocks_from_own_node +
                             time.blocks_from_other_nodes) /
         static_cast<double>(seconds.size());
}

int Row::deepest_steal() const {
  for (int depth = kDepths - 1; depth >= 0; --depth) {
    if (work.steals_by_depth[static_cast<std::size_t>(depth)] > 0) return depth;
  }
  return -1;
}

std::vector<Row> PlanRows(const Options& options, int workers) {
  std::vector<Row> rows;
  Row row;
  row.mode = options.mode;
  row.n = options.n;
  row.workers = workers;
  row.seed = options.seed;
  for (const Variant variant : options.variants) {
    row.variant = variant;
    switch (variant) {
      case Variant::kOriginal:
      case Variant::kCutoff:
        row.rule = {options.victims,
                    options.victims == Victims::kDepth ? options.candidates.front() : 1,
                    options.peeks};
        rows.push_back(row);
        break;
      case Variant::kIdeal:
        row.rule = {Victims::kNone, 0};
        rows.push_back(row);
        break;
      case Variant::kLimit:
        // It has no virtual time, and no workers.
        if (options.mode == Mode::kSimulated || workers != 1) break;
        row.rule = {Victims::kNone, 0};
        rows.push_back(row);
        break;
      case Variant::kDepth:
        for (const int candidates : options.candidates) {
          row.rule = {Victims::kDepth, candidates, options.peeks};
          rows.push_back(row);
        }
        break;
    }
  }
  return rows;
}

absl::StatusOr<std::vector<Row>> Measure(const Options& options, int workers, Matrices& matrices,
                                         const std::function<void(const std::string&)>& progress) {
  auto started = StartWorkers(options.mode, workers, options.seed, options.home);
  if (!started.ok()) return started.status();
  std::vector<Row> rows = PlanRows(options, workers);
  // Virtual time needs no warming up.
  const int warm_ups = options.mode == Mode::kReal ? 1 : 0;
  for (int repetition = 0; repetition < warm_ups + options.repetitions; ++repetition) {
    progress(std::to_string(workers) + (workers == 1 ? " worker: " : " workers: ") + "repetition " +
             std::to_string(repetition + 1) + " of " +
             std::to_string(warm_ups + options.repetitions));
    for (Row& row : rows) {
      const sgemm::Block block = BlockOf(row, matrices);
      matrices.Forget();
      const auto outcome = RunOnce(row, repetition, **started, matrices);
      if (!outcome.ok()) return outcome.status();
      if (absl::Status status = matrices.Check(block, NameOf(row)); !status.ok()) return status;
      if (repetition < warm_ups) continue;
      // One worker's part, at the speed that all would have.
      row.flop = FlopOf(block) * (row.variant == Variant::kIdeal ? workers : 1);
      row.seconds.push_back(outcome->seconds);
      row.work += outcome->work;
    }
  }
  for (Row& row : rows) {
    row.is_disturbed = row.mode == Mode::kReal && program::IsDisturbed(row.gflop_per_s_spread());
  }
  TakeRatios(rows);
  return rows;
}

}  // namespace matmul
