// Reports of measurements: JSON rows, a table, the paper's figures.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/spread.h"
#include "apps/program/terminal.h"
#include "apps/stencil/run/flags.h"

namespace stencil {

// A value: the measurements of all ranks together.
struct Row {
  std::string algorithm;
  int points = 7;
  int ranks = 1, threads = 1;    // of each rank
  std::uint64_t page_bytes = 0;  // of the space; 0: there is none
  double updates = 0;            // of points
  double seconds = 0;            // of the slowest rank; the parts are that rank's
  double compute_seconds = 0, preload_seconds = 0, barrier_seconds = 0;
  std::uint64_t exchanges = 0;                  // of each rank
  std::uint64_t faults = 0, pages_fetched = 0;  // of all ranks
  std::uint64_t switches = 0;                   // of all ranks, to others while a page came
  double max_abs_error = 0;
  // Of several repetitions, of which all else is the one in the middle. Empty: there was one.
  std::vector<double> seconds_each;
  // Paired with A1p, in the same repetitions; zero where there is none.
  program::Spread ratio_to_a1p;
  bool is_disturbed = false;  // by the rules of program/spread.h

  double updates_per_s() const { return updates / seconds; }
  program::Spread updates_per_s_spread() const;  // precondition: there are several
};

// The rows of one number of threads, a row an algorithm, from the rows of each repetition in turn.
std::vector<Row> MiddleRows(const std::vector<std::vector<Row>>& repetitions);

// A row of results for --json.
program::Json ToJson(const Row& row);

// A table of all rows.
std::string ToText(const std::vector<Row>& rows, program::Color color);

// The paper's figures 8 and 9, (c) and (d): the parts of each row's time.
std::string SplitToSvg(const std::vector<Row>& rows);
// Figure 7: speed by threads, a line an algorithm.
std::string SpeedToSvg(const std::vector<Row>& rows);

// An error where the answer is wrong.
absl::Status CheckAnswer(const Row& row);

// A value: the results of a run, as they are written.
struct Outcome {
  std::function<std::string(program::Color)> text;
  program::Json parameters;
  std::vector<program::Json> rows;
  std::function<std::string()> svg;
};
Outcome OutcomeOf(const std::vector<Row>& rows, const Flags& flags, const std::string& command);

// The files that --json and --svg ask for, on rank 0, before the work.
absl::StatusOr<program::Outputs> OpenOutputs(const Flags& flags);
// Writes the outcome. Precondition: it has rows, and CheckAnswer is OK for each.
absl::Status Commit(const Outcome& outcome, const topo::Topology& topology,
                    program::Outputs& outputs);

}  // namespace stencil
