// One measurement: one number of workers, all variants side by side.
//
// Within each repetition every variant runs once, one after the other, so that
// other work of the machine at that moment slows all of them. Ratios are
// taken within a repetition and their median is reported. Every product is
// checked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/matmul/problem/matrices.h"
#include "apps/matmul/problem/variant.h"
#include "apps/matmul/workers/workers.h"
#include "apps/program/spread.h"

namespace matmul {

struct Options {
  int n = 768;
  Mode mode = Mode::kReal;
  std::uint64_t seed = 1;
  int repetitions = 20;  // real: and one more that warms up and is not counted
  std::vector<Variant> variants = {Variant::kOriginal, Variant::kCutoff, Variant::kIdeal,
                                   Variant::kDepth};
  Victims victims = Victims::kRandom;  // of kOriginal and kCutoff
  std::vector<int> candidates = {2, 4, 8, 16, 32};
  Peeks peeks = Peeks::kFresh;  // where depths are looked at
  Home home = Home::kOneNode;   // simulated
};

// A value. One variant with one number of workers.
struct Row {
  Variant variant = Variant::kOriginal;
  StealRule rule;
  Mode mode = Mode::kReal;
  int n = 0;
  int workers = 0;
  std::uint64_t seed = 0;
  double flop = 0;                  // of one product, all workers together
  std::vector<double> seconds;      // one a repetition; virtual in the simulated mode
  Work work;                        // of all repetitions
  program::Spread ratio_to_cutoff;  // of the repetitions; above 1 = faster; 0: no such row
  bool is_disturbed = false;        // by the rules of program/spread.h; never in virtual time
  // Derived from other rows (steal_cost.h).
  std::optional<double> extra_blocks_per_steal;  // simulated
  std::optional<double> lost_ns_per_steal;       // real

  double seconds_median() const;
  double gflop_per_s() const;  // of the median time
  program::Spread gflop_per_s_spread() const;
  // Means of a repetition.
  double steals_each() const;
  double steals_each_at(int depth) const;
  double blocks_each() const;  // fetched; simulated
  int deepest_steal() const;   // -1: there was none
};

// The rows to measure with that many workers.
std::vector<Row> PlanRows(const Options& options, int workers);

// Errors: as StartWorkers; DataLoss for a wrong answer.
absl::StatusOr<std::vector<Row>> Measure(const Options& options, int workers, Matrices& matrices,
                                         const std::function<void(const std::string&)>& progress);

}  // namespace matmul
