// Counts by all the modes, policies and threads that were asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/simpath/count.h"
#include "apps/simpath/flags.h"

namespace simpath {

// A value: one count.
struct Row {
  std::string graph;
  Mode mode = Mode::kSequential;
  topo::Policy policy = topo::Policy::kNone;
  int threads = 1;
  Count count;
  int moduli = 0;  // the one that checks among them; none where numbers are whole
  int max_width = 0;
  std::optional<std::uint64_t> forecast_bytes;  // of the tables, where they are known before
  double seconds = 0;
  std::uint64_t max_rss_bytes = 0;  // of the process so far
};

// A sequential count without one by arrays is checked by a second one, which `seconds` leave out.
// ResourceExhausted where a count needs more memory than the limit, Internal where two disagree.
absl::StatusOr<std::vector<Row>> CountRows(const Resolved& resolved,
                                           const std::function<void(const std::string&)>& progress);

program::Json ToJson(const Row& row);

// A line a row.
std::string ToTable(const std::vector<Row>& rows, program::Color color);

}  // namespace simpath
