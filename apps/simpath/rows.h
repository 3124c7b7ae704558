// Counts by all the modes, policies and threads that were asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/flags.h"
#include "apps/simpath/results.h"

namespace simpath {

// Rows of one graph agree. Each count is checked by itself too: by arrays modulo a prime more, edge
// by edge as frontier/residue.h says.
// ResourceExhausted where a count needs more memory than the limit, Internal where two disagree or
// a check fails.
absl::StatusOr<std::vector<Row>> CountRows(const Resolved& resolved,
                                           const std::function<void(const std::string&)>& progress);

// What counts edge by edge would come to, a row a graph.
absl::StatusOr<std::vector<ForecastRow>> ForecastRows(
    const Resolved& resolved, const std::function<void(const std::string&)>& progress);

}  // namespace simpath
