// What a run has counted, for machines and for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/simpath/forecast/path_samples.h"
#include "apps/simpath/frontier/forecast.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/run/flags.h"

namespace simpath {

// A value: one count.
struct Row {
  std::string graph;
  std::optional<int> grid;
  Mode mode = Mode::kSequential;
  std::string order;
  topo::Policy policy = topo::Policy::kNone;
  int threads = 1;
  Count count;
  Rule rule;  // of what is counted
  std::optional<std::uint64_t> max_length;
  int moduli = 0;     // the one that checks among them; none where numbers are whole
  int max_width = 0;  // vertices in the frontier
  std::optional<std::uint64_t> forecast_bytes;  // of the tables, where they are known before
  // Order: reductions and the search for an order of edges, made once for all rows of a graph, and
  // shown in each row. Count: the count with its residues. Check: passes made only to check, the
  // arrays' last modulus. The sum is the time a person waits for the row.
  double order_seconds = 0, count_seconds = 0, check_seconds = 0;
  double seconds() const { return order_seconds + count_seconds + check_seconds; }
  bool checked = false;
  std::uint64_t max_rss_bytes = 0;  // of the process so far
};

// A value: what a count by one thread is forecast to come to.
struct ForecastRow {
  // States are bounded by a formula, made one and all, or estimated from the first stages.
  enum class Source { kFormula, kStates, kEstimate };

  std::string graph;
  std::string order;
  std::vector<LevelForecast> levels;  // of all parts, one after the other
  Source source = Source::kStates;
  double states_factor = 1;  // standard error of a level's estimated states, as a factor
  PathSamples paths;         // without samples for rules other than plain paths
  double seconds = 0;        // of a count by one thread, about
};

program::Json ToJson(const Row& row);
program::Json ToJson(const ForecastRow& row);

// "Hamiltonian cycles of at most 12 edges", in the singular for a count of 1.
std::string NounOf(const Row& row);

// A line a row, those of a graph below its count.
std::string ToText(const std::vector<Row>& rows, program::Color color);
// A line for each width of the frontier.
std::string ToText(const ForecastRow& row, program::Color color);

// Seconds by threads, the paper's figure 12; by grids, figure 13, where there are several.
std::string ToSvg(const std::vector<Row>& rows);

}  // namespace simpath
