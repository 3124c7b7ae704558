// Counts by all the modes, policies and threads that were asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/run/flags.h"
#include "apps/simpath/run/results.h"

namespace simpath {

// Rows of the same graph agree. Unless the check is off, each count is checked as well: arrays by
// one more prime, counts edge by edge by frontier/residue.h. ResourceExhausted where a count needs
// more memory than the limit, Internal where two disagree or a check fails.
absl::StatusOr<std::vector<Row>> CountRows(const Resolved& resolved,
                                           const std::function<void(const std::string&)>& progress);

// What counts edge by edge would come to, a row a graph.
absl::StatusOr<std::vector<ForecastRow>> ForecastRows(
    const Resolved& resolved, const std::function<void(const std::string&)>& progress);

}  // namespace simpath
